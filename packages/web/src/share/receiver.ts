/** The part of a share's page that decrypts. It is loaded after the page is drawn, because it contains the client. */
import { NetworkError, ProblemError, SealError, ShareError, type ShareFault } from '@blindkeep/client/errors'
import { type OpenedShare, openShare, type ShareParts } from '@blindkeep/client/share'
import type { share } from '../text/en/share.ts'

export type { OpenedShare, SharedAsset } from '@blindkeep/client/share'

/** The faults that the page has texts for. */
export type Fault = keyof typeof share.faults

const FAULTS: Readonly<Record<ShareFault, Fault>> = {
  malformed: 'damaged',
  fragment_missing: 'fragment_missing',
  index_swapped: 'tampered',
  index_invalid: 'tampered',
  index_unknown: 'newer',
  asset_differs: 'file_tampered',
  too_large: 'failed',
}

export function open(parts: ShareParts): Promise<OpenedShare> {
  return openShare(parts)
}

/** The fault of the whole share. */
export function faultOf(error: unknown): Fault {
  if (error instanceof ShareError) return FAULTS[error.reason]
  if (error instanceof SealError) return 'tampered'
  if (error instanceof NetworkError) return 'unreachable'
  return error instanceof ProblemError && error.code === 'error.share.not_found' ? 'dead' : 'failed'
}

/** The fault of one file. A `DOMException` comes from the browser while it writes to the disk. */
export function fileFaultOf(error: unknown): Fault {
  if (error instanceof SealError) return 'file_tampered'
  if (error instanceof DOMException) return 'disk'
  const fault = faultOf(error)
  return fault === 'dead' ? 'file_gone' : fault
}
