/**
 * How many more bytes there is room for, as a guest of a link sees it: what is free, rounded down to a hundredth of the limit, so that no guest can compute the
 * size of another's file from it.
 *
 * A guest who opens sessions of chosen sizes, and looks on, moves the number to where it steps, and so learns one bit more each time: 27 find the exact size
 * of a file on a link of 10 GB. So a link counts few sessions exactly that have not landed (`openedSessions.ts`); the others count as rounded up, until they land.
 */
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { AccountUse, Link } from '../../ports/store.ts'

/** A guest's session that is open or finishing. */
export interface OnItsWay {
  readonly uploadId: UploadId
  readonly opaqueId: OpaqueId
  readonly size: number
  /** What it counts as. Undefined: its size. */
  readonly shownSize: number | undefined
}

/** Bytes; infinite without a limit. */
export interface ShownRoom {
  readonly ofLink: number
  readonly ofAccount: number
}

export interface Owner extends Pick<AccountUse, 'usedBytes'> {
  readonly hardLimit: number | undefined
}

export const BOUNDLESS: ShownRoom = { ofLink: Number.POSITIVE_INFINITY, ofAccount: Number.POSITIVE_INFINITY }

/** `onTheirWay`: all of the account's guests. */
export function shownRoom(link: Link, { usedBytes, hardLimit }: Owner, onTheirWay: readonly OnItsWay[]): ShownRoom {
  const { maxTotalBytes, landedBytes, openBytes, opaqueId } = link
  const unit = unitOf(link, hardLimit)
  const ofLink = onTheirWay.filter((upload) => upload.opaqueId === opaqueId)
  const free = (limit: number | undefined, used: number, uploads: readonly OnItsWay[]) =>
    limit === undefined ? Number.POSITIVE_INFINITY : roundedDown(limit - used - addedTo(uploads), unit)
  return {
    ofLink: free(maxTotalBytes, landedBytes + openBytes, ofLink),
    ofAccount: free(hardLimit, usedBytes, onTheirWay),
  }
}

/** Of a session that does not count exactly. */
export function shownSizeOf(size: number, link: Link, hardLimit: number | undefined): number {
  const step = Math.ceil(unitOf(link, hardLimit) / 100)
  return Number.isFinite(step) && step > 0 ? Math.ceil(size / step) * step : size
}

/** What is shown lies below what is free by less than this, with `count` sessions on their way. */
export function uncertainBytes(link: Link, hardLimit: number | undefined, count: number): number {
  return (count + 1) * Math.ceil(unitOf(link, hardLimit) / 100)
}

/** Of the smaller limit: a hundredth of a large quota may be more than all that a link takes. */
function unitOf({ maxTotalBytes = Number.POSITIVE_INFINITY }: Link, hardLimit = Number.POSITIVE_INFINITY): number {
  return Math.min(maxTotalBytes, hardLimit)
}

/** An unused link shows its whole cap: a file that fits exactly must not look too large. In BigInt, as a hundred times a cap may exceed the safe integers. */
function roundedDown(free: number, unit: number): number {
  const bytes = Math.max(0, free)
  if (unit <= 100) return bytes
  const whole = BigInt(unit)
  return Number((((BigInt(bytes) * 100n) / whole) * whole) / 100n)
}

function addedTo(uploads: readonly OnItsWay[]): number {
  return uploads.reduce((sum, { size, shownSize = size }) => sum + shownSize - size, 0)
}
