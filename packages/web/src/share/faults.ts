/** What the page says of an error, and whether it asks for a passphrase instead. */
import { NetworkError, ProblemError, SealError, ShareError, type ShareFault } from '@blindkeep/client/errors'
import { hasMoved } from '../common/address/hasMoved.ts'
import type { share } from '../text/en/share.ts'

/** The faults that the page has texts for. */
export type Fault = keyof typeof share.faults

const FAULTS: Readonly<Record<ShareFault, Fault>> = {
  malformed: 'damaged',
  fragment_missing: 'fragment_missing',
  // Not reached: for these two the page asks for a passphrase (`passphraseReasonOf`).
  passphrase_missing: 'failed',
  passphrase_wrong: 'failed',
  index_swapped: 'tampered',
  index_invalid: 'tampered',
  index_unknown: 'newer',
  asset_differs: 'file_tampered',
  too_large: 'failed',
}

/** Why the page asks for a passphrase. */
export type PassphraseReason = 'at_first' | 'wrong' | 'limited'

/** Undefined for what another passphrase does not mend. */
export function passphraseReasonOf(error: unknown): PassphraseReason | undefined {
  if (error instanceof ProblemError && error.code === 'error.share.rate_limited') return 'limited'
  if (!(error instanceof ShareError)) return undefined
  if (error.reason === 'passphrase_missing') return 'at_first'
  return error.reason === 'passphrase_wrong' ? 'wrong' : undefined
}

/** The fault of the whole share. */
export function faultOf(error: unknown): Fault {
  if (error instanceof ShareError) return FAULTS[error.reason]
  if (error instanceof SealError) return 'tampered'
  if (error instanceof NetworkError) return 'unreachable'
  if (hasMoved(error)) return 'server_moved'
  if (!(error instanceof ProblemError)) return 'failed'
  if (error.code === 'error.share.used_up') return 'used_up'
  return error.code === 'error.share.not_found' ? 'dead' : 'failed'
}

/** The fault of one file. A `DOMException` comes from the browser while it writes to the disk. */
export function fileFaultOf(error: unknown): Fault {
  if (error instanceof SealError) return 'file_tampered'
  if (error instanceof DOMException) return 'disk'
  const fault = faultOf(error)
  return fault === 'dead' ? 'file_gone' : fault
}
