import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { S3Address } from './address.ts'

/** What the store answered about one key or upload. Only callers inside this adapter see it. */
export class S3Refusal extends StorageUnavailable {
  readonly code: string

  constructor(code: string, words: string) {
    super(words)
    this.code = code
  }
}

/** The store knows no such key: a loss only after the marker was read. Other 404s also come from proxies. */
export function isNoSuchKey(error: unknown): boolean {
  return error instanceof S3Refusal && error.code === 'NoSuchKey'
}

export function isNoSuchUpload(error: unknown): boolean {
  return error instanceof S3Refusal && error.code === 'NoSuchUpload'
}

/** A lifecycle rule has moved the key to an archive class: its bytes are not given before it is restored. */
export function isArchived(error: unknown): boolean {
  return error instanceof S3Refusal && error.code === 'InvalidObjectState'
}

/** The asked range starts behind the end of the object. */
export function isBeyondEnd(error: unknown): boolean {
  return error instanceof S3Refusal && error.code === 'InvalidRange'
}

/** An answer ended before its last byte, or stopped coming. */
export class BrokenOff extends StorageUnavailable {
  constructor() {
    super('an answer of the object store broke off')
  }
}

interface ReadError {
  /** The store's code, the system's code, or the name of the error. */
  readonly code: string
  readonly status: number | undefined
  readonly isPassing: boolean
}

/** What failed, in our words. The library's error is no cause: it holds the signed request, and causes are logged. */
export function failureOf(operation: string, error: ReadError): S3Refusal {
  const status = error.status === undefined ? '' : ` (${error.status})`
  return new S3Refusal(error.code, `the object store failed to ${operation}: ${error.code}${status}`)
}

/** What an operator can do about a code of the store or the system. */
const HELP: Readonly<Record<string, string>> = {
  NoSuchBucket: 'create the bucket, or correct BLOBS_URL',
  ExpiredToken: 'give credentials that renew themselves, or new ones in S3_CREDENTIALS_FILE',
  InvalidAccessKeyId: 'check AWS_ACCESS_KEY_ID, or S3_CREDENTIALS_FILE',
  SignatureDoesNotMatch: 'check AWS_SECRET_ACCESS_KEY, or S3_CREDENTIALS_FILE, and the region in BLOBS_URL',
  AuthorizationHeaderMalformed: 'check the region in BLOBS_URL',
  InvalidObjectState: 'restore what the bucket has archived, and remove its lifecycle rule',
  AccessDenied: 'allow these credentials to read, write, list and remove below the prefix',
}

/** For a start: names the place, and what the operator can do. */
export function unusable({ bucket, endpoint }: S3Address, { code, message }: S3Refusal): S3Refusal {
  const place = endpoint === undefined ? bucket : `${bucket} at ${endpoint}`
  const help = HELP[code] ?? 'check that the store runs and can be reached at this address'
  return new S3Refusal(code, `the bucket ${place} cannot be used: ${message}. Next: ${help}.`)
}

const codeForm = /^[A-Za-z0-9_.-]{1,60}$/
const PASSING_STATUSES: readonly number[] = [408, 429, 500, 502, 503, 504]
const PASSING_CODES: readonly string[] = [
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'SlowDown',
  'InternalError',
  // By the store’s clock. The library is renewing them.
  'ExpiredToken',
  'TimeoutError',
]

/** Reads an error of the library. It may pass if the store did not answer, or says so itself. */
export function readError(error: unknown): ReadError {
  const { name, code, $metadata } = (error ?? {}) as {
    readonly name?: unknown
    readonly code?: unknown
    readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number }
  }
  const status = $metadata?.httpStatusCode
  const text = [code, name].find((each): each is string => typeof each === 'string' && codeForm.test(each)) ?? 'unknown'
  const isPassing = PASSING_CODES.includes(text) || status === undefined || PASSING_STATUSES.includes(status)
  return { code: text, status, isPassing }
}
