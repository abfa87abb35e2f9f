/**
 * The protocol versions that writes may use (specification, Versioning, 2 to 4). Each request asks, so the
 * announcements are in memory. Another process makes them; `refresh` reads them. A cutoff that was read takes effect at
 * its instant.
 */
import { utf8 } from '@blindkeep/protocol/bytes'
import { type ProtocolVersion, parseProtocolVersion } from '@blindkeep/protocol/ids'
import type { ProtocolWindow } from '@blindkeep/protocol/window'
import type { Clock } from '../../ports/clock.ts'
import type { Deprecation, ReadTx, Store } from '../../ports/store.ts'

export interface AcceptedVersions {
  /** The window at this instant: the configured one, its lower end raised by the cutoffs that have passed. */
  current(): ProtocolWindow
  /** The earliest announcement, passed or not, that ends this version. Undefined if it stays. */
  cutoffOf(version: ProtocolVersion): Deprecation | undefined
  /** All announcements, oldest first. */
  announced(): readonly Deprecation[]
  /** Reads the store. */
  refresh(): Promise<void>
}

interface WindowPorts {
  readonly store: Store
  readonly clock: Clock
}

/** `configured` is the window before any cutoff. */
export function createProtocolWindow({ store, clock }: WindowPorts, configured: ProtocolWindow): AcceptedVersions {
  let announced: readonly Deprecation[] = []
  return {
    current() {
      const now = clock.now()
      const passed = announced.filter(({ cutoff }) => cutoff <= now)
      return { min: highest(configured.min, passed), max: configured.max }
    },

    // Versions and cutoffs rise from one announcement to the next (deprecations.ts), so the first match is the
    // earliest.
    cutoffOf: (version) => announced.find(({ minProtocolVersion }) => version < minProtocolVersion),

    announced: () => announced,

    async refresh() {
      const found = await store.ask((tx) => tx.deprecations.list())
      // Announcements are never withdrawn: of two concurrent reads, the shorter list is the older one.
      if (found.length > announced.length) announced = found
    },
  }
}

/** The highest of `version` and the minimum versions of these announcements. */
export function highest(version: ProtocolVersion, announced: readonly Deprecation[]): ProtocolVersion {
  return announced.reduce(
    (max, { minProtocolVersion }) => (minProtocolVersion > max ? minProtocolVersion : max),
    version,
  )
}

export class WindowEmpty extends Error {
  override readonly name = 'WindowEmpty'
}

/**
 * Runs at a start. Stores the window for commands, whose environment may have another one (deprecations.ts). Throws
 * `WindowEmpty`, and stores nothing, when the newest version is below an announced minimum: no version would be left to
 * write with.
 */
export async function settleWindow(store: Store, { min, max }: ProtocolWindow): Promise<void> {
  await store.write(['server'], async (tx) => {
    const oldest = highest(min, await tx.deprecations.list())
    if (oldest > max)
      throw new WindowEmpty(
        `it is announced that protocol versions below ${oldest} will not be accepted any more, and PROTOCOL_MAX is ${max}. Set PROTOCOL_MAX to ${oldest} or later.`,
      )
    await tx.server.setFact('protocol_window', utf8(`${min} ${max}`))
  })
}

/** The window that the last start stored, before any cutoff. Undefined before the first start. */
export async function settledWindow(tx: ReadTx): Promise<ProtocolWindow | undefined> {
  const fact = await tx.server.fact('protocol_window')
  const [min, max] = new TextDecoder().decode(fact).split(' ').map(parseProtocolVersion)
  return min && max && { min, max }
}
