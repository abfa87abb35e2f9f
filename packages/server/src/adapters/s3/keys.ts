import { Readable } from 'node:stream'
import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { ByteRange } from '../../ports/objects.ts'
import { MAX_ATTEMPTS } from './attempts.ts'
import type { Client, Lane } from './client.ts'
import { BrokenOff, isBeyondEnd } from './failure.ts'
import { wasRead } from './readBuffers.ts'
import type { Spooled } from './spool.ts'

/** The slowest line that still counts as working. A call that sends bytes has more time by it. */
const SLOWEST_BYTES_PER_SECOND = 256 * 1024
/** Bytes in the line that may not have left. Before them, each piece that is taken shows that the call works. */
const MAX_BYTES_IN_LINE = 1_536 * 1024

export function timeToSend(bytes: number): number {
  return (Math.min(bytes, MAX_BYTES_IN_LINE) / SLOWEST_BYTES_PER_SECOND) * 1000
}

interface Putting {
  readonly signal?: AbortSignal
  /** The store refuses the bytes if it has the key already. Not every store knows this. */
  readonly onlyNew?: boolean
}

/** Stores the spooled bytes at `key`, which must be new. */
export async function putKey(client: Client, key: string, spooled: Spooled, options: Putting = {}): Promise<void> {
  const { address, sdk } = client
  const { size: ContentLength, sha256: ChecksumSHA256 } = spooled
  const { signal, onlyNew = false } = options
  const call = { operation: 'take an object', lane: 'chunks', signal, moreMs: timeToSend(spooled.size) } as const
  const place = { Bucket: address.bucket, Key: key, ...(onlyNew && { IfNoneMatch: '*' }) }
  await client.call(call, (s3, abort, progress) => {
    const input = { ...place, Body: spooled.body(progress), ContentLength, ChecksumSHA256 }
    return s3.send(new sdk.PutObjectCommand(input), abort)
  })
}

/**
 * How many bytes the key has, by a GET of its byte at `at`. Not by HEAD: two well-known stores answer HEAD for what
 * they have lost. Throws `S3Refusal`, also if there is no such key.
 */
export async function sizeOfKey(client: Client, key: string, at: number): Promise<number> {
  const getting = { lane: 'verification' } as const
  try {
    const { body, total } = await getKey(client, key, { start: at, end: at + 1 }, getting)
    for await (const _ of piecesOf(body, client.answerMs, undefined));
    return total
  } catch (error) {
    if (!isBeyondEnd(error)) throw error
    // Empty, or shorter than expected. The head of an answer with all bytes says how short.
    const { body, total } = await getKey(client, key, undefined, getting)
    body.destroy()
    return total
  }
}

interface Getting {
  readonly lane: Lane
  readonly signal?: AbortSignal | undefined
}

/** Reads a span and continues a broken answer. Ends early for a shorter key. Throws `S3Refusal`, also for no key. */
export async function* readKey(
  client: Client,
  key: string,
  span: ByteRange,
  getting: Getting,
): AsyncGenerator<Uint8Array> {
  let position = span.start
  let failures = 0
  while (position < span.end) {
    const { body, total } = await getSome(client, key, { start: position, end: span.end }, getting)
    const end = Math.min(total, span.end)
    try {
      for await (const piece of piecesOf(body, client.answerMs, getting.signal)) {
        position += piece.length
        failures = 0
        yield piece
        wasRead(piece)
      }
      if (position < end) throw new BrokenOff()
      return
    } catch (error) {
      getting.signal?.throwIfAborted()
      failures += 1
      if (!(error instanceof BrokenOff) || failures >= MAX_ATTEMPTS) throw error
    }
  }
}

/** A span that begins behind the end of the key is empty. */
async function getSome(client: Client, key: string, span: ByteRange, getting: Getting): Promise<Gotten> {
  try {
    return await getKey(client, key, span, getting)
  } catch (error) {
    if (!isBeyondEnd(error)) throw error
    return { body: Readable.from([]), total: 0 }
  }
}

interface Gotten {
  readonly body: Readable
  /** All bytes of the key, not only those of the span. */
  readonly total: number
}

async function getKey(
  client: Client,
  key: string,
  span: ByteRange | undefined,
  { lane, signal }: Getting,
): Promise<Gotten> {
  const body = await client.get({ operation: 'read an object', lane, signal }, key, span)
  // `piecesOf` reports what breaks; there is no other listener.
  body.on('error', () => undefined)
  const { 'content-range': range, 'content-length': length } = body.headers
  const total = span === undefined ? Number(length) : totalIn(range, span)
  if (total !== undefined && !Number.isNaN(total)) return { body, total }
  body.destroy()
  throw new StorageUnavailable('the object store sent another range than it was asked for')
}

/** `bytes 5-9/10`. Undefined unless it begins where it should: a store that ignores ranges gives wrong bytes. */
function totalIn(contentRange: string | undefined, span: ByteRange): number | undefined {
  const match = /^bytes (\d+)-\d+\/(\d+)$/.exec(contentRange ?? '')
  return match !== null && Number(match[1]) === span.start ? Number(match[2]) : undefined
}

/** Pieces of an answer. Throws `BrokenOff` for a break, or nothing for `idleMs` (a slow consumer's time aside). */
async function* piecesOf(body: Readable, idleMs: number, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
  const stop = () => body.destroy(new BrokenOff())
  signal?.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      signal?.throwIfAborted()
      const timer = setTimeout(stop, idleMs)
      const step = await pieces
        .next()
        .catch(brokenOff)
        .finally(() => clearTimeout(timer))
      if (step.done === true) return
      yield step.value
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    body.destroy()
  }
}

function brokenOff(): never {
  throw new BrokenOff()
}

/** No error without the key. One by one: not every store removes many, and such answers hide single failures. */
export async function removeKey(client: Client, key: string): Promise<void> {
  const { address, sdk } = client
  await client.call({ operation: 'remove an object', lane: 'removal' }, (s3, abort) =>
    s3.send(new sdk.DeleteObjectCommand({ Bucket: address.bucket, Key: key }), abort),
  )
}

export interface Age {
  /** By the store's clock. */
  readonly ageSeconds: number
}

/** Every key that begins with `prefix`, in the order of its bytes. */
export async function* listKeys(client: Client, prefix: string): AsyncGenerator<Age & { readonly key: string }> {
  const { address, sdk } = client
  let token: string | undefined
  do {
    const input = { Bucket: address.bucket, Prefix: prefix, ...(token !== undefined && { ContinuationToken: token }) }
    const page: ListObjectsV2CommandOutput = await client.call(
      { operation: 'list objects', lane: 'removal' },
      (s3, abort) => s3.send(new sdk.ListObjectsV2Command(input), abort),
    )
    for (const { Key, LastModified } of page.Contents ?? [])
      if (Key !== undefined) yield { key: Key, ageSeconds: ageAt(page, LastModified) }
    if (page.IsTruncated === true && page.NextContinuationToken === undefined)
      throw new StorageUnavailable('the object store cut its listing short')
    token = page.NextContinuationToken
  } while (token !== undefined)
}

/** How old something is at the date of an answer: our own clock may be wrong, and a young key must not look old. */
export function ageAt({ $metadata }: { readonly $metadata: object }, since: Date | undefined): number {
  const now = Date.parse('date' in $metadata ? String($metadata.date) : '')
  return Number.isNaN(now) || since === undefined ? 0 : Math.max(0, (now - since.getTime()) / 1000)
}
