import { AssetError, AssetIncomplete, AssetUnsigned } from '../assets/assetError.ts'
import { AddressError, AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { SealError } from '../seal/sealError.ts'
import { SendError } from '../send/sendError.ts'
import { AuditError } from './auditError.ts'

/** Why a file may not be destroyed, for programs. */
export type DoubtReason =
  | 'asset_missing'
  | 'incomplete'
  | 'unsigned'
  | 'device_revoked'
  | 'file_differs'
  | 'not_durable'
  | 'corrupt'
  | 'rate_limited'
  | 'not_examined'
  | 'tampered'
  | 'unreadable'
  | 'refused'
  | 'unreachable'
  | 'answer_broken'

export interface Doubt {
  readonly reason: DoubtReason
  /** For people. */
  readonly message: string
  /** The error behind it, if there is one. */
  readonly cause?: Error
}

const KEEP = 'Keep your copy.'

export function doubt(reason: DoubtReason, finding: string): Doubt {
  return { reason, message: `${finding} ${KEEP}` }
}

/** The doubt of a failure. Undefined for a fault of this program or disk, which answers nothing. */
export function doubtOf(error: unknown): Doubt | undefined {
  const reason = reasonOf(error)
  if (reason === undefined || !(error instanceof Error)) return undefined
  return { reason, message: `${messageOf(reason, error)} ${KEEP}`, cause: error }
}

function reasonOf(error: unknown): DoubtReason | undefined {
  if (error instanceof ProblemError) return isMissing(error) ? 'asset_missing' : 'refused'
  if (error instanceof NetworkError) return 'unreachable'
  if (error instanceof AnswerError || error instanceof AddressError) return 'answer_broken'
  if (error instanceof AssetIncomplete) return 'incomplete'
  if (error instanceof AssetUnsigned) return error.revoked === undefined ? 'unsigned' : 'device_revoked'
  if (error instanceof AuditError || error instanceof AssetError) return 'tampered'
  if (error instanceof SealError) return 'unreadable'
  return error instanceof SendError && error.reason === 'file_changed' ? 'file_differs' : undefined
}

function isMissing({ code }: ProblemError): boolean {
  const codes: readonly string[] = ['error.asset.not_found', 'error.storage.asset_not_found', 'error.blob.not_found']
  return codes.includes(code)
}

function messageOf(reason: DoubtReason, { message }: Error): string {
  if (reason === 'file_differs') return 'The file changed while it was compared.'
  return reason === 'unreadable' ? `The server’s data cannot be opened: ${message}.` : message
}
