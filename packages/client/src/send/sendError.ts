import { ReasonedError } from '@blindkeep/protocol/reasonedError'
import type { ProblemError } from '../http/errors.ts'

/** Why sending stopped, for programs. */
export type SendStopReason =
  | 'server_unavailable'
  | 'server_full'
  | 'link_closed'
  | 'link_full'
  | 'passphrase_refused'
  | 'too_large'
  | 'owner_full'
  | 'inbox_full'
  | 'session_unknown'
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
  | 'version_unknown'
  | 'refused'

/** `resume`: send the same state later. `restart`: send `forNewSession(state)`. `prepare_again`: prepare it again. */
export type SendRemedy = 'resume' | 'restart' | 'prepare_again' | 'none'

interface Stop {
  readonly what: string
  readonly advice: string
  readonly remedy: SendRemedy
}

const STOPS: Readonly<Record<SendStopReason, Stop>> = {
  server_unavailable: {
    what: 'The server could not be reached or could not take the file, many times in a row.',
    advice: 'It keeps what it has received for a day. Try again later: the upload resumes where it stopped.',
    remedy: 'resume',
  },
  server_full: {
    what: 'The server has no room for this file: its disk is full.',
    advice: 'It keeps nothing of it, so that smaller files have room. Try again later, or tell its operator.',
    remedy: 'restart',
  },
  link_closed: {
    what: 'This link does not accept files.',
    advice: 'It has expired, was used up or was revoked. Ask the person who sent it for a new one.',
    remedy: 'none',
  },
  link_full: {
    what: 'The link is full, or uploads in progress have reserved the rest of it.',
    advice: 'Wait until they end, or ask the owner for a new link.',
    remedy: 'restart',
  },
  passphrase_refused: {
    what: 'The passphrase is missing or wrong.',
    advice: 'Ask the owner of the link for it, and prepare the file with it.',
    remedy: 'prepare_again',
  },
  too_large: {
    what: 'The sealed file is larger than the link accepts.',
    advice: 'Ask the owner for a link with a higher limit.',
    remedy: 'none',
  },
  owner_full: {
    what: 'The storage of the receiving account is full.',
    advice: 'Tell the owner; once space is free, try again.',
    remedy: 'restart',
  },
  inbox_full: {
    what: 'The inbox of the person who made this link is full: too many files wait there.',
    advice: 'Tell them; once they have taken some out, try again.',
    remedy: 'restart',
  },
  session_unknown: {
    what: 'The server does not know this upload any more: it was cancelled, has expired, or its link was revoked.',
    advice: 'Start it again. If the link was revoked, ask the owner for a new one.',
    remedy: 'restart',
  },
  session_failed: {
    what: 'The bytes that the server received do not have the hash of the bytes that were sent, so it kept nothing.',
    advice: 'Start again. If it happens again, the connection or the server’s disk is at fault.',
    remedy: 'restart',
  },
  chunk_refused: {
    what: 'Even the smallest chunk is too large for the server or for something in front of it.',
    advice: 'Tell the operator of the server that chunks of 256 KiB must be accepted.',
    remedy: 'resume',
  },
  file_changed: {
    what: 'The file was changed while it was being sent.',
    advice: 'Nothing that changed was sent. Send it again once no program writes to it, or send a copy of it.',
    remedy: 'prepare_again',
  },
  storage_full: {
    what: 'Your storage is full.',
    advice: 'Free some, or ask the operator of the server for more; then continue.',
    remedy: 'resume',
  },
  too_large_for_server: {
    what: 'The sealed file is larger than the server accepts.',
    advice: 'Only its operator can raise the limit.',
    remedy: 'none',
  },
  too_many_uploads: {
    what: 'The account has its maximum of uploads in progress, or the asset its maximum of blobs.',
    advice: 'Wait until others have ended, or cancel some; then continue.',
    remedy: 'resume',
  },
  signed_out: {
    what: 'The session of this account is over.',
    advice: 'Sign in again; then the upload resumes where it stopped.',
    remedy: 'resume',
  },
  suspended: {
    what: 'The account is suspended: it can read and delete, and cannot write.',
    advice: 'Ask the operator of the server.',
    remedy: 'resume',
  },
  device_refused: {
    what: 'This device may not write for the account: it was never added, or it was revoked.',
    advice: 'Add a new device and prepare the file with it.',
    remedy: 'prepare_again',
  },
  album_refused: {
    what: 'The server does not know the album as one of this account’s.',
    advice: 'List the albums, and prepare the file for one of them.',
    remedy: 'prepare_again',
  },
  asset_taken: {
    what: 'The asset already has, or expects, another blob in this role, or was deleted.',
    advice: 'Look at the asset; if it is not what you want, prepare the file again.',
    remedy: 'prepare_again',
  },
  manifest_refused: {
    what: 'The server refuses the signed manifest of this file.',
    advice: 'Check the clock of this device, and prepare the file again.',
    remedy: 'prepare_again',
  },
  version_refused: {
    what: 'The server accepts no more writes of this protocol version.',
    advice: 'Use a newer client, and prepare the file again.',
    remedy: 'prepare_again',
  },
  version_unknown: {
    what: 'The server accepts only protocol versions that this client does not know. Nothing was signed.',
    advice: 'Use a client of the same release as the server.',
    remedy: 'none',
  },
  refused: {
    what: 'The server refuses this upload.',
    advice: 'Start it again; if that fails, tell the operator the request id.',
    remedy: 'restart',
  },
}

/** Sending has stopped. The message advises people; programs use `remedy`. */
export class SendError extends ReasonedError<SendStopReason> {
  override readonly name = 'SendError'
  readonly remedy: SendRemedy

  constructor(reason: SendStopReason, cause?: Error) {
    const { what, advice, remedy } = STOPS[reason]
    super(reason, `${what} ${advice}`, cause === undefined ? {} : { cause })
    this.remedy = remedy
  }
}

type Handling = SendStopReason | 'retry'

const HANDLING: Readonly<Partial<Record<ProblemError['code'], Handling>>> = {
  'error.drop.link_not_found': 'link_closed',
  'error.drop.cap_exhausted': 'link_full',
  'error.drop.inbox_full': 'inbox_full',
  'error.drop.passphrase_required': 'passphrase_refused',
  'error.drop.file_too_large': 'too_large',
  'error.upload.session_not_found': 'session_unknown',
  'error.upload.content_hash_mismatch': 'session_failed',
  'error.upload.size_exceeded': 'refused',
  'error.upload.too_many_chunks': 'refused',
  'error.upload.session_closed': 'retry',
  'error.upload.offset_mismatch': 'retry',
  'error.upload.chunk_conflict': 'retry',
  'error.upload.checksum_mismatch': 'retry',
  'error.request.payload_too_large': 'retry',
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
  'error.manifest.retention_too_long': 'manifest_refused',
  'error.protocol.version_unsupported': 'version_refused',
}

/** Undefined when a retry may succeed. */
export function stopReasonOf({ code, status, operation }: ProblemError): SendStopReason | undefined {
  // A guest's file counts against the quota of the owner, whom the guest has to tell.
  if (code === 'error.quota.exceeded') return operation === 'createUpload' ? 'storage_full' : 'owner_full'
  const handling = HANDLING[code] ?? (isTransient(status) ? 'retry' : 'refused')
  return handling === 'retry' ? undefined : handling
}

/** 408: the connection was too slow. 425: proxies. 429 and 5xx: a server that is busy, broken or starting. */
function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 413 || status === 429 || status >= 500
}
