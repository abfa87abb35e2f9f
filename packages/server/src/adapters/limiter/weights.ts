import type { Limit } from '../../ports/limiter.ts'

interface Weighed {
  readonly limit: Limit
  readonly weight: number
}

/** Checks all weights before the first is counted: an invalid weight is an error that must change no count. */
export function withCheckedWeights(limits: readonly Limit[]): readonly Weighed[] {
  return limits.map((limit) => {
    const { max, weight = 1 } = limit
    if (!Number.isSafeInteger(weight) || weight < 1) throw new RangeError('not a weight')
    // At least 1, so that a limit of 0 refuses.
    return { limit, weight: Math.max(1, Math.min(weight, max)) }
  })
}
