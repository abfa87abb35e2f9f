/** Turns errors into the reasons that the page shows, and says what another try would do. */

import {
  AddressError,
  AnswerError,
  LinkError,
  NetworkError,
  ProblemError,
  SendError,
  type SendStopReason,
  type SendTrouble,
  sendTroubleOf,
} from '@blindkeep/client/errors'
import { hasMoved } from '../../../common/address/hasMoved.ts'
import type { FailureReason, LinkFault, Retry } from '../../ground/messages.ts'

const STOPS: Readonly<Partial<Record<SendStopReason, FailureReason>>> = {
  link_closed: 'link_closed',
  link_full: 'link_full',
  too_large: 'too_large',
  owner_full: 'owner_full',
  inbox_full: 'inbox_full',
  session_unknown: 'damaged_on_the_way',
  session_failed: 'damaged_on_the_way',
  chunk_refused: 'chunk_refused',
  file_changed: 'file_changed',
  too_large_for_server: 'too_large_for_server',
  server_full: 'disk_full',
}

export function failureOf(error: unknown): FailureReason {
  if (hasMoved(error)) return 'server_moved'
  if (error instanceof SendError)
    return error.reason === 'server_unavailable' ? sendTroubleOf(error.cause) : (STOPS[error.reason] ?? 'refused')
  if (error instanceof LinkError) return endOf(error.reason) ?? 'refused'
  if (error instanceof NetworkError || isTemporaryProblem(error)) return sendTroubleOf(error)
  return error instanceof ProblemError || error instanceof AnswerError ? 'refused' : 'unexpected'
}

const ENDS: Readonly<Partial<Record<LinkFault, FailureReason>>> = {
  malformed: 'link_faulty',
  fragment_missing: 'link_faulty',
  words_altered: 'link_faulty',
  suite_unknown: 'link_faulty',
  key_swapped: 'key_swapped',
  server_moved: 'server_moved',
  other_address: 'other_address',
}

/** Why nothing at all can be sent any more, as far as the fault of the link says so. */
export function endOf(fault: LinkFault): FailureReason | undefined {
  return ENDS[fault]
}

function isTemporaryProblem(error: unknown): error is ProblemError {
  return error instanceof ProblemError && (error.status === 429 || error.status >= 500)
}

const RETRIES: Readonly<Record<FailureReason, Retry>> = {
  too_large: 'none',
  too_many: 'none',
  only_one: 'none',
  no_room: 'none',
  wrong_kind: 'none',
  wrong_content: 'none',
  no_connection: 'resume',
  busy: 'resume',
  storage_unavailable: 'resume',
  disk_full: 'resume',
  little_room: 'resume',
  server_failed: 'resume',
  link_closed: 'none',
  link_full: 'resume',
  owner_full: 'resume',
  inbox_full: 'resume',
  damaged_on_the_way: 'resume',
  chunk_refused: 'resume',
  file_changed: 'as_new_file',
  unreadable: 'resume',
  too_large_for_server: 'none',
  other_tab: 'none',
  link_faulty: 'none',
  key_swapped: 'none',
  server_moved: 'none',
  other_address: 'none',
  refused: 'resume',
  unexpected: 'resume',
}

export function retryOf(failure: FailureReason | undefined): Retry {
  return failure === undefined ? 'none' : RETRIES[failure]
}

const TROUBLES: Readonly<Record<SendTrouble, LinkFault>> = {
  no_connection: 'unreachable',
  busy: 'busy',
  storage_unavailable: 'server_failed',
  disk_full: 'server_failed',
  little_room: 'server_failed',
  server_failed: 'server_failed',
}

/** The failure can end by itself, so that the engine tries again. */
export function isTrouble(failure: FailureReason): failure is SendTrouble {
  return failure in TROUBLES
}

/** The fault that opening the link ended with. */
export function linkFaultOf(error: unknown): LinkFault {
  if (hasMoved(error)) return 'server_moved'
  if (error instanceof AddressError) return 'other_address'
  if (error instanceof LinkError) return error.reason
  if (error instanceof NetworkError || isTemporaryProblem(error)) return TROUBLES[sendTroubleOf(error)]
  const isClosed = error instanceof ProblemError && error.code === 'error.drop.link_not_found'
  return isClosed ? 'closed' : 'answer_broken'
}

/** Whether the fault can end by itself, so that asking again makes sense. */
export function isTemporary(fault: LinkFault): boolean {
  return fault === 'unreachable' || fault === 'busy' || fault === 'server_failed' || fault === 'answer_broken'
}
