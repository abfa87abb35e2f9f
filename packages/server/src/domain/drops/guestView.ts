import { contentTypesOf } from '@blindkeep/protocol/window'
import type { Link } from '../../ports/store.ts'
import type { ShownRoom } from './shownRoom.ts'

/** A live link as a guest sees it. A full one shows zeros. */
export interface GuestView {
  readonly link: Link
  readonly contentTypes: readonly string[]
  readonly maxFileSize: number | undefined
  readonly remainingBytes: number | undefined
  readonly remainingFiles: number | undefined
  readonly isInboxFull: boolean
}

interface GuestRoom extends ShownRoom {
  readonly isInboxFull: boolean
}

export function guestView(link: Link, { ofLink, ofAccount, isInboxFull }: GuestRoom, blobBytesMax: number): GuestView {
  const { maxFileCount } = link
  const remainingBytes = Math.min(ofLink, ofAccount)
  return {
    link,
    contentTypes: contentTypesOf(link.protocolVersion),
    maxFileSize: link.maxFileSize === undefined ? undefined : maxFileBytes(link, blobBytesMax),
    remainingBytes: Number.isFinite(remainingBytes) ? remainingBytes : undefined,
    remainingFiles:
      maxFileCount === undefined ? undefined : Math.max(0, maxFileCount - link.landedFiles - link.openSessions),
    isInboxFull,
  }
}

export function maxFileBytes({ maxFileSize }: Link, blobBytesMax: number): number {
  return Math.min(maxFileSize ?? blobBytesMax, blobBytesMax)
}
