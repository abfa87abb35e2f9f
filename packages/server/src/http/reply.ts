import { createHash } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import type { Operation } from '@blindkeep/protocol/operations'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../domain/refusals.ts'
import type { AnyAnswer } from './call.ts'
import { problemAnswer } from './problem.ts'

/** What strangers wrote is never shown on our own origin. */
const STRANGERS_BYTES = {
  'Content-Type': 'application/octet-stream',
  'Content-Disposition': 'attachment',
  'Content-Security-Policy': "sandbox; default-src 'none'",
}
const PAGE = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Fastify asks for a handler, but `onRequest` answers. */
export async function answeredBefore(): Promise<never> {
  throw new Error('answered before')
}

/**
 * The answer, once the first of its bytes have been read: as long as nothing was sent, an object that cannot be read is a problem like any other.
 * One that ends early afterwards must not look whole, so then the connection is cut.
 */
export async function begun(answer: AnyAnswer): Promise<AnyAnswer> {
  const source = answer.bytes ?? answer.events
  if (source === undefined) return answer
  const pieces = source[Symbol.asyncIterator]()
  const first = await pieces.next()
  if (answer.events !== undefined) return { ...answer, events: whole({ first, pieces, length: 0 }) }
  return { ...answer, bytes: whole({ first, pieces, length: Number(answer.headers?.['Content-Length']) }) }
}

/** An iterator of its own and no generator: one that nobody has begun to read still has to let go of the file when the client is gone. */
function whole({
  first,
  pieces,
  length,
}: {
  readonly first: IteratorResult<Uint8Array>
  readonly pieces: AsyncIterator<Uint8Array>
  readonly length: number
}): AsyncIterable<Uint8Array> {
  let ahead: IteratorResult<Uint8Array> | undefined = first
  let left = length
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const piece = ahead ?? (await pieces.next())
    ahead = undefined
    if (piece.done === true && left > 0) throw new Error('the object is shorter than its row says')
    if (piece.done !== true) left -= piece.value.length
    return piece
  }
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    await pieces.return?.()
    return { done: true, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
}

export function writeAnswer({
  row,
  request,
  reply,
  answer,
}: Exchange & { readonly row: Operation; readonly answer: AnyAnswer }): FastifyReply {
  const declared = row.answers[answer.status]
  reply.code(answer.status)
  // Whatever a credential was asked for is nobody else's to keep.
  if (row.auth !== 'none' || row.tag === 'accounts') reply.header('Cache-Control', 'no-store')
  if (servesContent(row)) reply.headers(STRANGERS_BYTES)
  if (declared?.body === 'html') reply.headers(PAGE)
  if (declared?.body !== undefined && typeof declared.body !== 'string')
    reply.header('Content-Type', 'application/json')
  for (const [name, value] of Object.entries(answer.headers ?? {})) if (value !== undefined) reply.header(name, value)
  if (answer.events !== undefined) return sendEvents(reply, answer.events, answer.until)
  if (answer.bytes !== undefined) return reply.send(Readable.from(answer.bytes, { objectMode: false }))
  if (row.tag === 'discovery') return sendWritten({ row, request, reply }, documentOf(Object(answer.body)))
  const text = answer.text ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body))
  return text === undefined ? reply.send() : sendWritten({ row, request, reply }, { bytes: Buffer.from(text) })
}

interface Written {
  readonly bytes: Buffer
  etag?: string
}

/** A document is the same object for as long as it says the same (`routes/discovery.ts`), so that it is written once. */
const documents = new WeakMap<object, Written>()

function documentOf(body: object): Written {
  const written = documents.get(body) ?? { bytes: Buffer.from(JSON.stringify(body)) }
  documents.set(body, written)
  return written
}

/** A stream has its connection to itself, which ends with it: the server could not close over one that stays open. */
function sendEvents(reply: FastifyReply, events: AsyncIterable<Uint8Array>, until?: AbortSignal): FastifyReply {
  reply.header('Content-Type', 'text/event-stream').header('Connection', 'close')
  const stream = Readable.from(events, { objectMode: false })
  return reply.send(until === undefined ? stream : addAbortSignal(until, stream))
}

/** Its HEAD and its 304 are as careful as the bytes themselves. */
function servesContent(row: Operation): boolean {
  return row.answers[200]?.headers?.includes('Accept-Ranges') === true
}

/** Public documents carry a version of themselves, and are not sent again to who has it. */
function isCached(row: Operation): boolean {
  return row.answers[200]?.headers?.includes('ETag') === true && row.answers[304] !== undefined
}

function sendWritten({ row, request, reply }: Exchange & { readonly row: Operation }, written: Written): FastifyReply {
  if (!isCached(row)) return reply.send(written.bytes)
  written.etag ??= `"${createHash('sha256').update(written.bytes).digest('base64url')}"`
  reply.header('ETag', written.etag)
  return holds(request.headers['if-none-match'], written.etag)
    ? reply.removeHeader('Content-Type').code(304).send()
    : reply.send(written.bytes)
}

/** RFC 9110, section 13.1.2: a list of ETags, weak ones count too, or `*`. */
export function holds(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//, '') === etag)
}

export function writeRefusal({
  row,
  request,
  reply,
  refusal,
}: Exchange & { readonly row?: Operation | undefined; readonly refusal: Refusal }): FastifyReply {
  const { status, headers, body } = problemAnswer(refusal, request.id, row)
  reply.code(status).headers(headers).header('Cache-Control', 'no-store')
  return reply.send(body && Buffer.from(JSON.stringify(body)))
}
