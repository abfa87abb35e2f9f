import type { ProblemError } from './errors.ts'

/** Why sending stopped, for programs. */
export type SendStopReason =
  | 'gave_up'
  | 'link_closed'
  | 'link_full'
  | 'passphrase_refused'
  | 'too_large'
  | 'owner_full'
  | 'session_gone'
  | 'session_failed'
  | 'chunk_refused'
  | 'file_changed'
  | 'refused'

/** `resume`: the same state, later. `start_anew`: `startAnew(state)`, nothing is hashed again. `prepare_anew`: the file itself has to be prepared again. */
export type SendRemedy = 'resume' | 'start_anew' | 'prepare_anew' | 'none'

interface Stop {
  readonly what: string
  readonly advice: string
  readonly remedy: SendRemedy
}

const STOPS: Readonly<Record<SendStopReason, Stop>> = {
  gave_up: {
    what: 'The server could not be reached or could not take the file, many times in a row.',
    advice: 'What it has kept stays there for a day. Try again later: the upload goes on where it stopped.',
    remedy: 'resume',
  },
  link_closed: {
    what: 'This link takes no files.',
    advice: 'It expired, was used up or withdrawn. Ask the person who sent it for a new one.',
    remedy: 'none',
  },
  link_full: {
    what: 'The link is full, or uploads under way have reserved what is left of it.',
    advice: 'Wait until they end, or ask the owner for a new link.',
    remedy: 'start_anew',
  },
  passphrase_refused: {
    what: 'The passphrase is missing or wrong.',
    advice: 'Ask the owner of the link for it, and prepare the file with it.',
    remedy: 'prepare_anew',
  },
  too_large: {
    what: 'The sealed file is larger than the link takes.',
    advice: 'Ask the owner for a link with a higher limit.',
    remedy: 'none',
  },
  owner_full: {
    what: 'The storage of the receiving account is full.',
    advice: 'Tell the owner; once space is free, try again.',
    remedy: 'start_anew',
  },
  session_gone: {
    what: 'The server does not know this upload any more: it was cancelled, ran out, or its link was withdrawn.',
    advice: 'Start it anew. If the link was withdrawn, ask the owner for a new one.',
    remedy: 'start_anew',
  },
  session_failed: {
    what: 'What arrived at the server does not hash to what was sent, so it kept nothing.',
    advice: 'Start anew. If it happens again, the line or the disk is at fault.',
    remedy: 'start_anew',
  },
  chunk_refused: {
    what: 'Even the smallest chunk is too large for the server or for something in front of it.',
    advice: 'Tell the operator of the server that chunks of 256 KiB have to pass.',
    remedy: 'resume',
  },
  file_changed: {
    what: 'The file is not the one that was prepared.',
    advice: 'Prepare it again: a changed file gets a new key.',
    remedy: 'prepare_anew',
  },
  refused: {
    what: 'The server refuses this upload.',
    advice: 'Try to start it anew; if that fails, tell the operator the request id.',
    remedy: 'start_anew',
  },
}

/** Sending has stopped. The message says what to do; `remedy` says it to programs. */
export class SendError extends Error {
  override readonly name = 'SendError'
  readonly reason: SendStopReason
  readonly remedy: SendRemedy

  constructor(reason: SendStopReason, cause?: Error) {
    const { what, advice, remedy } = STOPS[reason]
    super(`${what} ${advice}`, cause === undefined ? {} : { cause })
    this.reason = reason
    this.remedy = remedy
  }
}

/** Undefined for what another try may cure. */
export function stopReasonOf(problem: ProblemError): SendStopReason | undefined {
  switch (problem.code) {
    case 'error.drop.link_not_found':
      return 'link_closed'
    case 'error.drop.cap_exhausted':
      return 'link_full'
    case 'error.drop.passphrase_required':
      return 'passphrase_refused'
    case 'error.drop.file_too_large':
      return 'too_large'
    case 'error.quota.exceeded':
      return 'owner_full'
    case 'error.upload.session_not_found':
      return 'session_gone'
    case 'error.upload.content_hash_mismatch':
      return 'session_failed'
    case 'error.upload.size_exceeded':
    case 'error.upload.too_many_chunks':
      return 'refused'
    case 'error.upload.session_closed':
    case 'error.upload.offset_mismatch':
    case 'error.upload.chunk_conflict':
    case 'error.upload.checksum_mismatch':
    case 'error.request.payload_too_large':
      return undefined
    default:
      return mayPass(problem.status) ? undefined : 'refused'
  }
}

/** 408 and 425 come from proxies, 429 and 5xx from a server that is busy, broken or starting. */
function mayPass(status: number): boolean {
  return status === 408 || status === 425 || status === 413 || status === 429 || status >= 500
}
