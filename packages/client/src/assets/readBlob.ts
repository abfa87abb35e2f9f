import type { Bytes } from '@blindkeep/protocol/bytes'
import type { Environment } from '../ground/environment.ts'
import type { Call } from '../http/call.ts'
import { openDownload } from '../http/download.ts'
import { AnswerError } from '../http/errors.ts'
import { firstBytesOf } from '../seal/byteReader.ts'
import { AssetError } from './assetError.ts'

export interface BlobReader {
  readonly call: Call
  readonly environment: Environment
}

interface WholeBlob {
  readonly hash: string
  /** Maximum length; a longer blob fails. */
  readonly bytesMax: number
  readonly signal?: AbortSignal | undefined
}

/** All bytes of a small blob. Throws `AssetError` when they do not have the given hash, and what a call throws. */
export async function readWholeBlob(
  { call, environment }: BlobReader,
  { hash, bytesMax, signal }: WholeBlob,
): Promise<Bytes> {
  const { body } = await call('blob', { path: { hash }, signal })
  // A blob that is too long is truncated here, and then has another hash.
  const bytes = await firstBytesOf(body, bytesMax)
  const running = environment.createHash()
  running.update(bytes)
  if (running.digest() !== hash)
    throw new AssetError('hash_differs', 'the server’s bytes do not have the requested hash')
  return bytes
}

/** A whole blob as a stream that goes on after a broken connection; unverified. */
export function downloadBlob(
  { call, environment }: BlobReader,
  { hash, signal }: { readonly hash: string; readonly signal?: AbortSignal | undefined },
): Promise<ReadableStream<Bytes>> {
  return openDownload({
    operation: 'blob',
    ask: (options) => call('blob', { path: { hash }, ...options }),
    signal,
    environment,
  })
}

/** The first bytes of a blob, or fewer when it is shorter; unverified. */
export async function readBlobStart(
  { call }: BlobReader,
  { hash, count, signal }: { readonly hash: string; readonly count: number; readonly signal?: AbortSignal | undefined },
): Promise<Bytes> {
  const { body } = await call('blob', { path: { hash }, headers: { Range: `bytes=0-${count - 1}` }, signal })
  return firstBytesOf(body, count)
}

interface BlobRange {
  readonly hash: string
  readonly from: number
  /** End, not included. */
  readonly to: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Exactly these bytes of a blob; unverified. Throws `AnswerError` for an answer with others, of which it reads no more
 * than the range has, and what a call throws.
 */
export async function readBlobRange({ call }: BlobReader, { hash, from, to, signal }: BlobRange): Promise<Bytes> {
  const headers = { Range: `bytes=${from}-${to - 1}` }
  const { status, headers: answered, body } = await call('blob', { path: { hash }, headers, signal })
  const isAsked = status === 206 && (answered.get('Content-Range') ?? '').startsWith(`bytes ${from}-${to - 1}/`)
  const bytes = isAsked ? await firstBytesOf(body, to - from) : undefined
  if (bytes?.length === to - from) return bytes
  if (bytes === undefined) await body.cancel()
  throw new AnswerError('blob', `it has other bytes than ${from} to ${to - 1}, which were asked for`)
}
