/** A text for every error of the client. Never shows text from the server, except the request's id. */
import {
  AccountError,
  AddressError,
  AnswerError,
  AssetError,
  AssetIncomplete,
  AssetMoveError,
  AssetUnsigned,
  AuditError,
  DropError,
  FeedRolledBack,
  NetworkError,
  PasswordWrong,
  ProblemError,
  RecoveryError,
  SealError,
  SendError,
  ShareError,
  WordsError,
} from '@blindkeep/client/errors'
import { SourceChanged } from '@blindkeep/client/source'
import { hasMoved } from '../../common/address/hasMoved.ts'
import { type Formats, formats } from '../../common/language/format.ts'
import { problems as german } from '../../text/de/problems.ts'
import { problems as english } from '../../text/en/problems.ts'
import { AuthenticatorError } from './authenticator.ts'

export const problemTexts = { en: english, de: german }

export const errorTexts = {
  en: (error: unknown) => errorText(error, english, formats.en),
  de: (error: unknown) => errorText(error, german, formats.de),
}

/** What happened and what to do, one to three sentences. */
function errorText(error: unknown, text: typeof english, format: Formats): string {
  if (error instanceof ProblemError) return problemText(error, text, format)
  if (error instanceof NetworkError) return text.network[error.failure]
  if (error instanceof AnswerError) return text.answer
  if (error instanceof PasswordWrong) return text.password
  if (error instanceof WordsError)
    return error.unknown === undefined
      ? text.words[error.reason]
      : text.unknownWord(error.unknown.place, error.unknown.word)
  if (error instanceof RecoveryError) return text.recovery[error.reason]
  if (error instanceof AccountError) return text.account[error.reason]
  if (error instanceof AuthenticatorError) return text.authenticator[error.reason]
  if (error instanceof AddressError) return text.address(error.given, error.found)
  return fileText(error, text)
}

/** For errors that are about one file. */
function fileText(error: unknown, text: typeof english): string {
  if (hasMoved(error)) return text.codes['error.server.moved']
  if (error instanceof SendError) return text.send[error.reason]
  if (error instanceof SealError) return text.seal
  if (error instanceof DropError) return text.asset.hash_differs
  if (error instanceof AssetError) return text.asset[error.reason]
  if (error instanceof AssetMoveError) return text.assetMove[error.reason]
  if (error instanceof AssetIncomplete) return text.incomplete
  if (error instanceof AssetUnsigned) return error.revoked === undefined ? text.unsigned : text.deviceRevoked
  if (error instanceof ShareError) return text.share[error.reason]
  if (error instanceof AuditError) return text.audit
  if (error instanceof FeedRolledBack) return text.rolledBack
  if (error instanceof SourceChanged) return text.sourceChanged
  return error instanceof DOMException && error.name === 'AbortError' ? text.aborted : text.unexpected
}

function problemText(error: ProblemError, text: typeof english, format: Formats): string {
  const { limit, retryAfterSeconds } = error
  const parts = [text.codes[error.code]]
  if (limit !== undefined) parts.push(text.limit(format.bytes(limit)))
  if (retryAfterSeconds !== undefined) parts.push(text.retryAfter(format.duration(retryAfterSeconds)))
  return parts.join(' ')
}

/** The operator finds the failure in the logs by this id; undefined when there is nothing to find. */
export function requestIdOf(error: unknown): string | undefined {
  if (error instanceof SendError) return requestIdOf(error.cause)
  return error instanceof ProblemError && (error.status >= 500 || error.code === 'unknown')
    ? error.requestId
    : undefined
}
