import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { S3Error } from './errors.ts'

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Each request has it, if there is one. */
  readonly sessionToken?: string
  /** By the store's clock. */
  readonly endsAt?: number
}

/** A request is refused if its date differs from the store's by more. */
const MAX_SKEW_MS = 15 * 60 * 1000

const authorizationForm =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/

/** Checks a request's signature (AWS Signature Version 4, header). Throws `S3Error`. `now`: the store's clock. */
export function checkSignature(request: IncomingMessage, known: readonly Credentials[], now: number): void {
  const match = authorizationForm.exec(request.headers.authorization ?? '')
  if (match === null) throw new S3Error('AccessDenied', 'the request is not signed')
  const [, keyId = '', day = '', region = '', signed = '', signature = ''] = match
  const credentials = known.find(({ accessKeyId }) => accessKeyId === keyId)
  if (credentials === undefined) throw new S3Error('InvalidAccessKeyId')
  if (request.headers['x-amz-security-token'] !== credentials.sessionToken) throw new S3Error('InvalidToken')
  if (credentials.endsAt !== undefined && credentials.endsAt <= now) throw new S3Error('ExpiredToken')
  const date = header(request, 'x-amz-date')
  if (Math.abs(instantOf(date) - now) > MAX_SKEW_MS) throw new S3Error('RequestTimeTooSkewed')
  checkSignedHeaders(request, signed.split(';'))
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonicalRequest(request, signed.split(';')))].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce(
    (above: string | Buffer, part) => hmac(above, part),
    `AWS4${credentials.secretAccessKey}`,
  )
  if (!timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex'))) throw new S3Error('SignatureDoesNotMatch')
}

/** `host` and every header of Amazon's have to be signed: an unsigned one could be added on the way. */
function checkSignedHeaders(request: IncomingMessage, signed: readonly string[]): void {
  const wanted = ['host', ...Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'))]
  const unsigned = wanted.find((name) => !signed.includes(name))
  if (unsigned !== undefined) throw new S3Error('AccessDenied', `the header ${unsigned} is not signed`)
}

function canonicalRequest(request: IncomingMessage, signed: readonly string[]): string {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  const parameters = query
    .split('&')
    .filter((each) => each !== '')
    .map((each) => (each.includes('=') ? each : `${each}=`))
  return [
    request.method,
    path,
    parameters.toSorted().join('&'),
    ...signed.map((name) => `${name}:${header(request, name).trim().replaceAll(/ +/g, ' ')}`),
    '',
    signed.join(';'),
    header(request, 'x-amz-content-sha256'),
  ].join('\n')
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name]
  if (typeof value !== 'string') throw new S3Error('AccessDenied', `the header ${name} is missing`)
  return value
}

/** `20260101T000000Z` as milliseconds. */
function instantOf(date: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date)
  if (match === null) throw new S3Error('AccessDenied', 'x-amz-date is not a date')
  const [, year, month, day, hour, minute, second] = match
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
