import type { ProblemError } from '../http/errors.ts'

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
  | 'storage_full'
  | 'too_large_for_server'
  | 'too_many_uploads'
  | 'signed_out'
  | 'suspended'
  | 'device_refused'
  | 'album_refused'
  | 'asset_taken'
  | 'manifest_refused'
  | 'version_refused'
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
  storage_full: {
    what: 'Your storage is full.',
    advice: 'Free some, or ask the operator of the server for more; then go on.',
    remedy: 'resume',
  },
  too_large_for_server: {
    what: 'The sealed file is larger than the server takes.',
    advice: 'Only its operator can raise the limit.',
    remedy: 'none',
  },
  too_many_uploads: {
    what: 'The account has as many uploads under way, or the asset as many blobs, as it may.',
    advice: 'Wait until others have ended, or cancel some; then go on.',
    remedy: 'resume',
  },
  signed_out: {
    what: 'The session of this account is over.',
    advice: 'Sign in again; then the upload goes on where it stopped.',
    remedy: 'resume',
  },
  suspended: {
    what: 'The account is suspended: it can read and free what it holds, and write nothing.',
    advice: 'Ask the operator of the server.',
    remedy: 'resume',
  },
  device_refused: {
    what: 'This device may not write for the account: it was never added, or was revoked.',
    advice: 'Add a new device and prepare the file with it.',
    remedy: 'prepare_anew',
  },
  album_refused: {
    what: 'The server does not know the album as one of this account.',
    advice: 'List the albums, and prepare the file for one of them.',
    remedy: 'prepare_anew',
  },
  asset_taken: {
    what: 'The asset holds, or awaits, another blob in this place, or was deleted.',
    advice: 'Look at the asset; if it is not what you want, prepare the file again.',
    remedy: 'prepare_anew',
  },
  manifest_refused: {
    what: 'The server does not take the manifest that was signed for this file.',
    advice: 'Check the clock of this device, and prepare the file again.',
    remedy: 'prepare_anew',
  },
  version_refused: {
    what: 'The server takes no more writes of this protocol version.',
    advice: 'Use a newer client, and prepare the file again.',
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

type Verdict = SendStopReason | 'another_try'

const VERDICTS: Readonly<Partial<Record<ProblemError['code'], Verdict>>> = {
  'error.drop.link_not_found': 'link_closed',
  'error.drop.cap_exhausted': 'link_full',
  'error.drop.passphrase_required': 'passphrase_refused',
  'error.drop.file_too_large': 'too_large',
  'error.upload.session_not_found': 'session_gone',
  'error.upload.content_hash_mismatch': 'session_failed',
  'error.upload.size_exceeded': 'refused',
  'error.upload.too_many_chunks': 'refused',
  'error.upload.session_closed': 'another_try',
  'error.upload.offset_mismatch': 'another_try',
  'error.upload.chunk_conflict': 'another_try',
  'error.upload.checksum_mismatch': 'another_try',
  'error.request.payload_too_large': 'another_try',
  'error.upload.file_too_large': 'too_large_for_server',
  'error.request.limit_reached': 'too_many_uploads',
  'error.request.unauthenticated': 'signed_out',
  'error.auth.session_expired': 'signed_out',
  'error.account.suspended': 'suspended',
  'error.device.not_authorized': 'device_refused',
  'error.album.not_available': 'album_refused',
  'error.asset.id_taken': 'asset_taken',
  'error.manifest.stale': 'asset_taken',
  'error.manifest.invalid': 'manifest_refused',
  'error.manifest.mismatch': 'manifest_refused',
  'error.manifest.suite_unknown': 'manifest_refused',
  'error.manifest.timestamp_out_of_range': 'manifest_refused',
  'error.protocol.version_unsupported': 'version_refused',
}

/** Undefined for what another try may cure. */
export function stopReasonOf({ code, status, operation }: ProblemError): SendStopReason | undefined {
  // A guest's file fills the storage of somebody else, whom the guest has to tell.
  if (code === 'error.quota.exceeded') return operation === 'createUpload' ? 'storage_full' : 'owner_full'
  const verdict = VERDICTS[code] ?? (mayPass(status) ? 'another_try' : 'refused')
  return verdict === 'another_try' ? undefined : verdict
}

/** 408 and 425 come from proxies, 429 and 5xx from a server that is busy, broken or starting. */
function mayPass(status: number): boolean {
  return status === 408 || status === 425 || status === 413 || status === 429 || status >= 500
}
