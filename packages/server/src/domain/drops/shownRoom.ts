/**
 * How many more bytes there is room for, as a guest of a link sees it: what is free, rounded down to a hundredth of the
 * limit. The size of another's file is not in plain view then, but a guest who tries sizes finds it, because what fits
 * is never refused (decisions/limits.md).
 */
import type { AccountUse, Link } from '../../ports/store.ts'

/** Bytes; infinite without a limit. */
export interface ShownRoom {
  readonly ofLink: number
  readonly ofAccount: number
}

export interface Owner extends Pick<AccountUse, 'usedBytes'> {
  readonly hardLimit: number | undefined
}

export function shownRoom(
  { maxTotalBytes = Number.POSITIVE_INFINITY, landedBytes, openBytes }: Link,
  { usedBytes, hardLimit = Number.POSITIVE_INFINITY }: Owner,
): ShownRoom {
  // Of the smaller limit: a hundredth of a large quota may be more than all that a link takes.
  const unit = Math.min(maxTotalBytes, hardLimit)
  return {
    ofLink: roundedDown(maxTotalBytes - landedBytes - openBytes, unit),
    ofAccount: roundedDown(hardLimit - usedBytes, unit),
  }
}

/** An unused link shows its whole cap: a fitting file must not look too large. BigInt: a hundred times a cap. */
function roundedDown(free: number, unit: number): number {
  const bytes = Math.max(0, free)
  if (unit <= 100 || !Number.isFinite(bytes)) return bytes
  const whole = BigInt(unit)
  return Number((((BigInt(bytes) * 100n) / whole) * whole) / 100n)
}
