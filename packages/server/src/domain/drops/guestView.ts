import { contentTypesOf } from '@blindkeep/protocol/window'
import type { Link } from '../../ports/store.ts'

/** A live link as a guest sees it. A full one shows zeros. */
export interface GuestView {
  readonly link: Link
  readonly contentTypes: readonly string[]
  readonly maxFileSize: number | undefined
  readonly remainingBytes: number | undefined
  readonly remainingFiles: number | undefined
}

export function guestView(link: Link, blobBytesMax: number): GuestView {
  const { maxTotalBytes, maxFileCount } = link
  return {
    link,
    contentTypes: contentTypesOf(link.protocolVersion),
    maxFileSize: link.maxFileSize === undefined ? undefined : maxFileBytes(link, blobBytesMax),
    remainingBytes:
      maxTotalBytes === undefined ? undefined : roundedFreeBytes(maxTotalBytes, link.landedBytes + link.openBytes),
    remainingFiles:
      maxFileCount === undefined ? undefined : Math.max(0, maxFileCount - link.landedFiles - link.openSessions),
  }
}

export function maxFileBytes({ maxFileSize }: Link, blobBytesMax: number): number {
  return Math.min(maxFileSize ?? blobBytesMax, blobBytesMax)
}

/**
 * Free bytes, rounded down to one percent of the cap, so that no guest can compute another guest's file size from them. An unused link shows
 * its whole cap: a file that fits exactly must not look too large. In BigInt, because a hundred times a cap may exceed the safe integers.
 */
function roundedFreeBytes(capBytes: number, usedBytes: number): number {
  const freeBytes = Math.max(0, capBytes - usedBytes)
  if (capBytes <= 100) return freeBytes
  const cap = BigInt(capBytes)
  return Number((((BigInt(freeBytes) * 100n) / cap) * cap) / 100n)
}
