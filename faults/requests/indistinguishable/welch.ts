/** Welch's t-test: whether two samples have the same mean, whatever their variances. */

/** The slowest measurements, which `tCropped` omits: other work hides small differences there. */
const CROPPED_SHARE = 0.1

/** Two samples of the same distribution exceed it once in 100,000 times. */
export const MAX_T = 4.5

export interface Welch {
  /** Over all measurements. */
  readonly t: number
  /** Without the slowest tenth of both samples together. */
  readonly tCropped: number
}

export function welch(first: readonly number[], second: readonly number[]): Welch {
  const all = [...first, ...second].toSorted((a, b) => a - b)
  const limit = all[Math.floor(all.length * (1 - CROPPED_SHARE))] ?? Number.POSITIVE_INFINITY
  const cropped = (sample: readonly number[]) => sample.filter((value) => value < limit)
  return { t: statistic(first, second), tCropped: statistic(cropped(first), cropped(second)) }
}

function statistic(first: readonly number[], second: readonly number[]): number {
  const [a, b] = [momentsOf(first), momentsOf(second)]
  return (a.mean - b.mean) / Math.sqrt(a.variance / first.length + b.variance / second.length)
}

function momentsOf(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, variance: squares / (values.length - 1) }
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
