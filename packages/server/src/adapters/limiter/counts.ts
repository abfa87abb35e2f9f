import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'
import type { Limit } from '../../ports/limiter.ts'

/** How many keys have a count of their own at once, over all rules: about 20 MB. */
const MAX_OWN_COUNTS = 100_000
/** How many counts, per rule, further keys share. */
export const SHARED_COUNTS = 4096
const SWEEP_MS = 1000
/** 128 bits of the hash: two keys never get the same id by chance. */
export const ID_BYTES = 16

export interface Count {
  /** `ID_BYTES` of HMAC-SHA-256, a character a byte. */
  readonly id: string
  readonly taken: number
  /** Milliseconds since the epoch. */
  readonly endsAt: number
}

interface CountsOptions {
  /** Hashes every rule and key. */
  readonly secret: Uint8Array
  readonly clock: Clock
  /** The saved counts of the last run. */
  readonly present: readonly Count[]
  readonly ownCountsMax?: number
}

export interface Counts {
  take(limits: readonly Limit[]): number | undefined
  giveBack(limits: readonly Limit[]): void
  /** The counts of windows that have not ended. */
  entries(): readonly Count[]
}

interface Window {
  taken: number
  endsAt: number
}

/**
 * Fixed windows: the first attempt starts one. Memory is bounded: while `ownCountsMax` windows run, a new key shares one of the `SHARED_COUNTS` counts of its
 * rule, chosen by its hash. A shared count is too high, never too low. So a flood of sources can make limits stricter for new sources, but cannot displace
 * the count of any other source.
 */
export function createCounts({ secret, clock, present, ownCountsMax = MAX_OWN_COUNTS }: CountsOptions): Counts {
  // A key object: from bytes, each hash would make one first, and a creation takes about ten hashes.
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), 'service/limiter/1', 32)))
  const windows = new Map<string, Window>(present.map(({ id, taken, endsAt }) => [id, { taken, endsAt }]))
  let sweptAt = clock.now()

  function idOf(kind: 'own' | 'shared', rule: string, name: string): string {
    return createHmac('sha256', key).update(`${kind}\0${rule}\0${name}`).digest().toString('latin1', 0, ID_BYTES)
  }

  function sweep(): void {
    sweptAt = clock.now()
    for (const [id, { endsAt }] of windows) if (endsAt <= sweptAt) windows.delete(id)
  }

  function isFull(): boolean {
    if (windows.size < ownCountsMax) return false
    // Not on every call: in a flood each request would go through all counts.
    if (Math.abs(clock.now() - sweptAt) >= SWEEP_MS) sweep()
    return windows.size >= ownCountsMax
  }

  function running(id: string, windowSeconds: number): Window | undefined {
    const window = windows.get(id)
    if (window === undefined || window.endsAt <= clock.now()) return undefined
    // A clock that was set back must not make a window longer.
    window.endsAt = Math.min(window.endsAt, clock.now() + windowSeconds * 1000)
    return window
  }

  /** The id under which a limit is counted. A key that shares a count keeps sharing it until the window ends; otherwise its count would be lost. */
  function find({ rule, key: name, windowSeconds }: Limit): {
    readonly id: string
    readonly window: Window | undefined
  } {
    const ownId = idOf('own', rule, name)
    const own = running(ownId, windowSeconds)
    if (own !== undefined) return { id: ownId, window: own }
    const sharedId = idOf('shared', rule, String(hashOf(ownId) % SHARED_COUNTS))
    const shared = running(sharedId, windowSeconds)
    if (shared !== undefined || isFull()) return { id: sharedId, window: shared }
    return { id: ownId, window: undefined }
  }

  function undo(id: string, weight: number): void {
    const window = windows.get(id)
    if (window === undefined) return
    window.taken -= weight
    if (window.taken <= 0) windows.delete(id)
  }

  return {
    take(limits) {
      const taken: { readonly id: string; readonly weight: number }[] = []
      let waitMs = 0
      for (const { limit, weight } of weighed(limits)) {
        const windowMs = limit.windowSeconds * 1000
        const { id, window = { taken: 0, endsAt: clock.now() + windowMs } } = find(limit)
        if (window.taken + weight > limit.max) {
          waitMs = Math.max(waitMs, window.endsAt - clock.now())
        } else {
          window.taken += weight
          windows.set(id, window)
          taken.push({ id, weight })
        }
      }
      if (waitMs === 0) return undefined
      for (const { id, weight } of taken) undo(id, weight)
      return Math.max(1, Math.ceil(waitMs / 1000))
    },
    giveBack(limits) {
      for (const { limit, weight } of weighed(limits)) {
        const { id, window } = find(limit)
        if (window !== undefined) undo(id, weight)
      }
    },
    entries() {
      sweep()
      return [...windows].map(([id, { taken, endsAt }]) => ({ id, taken, endsAt }))
    },
  }
}

/** Checks all weights before the first is counted: an invalid weight is an error that must change no count. */
function weighed(limits: readonly Limit[]): readonly { readonly limit: Limit; readonly weight: number }[] {
  return limits.map((limit) => {
    const { max, weight = 1 } = limit
    if (!Number.isSafeInteger(weight) || weight < 1) throw new RangeError('not a weight')
    // At least 1, so that a limit of 0 refuses.
    return { limit, weight: Math.max(1, Math.min(weight, max)) }
  })
}

function hashOf(id: string): number {
  return id.charCodeAt(0) * 256 + id.charCodeAt(1)
}
