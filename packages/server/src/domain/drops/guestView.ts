import { contentTypesOf } from '@blindkeep/protocol/window'
import type { Link } from '../../ports/store.ts'
import type { ShownRoom } from './shownRoom.ts'

/** A live link as a guest sees it. A full one shows zeros. */
export interface GuestView {
  readonly link: Link
  readonly sealedTitle: Uint8Array | undefined
  readonly contentTypes: readonly string[]
  readonly maxFileSize: number | undefined
  readonly remainingBytes: number | undefined
  readonly remainingFiles: number | undefined
  readonly isInboxFull: boolean
}

type GuestFacts = ShownRoom & Pick<GuestView, 'sealedTitle' | 'isInboxFull'>

export function guestView(link: Link, { ofLink, ofAccount, ...facts }: GuestFacts, blobBytesMax: number): GuestView {
  const { maxFileCount } = link
  const remainingBytes = Math.min(ofLink, ofAccount)
  return {
    ...facts,
    link,
    contentTypes: contentTypesOf(link.protocolVersion),
    maxFileSize: link.maxFileSize === undefined ? undefined : maxFileBytes(link, blobBytesMax),
    remainingBytes: Number.isFinite(remainingBytes) ? remainingBytes : undefined,
    remainingFiles:
      maxFileCount === undefined ? undefined : Math.max(0, maxFileCount - link.landedFiles - link.openSessions),
  }
}

export function maxFileBytes({ maxFileSize }: Link, blobBytesMax: number): number {
  return Math.min(maxFileSize ?? blobBytesMax, blobBytesMax)
}
