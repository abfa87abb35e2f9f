import { utf8 } from '@blindkeep/protocol/bytes'
import { type ProtocolVersion, parseProtocolVersion } from '@blindkeep/protocol/ids'
import type { ProtocolWindow } from '@blindkeep/protocol/window'
import type { Clock } from '../../ports/clock.ts'
import type { Deprecation, ReadTx, Store } from '../../ports/store.ts'

/**
 * Which protocol versions writes may use (specification, Versioning, 2 to 4). Each request asks, so that what has been announced is kept in memory: an
 * announcement, which another process makes, is heard of at the next `refresh`; a cutoff that was heard of counts from its instant on.
 */
export interface AcceptedVersions {
  /** The window at this instant: the configured one, its lower end raised by the cutoffs that have passed. */
  current(): ProtocolWindow
  /** The soonest announced cutoff, passed or not, below whose version this one is; undefined for a version that is to stay. */
  cutoffOf(version: ProtocolVersion): Deprecation | undefined
  /** What has been announced, in that order. */
  announced(): readonly Deprecation[]
  /** Looks at the store. */
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

    // Versions and cutoffs rise from one announcement to the next (deprecations.ts), so the first that meets is the soonest.
    cutoffOf: (version) => announced.find(({ minProtocolVersion }) => version < minProtocolVersion),

    announced: () => announced,

    async refresh() {
      const found = await store.read((tx) => tx.deprecations.list())
      // None is ever taken back: of two looks under way at once the shorter list is the older one.
      if (found.length > announced.length) announced = found
    },
  }
}

/** The highest of these versions and those that are announced as the lowest. */
export function highest(version: ProtocolVersion, announced: readonly Deprecation[]): ProtocolVersion {
  return announced.reduce(
    (least, { minProtocolVersion }) => (minProtocolVersion > least ? minProtocolVersion : least),
    version,
  )
}

export class WindowEmpty extends Error {
  override readonly name = 'WindowEmpty'
}

/**
 * At a start. The window is written down for commands, whose environment may say another (deprecations.ts). Throws `WindowEmpty`, and writes nothing, when
 * the newest version is below one that is announced as the oldest: clients would have nothing left to write with.
 */
export async function settleWindow(store: Store, { min, max }: ProtocolWindow): Promise<void> {
  await store.write(async (tx) => {
    const oldest = highest(min, await tx.deprecations.list())
    if (oldest > max)
      throw new WindowEmpty(
        `it is announced that protocol versions below ${oldest} will not be accepted any more, and PROTOCOL_MAX is ${max}. Set PROTOCOL_MAX to ${oldest} or later.`,
      )
    await tx.server.setFact('protocol_window', utf8(`${min} ${max}`))
  })
}

/** What the last start wrote down, before any cutoff; undefined when there was none. */
export async function settledWindow(tx: ReadTx): Promise<ProtocolWindow | undefined> {
  const written = await tx.server.fact('protocol_window')
  const [min, max] = new TextDecoder().decode(written).split(' ').map(parseProtocolVersion)
  return min && max && { min, max }
}
