import type { Clock } from '../../ports/clock.ts'
import type { Limit } from '../../ports/limiter.ts'
import { createIds, RULE_BYTES } from './ids.ts'
import { withCheckedWeights } from './weights.ts'

/** How many keys of one rule have a count of their own at once. With the twenty rules that there are, about 40 MB. */
const MAX_OWN_COUNTS = 10_000
/** How many counts, per rule, further keys share. */
export const SHARED_COUNTS = 4096
const SWEEP_MS = 1000

export interface Count {
  /** See `ids.ts`. */
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
  /** For each rule. */
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
 * Fixed windows: the first attempt starts one. Memory is bounded: while `ownCountsMax` windows of a rule run, a new key
 * shares one of the `SHARED_COUNTS` counts of the rule, chosen by its hash. A shared count is too high, never too low.
 * So a flood of keys can make its own rule stricter for new keys, but cannot displace the count of any other key, and
 * makes no other rule stricter.
 */
export function createCounts({ secret, clock, present, ownCountsMax = MAX_OWN_COUNTS }: CountsOptions): Counts {
  const ids = createIds(secret)
  const windows = createWindows(present)
  let sweptAt = clock.now()

  function sweep(): void {
    sweptAt = clock.now()
    windows.removeUntil(sweptAt)
  }

  function isFull(id: string): boolean {
    if (windows.countOfRule(id) < ownCountsMax) return false
    // Not on every call: in a flood each request would go through all counts.
    if (Math.abs(clock.now() - sweptAt) >= SWEEP_MS) sweep()
    return windows.countOfRule(id) >= ownCountsMax
  }

  function running(id: string, windowSeconds: number): Window | undefined {
    const window = windows.get(id)
    if (window === undefined || window.endsAt <= clock.now()) return undefined
    // A clock that was set back must not make a window longer.
    window.endsAt = Math.min(window.endsAt, clock.now() + windowSeconds * 1000)
    return window
  }

  /** The id of a count. A key that shares one keeps it until the window ends; otherwise the count would be lost. */
  function find({ rule, key: name, windowSeconds }: Limit): {
    readonly id: string
    readonly window: Window | undefined
  } {
    const ownId = ids.of('own', rule, name)
    const own = running(ownId, windowSeconds)
    if (own !== undefined) return { id: ownId, window: own }
    const sharedId = ids.of('shared', rule, String(hashOf(ownId) % SHARED_COUNTS))
    const shared = running(sharedId, windowSeconds)
    if (shared !== undefined || isFull(ownId)) return { id: sharedId, window: shared }
    return { id: ownId, window: undefined }
  }

  function undo(id: string, weight: number): void {
    const window = windows.get(id)
    if (window === undefined) return
    window.taken -= weight
    if (window.taken <= 0) windows.remove(id)
  }

  return {
    take(limits) {
      const taken: { readonly id: string; readonly weight: number }[] = []
      let waitMs = 0
      for (const { limit, weight } of withCheckedWeights(limits)) {
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
      for (const { limit, weight } of withCheckedWeights(limits)) {
        const { id, window } = find(limit)
        if (window !== undefined) undo(id, weight)
      }
    },
    entries() {
      sweep()
      return windows.entries()
    },
  }
}

/** Knows how many windows each rule has. */
function createWindows(present: readonly Count[]) {
  const windows = new Map<string, Window>()
  const counts = new Map<string, number>()

  const countOfRule = (id: string): number => counts.get(ruleIn(id)) ?? 0

  function set(id: string, window: Window): void {
    if (!windows.has(id)) counts.set(ruleIn(id), countOfRule(id) + 1)
    windows.set(id, window)
  }

  function remove(id: string): void {
    if (!windows.delete(id)) return
    const left = countOfRule(id) - 1
    if (left > 0) counts.set(ruleIn(id), left)
    else counts.delete(ruleIn(id))
  }

  for (const { id, taken, endsAt } of present) set(id, { taken, endsAt })

  return {
    get: (id: string) => windows.get(id),
    set,
    remove,
    /** Of the rule of this id. */
    countOfRule,
    removeUntil(at: number): void {
      for (const [id, { endsAt }] of windows) if (endsAt <= at) remove(id)
    },
    entries: (): readonly Count[] => [...windows].map(([id, { taken, endsAt }]) => ({ id, taken, endsAt })),
  }
}

function ruleIn(id: string): string {
  return id.slice(0, RULE_BYTES)
}

function hashOf(id: string): number {
  return id.charCodeAt(RULE_BYTES) * 256 + id.charCodeAt(RULE_BYTES + 1)
}
