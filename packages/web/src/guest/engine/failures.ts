/** Turns errors into the reasons that the page shows, and says what another try would do. */

import {
  AnswerError,
  LinkError,
  NetworkError,
  ProblemError,
  SendError,
  type SendStopReason,
} from '@blindkeep/client/errors'
import type { FailureReason, LinkFault, Retry } from '../messages.ts'

const STOPS: Readonly<Partial<Record<SendStopReason, FailureReason>>> = {
  server_unavailable: 'no_connection',
  link_closed: 'link_closed',
  link_full: 'link_full',
  too_large: 'too_large',
  owner_full: 'owner_full',
  session_unknown: 'damaged_on_the_way',
  session_failed: 'damaged_on_the_way',
  chunk_refused: 'chunk_refused',
  file_changed: 'file_changed',
  too_large_for_server: 'too_large_for_server',
}

export function failureOf(error: unknown): FailureReason {
  if (error instanceof SendError) {
    const { cause } = error
    // The server answered, so the connection is not at fault.
    if (error.reason === 'server_unavailable' && (cause === undefined || cause instanceof ProblemError)) return 'busy'
    return STOPS[error.reason] ?? 'refused'
  }
  if (error instanceof LinkError) return error.reason === 'key_swapped' ? 'key_swapped' : 'link_closed'
  if (error instanceof NetworkError) return 'no_connection'
  return error instanceof ProblemError || error instanceof AnswerError ? 'refused' : 'unexpected'
}

const RETRIES: Readonly<Record<FailureReason, Retry>> = {
  too_large: 'none',
  too_many: 'none',
  no_room: 'none',
  no_connection: 'resume',
  busy: 'resume',
  link_closed: 'none',
  link_full: 'resume',
  owner_full: 'resume',
  damaged_on_the_way: 'resume',
  chunk_refused: 'resume',
  file_changed: 'as_new_file',
  unreadable: 'resume',
  too_large_for_server: 'none',
  other_tab: 'none',
  key_swapped: 'none',
  refused: 'resume',
  unexpected: 'resume',
}

export function retryOf(failure: FailureReason | undefined): Retry {
  return failure === undefined ? 'none' : RETRIES[failure]
}

/** The fault that opening the link ended with. */
export function linkFaultOf(error: unknown): LinkFault {
  if (error instanceof LinkError) return error.reason
  if (error instanceof NetworkError) return 'unreachable'
  if (!(error instanceof ProblemError)) return 'answer_broken'
  if (error.code === 'error.drop.link_not_found') return 'closed'
  return error.status === 429 ? 'busy' : error.status >= 500 ? 'unreachable' : 'answer_broken'
}

/** Whether the fault can end by itself, so that asking again makes sense. */
export function isTemporary(fault: LinkFault): boolean {
  return fault === 'unreachable' || fault === 'busy' || fault === 'answer_broken'
}
