import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { addAbortSignal, Readable } from 'node:stream'
import type { Operation } from '@blindkeep/protocol/operations'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../domain/ground/refusals.ts'
import type { Body } from './body.ts'
import type { AnyAnswer } from './call.ts'
import { type Document, documentFrom, SHORT_TEXT_BYTES, type Written } from './document.ts'
import { problemAnswer } from './problem.ts'
import { sendPieces } from './sending.ts'
import { jsonInSlices } from './slices.ts'

/** Bytes from guests are never displayed on the server's origin. */
const GUEST_BYTES = {
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

/** Calls `then` when the answer is sent or its client gone; at once if that was before: no event follows. */
export function whenClosed({ raw }: FastifyReply, then: () => void): void {
  if (raw.destroyed) then()
  else raw.once('close', then)
}

/** Fastify asks for a handler, but `onRequest` answers. */
export async function answeredBefore(): Promise<never> {
  throw new Error('answered before')
}

/** A download's pieces: one in the connection and the next. `filesystem/pieces.ts` adds while few are read. */
const DOWNLOAD_HELD_BYTES = 256 * 1024

/** An answer whose JSON is written: how much memory it needs is known. */
export type WrittenAnswer = Omit<AnyAnswer, 'text'> & Partial<Written>

export async function writtenOut(row: Operation, { text, ...answer }: AnyAnswer): Promise<WrittenAnswer> {
  if (row.tag === 'discovery') return { ...answer, document: documentFrom(Object(answer.body)) }
  const json = text ?? (answer.body === undefined ? undefined : await jsonInSlices(Object(answer.body)))
  return json === undefined ? answer : { ...answer, text: json, length: lengthOf(json) }
}

function lengthOf(text: Written['text']): number {
  if (typeof text === 'string') return Buffer.byteLength(text)
  return text.reduce((length, piece) => length + piece.length, 0)
}

export function heldBytesOf({ bytes, headers, length }: WrittenAnswer): number {
  if (bytes !== undefined) return Math.min(DOWNLOAD_HELD_BYTES, Number(headers?.['Content-Length']))
  return length ?? 0
}

/**
 * Resolves once the first bytes of the answer have been read. Before anything is sent, an unreadable object becomes a
 * problem answer. An object that ends too early after that must not look complete, so the connection is cut.
 */
export async function begun(answer: WrittenAnswer): Promise<WrittenAnswer> {
  const source = answer.bytes ?? answer.events
  if (source === undefined) return answer
  const pieces = source[Symbol.asyncIterator]()
  const first = await pieces.next()
  if (answer.events !== undefined) return { ...answer, events: whole({ first, pieces, length: 0 }) }
  return { ...answer, bytes: whole({ first, pieces, length: Number(answer.headers?.['Content-Length']) }) }
}

/** An iterator, not a generator: even if it was never read, it must close the file when the client disconnects. */
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
  onCut,
}: Exchange & {
  readonly row: Operation
  readonly answer: WrittenAnswer
  /** Called when the bytes of the answer could not be read after it began. */
  readonly onCut: (error: unknown) => void
}): FastifyReply {
  const declared = row.answers[answer.status]
  reply.code(answer.status)
  // Caches must not store an answer that required a credential.
  if (row.auth !== 'none' || row.tag === 'accounts') reply.header('Cache-Control', 'no-store')
  if (servesContent(row)) reply.headers(GUEST_BYTES)
  if (declared?.body === 'html') reply.headers(PAGE)
  if (declared?.body !== undefined && typeof declared.body !== 'string')
    reply.header('Content-Type', 'application/json')
  for (const [name, value] of Object.entries(answer.headers ?? {})) if (value !== undefined) reply.header(name, value)
  if (answer.events !== undefined) return sendEvents(reply, answer.events, answer.until)
  if (answer.bytes !== undefined) return sendBytes(reply, answer.bytes, onCut)
  if (answer.document !== undefined) return sendDocument({ row, request, reply }, answer.document)
  const { text, length = 0 } = answer
  return text === undefined ? reply.send() : sendText(reply, { text, length })
}

/** The connection ends with the stream: an open one would keep the server from closing. */
function sendEvents(reply: FastifyReply, events: AsyncIterable<Uint8Array>, until?: AbortSignal): FastifyReply {
  reply.header('Content-Type', 'text/event-stream').header('Connection', 'close')
  const stream = Readable.from(events, { objectMode: false })
  return reply.send(until === undefined ? stream : addAbortSignal(until, stream))
}

/** HEAD and 304 of such a row have the same headers as the bytes. */
function servesContent(row: Operation): boolean {
  return row.answers[200]?.headers?.includes('Accept-Ranges') === true
}

/** Most documents have an ETag and are not sent again to a client that has it. */
function isCached(row: Operation): boolean {
  return row.answers[200]?.headers?.includes('ETag') === true && row.answers[304] !== undefined
}

function sendDocument(
  { row, request, reply }: Exchange & { readonly row: Operation },
  written: Document,
): FastifyReply {
  if (!isCached(row)) return sendText(reply, written)
  reply.header('ETag', written.etag)
  return holds(request.headers['if-none-match'], written.etag)
    ? reply.removeHeader('Content-Type').code(304).send()
    : sendText(reply, written)
}

function sendBytes(
  reply: FastifyReply,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onCut: (error: unknown) => void,
): FastifyReply {
  beginAlone(reply)
  sendPieces(reply.raw, bytes).catch(onCut)
  return reply
}

/** Fastify leaves the rest of the answer to the caller. */
function beginAlone(reply: FastifyReply): ServerResponse {
  reply.hijack()
  return reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
}

/** A short text leaves with its headers in one write; Fastify would make two of them, and add a charset to the type. */
function sendText(reply: FastifyReply, { text, length }: Written): FastifyReply {
  reply.header('Content-Length', String(length))
  if (typeof text === 'string' && length <= SHORT_TEXT_BYTES) {
    beginAlone(reply).end(text)
    return reply
  }
  // A text has been written, so nothing of it can fail to be read.
  return sendBytes(reply, typeof text === 'string' ? [Buffer.from(text)] : text, () => undefined)
}

/** RFC 9110, section 13.1.2: a list of ETags, including weak ones, or `*`. */
export function holds(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//, '') === etag)
}

const problemCodes = new WeakMap<FastifyReply, string>()

/** The code of the problem that was answered, for monitoring. */
export function problemCodeOf(reply: FastifyReply): string | undefined {
  return problemCodes.get(reply)
}

export function writeRefusal({
  row,
  request,
  reply,
  refusal,
  unfinished,
}: Exchange & {
  readonly row?: Operation | undefined
  readonly refusal: Refusal
  /** The body of the request, if its client is still sending. */
  readonly unfinished?: Body | undefined
}): FastifyReply {
  const { status, headers, body } = problemAnswer(refusal, request.id, row)
  if (typeof body?.code === 'string') problemCodes.set(reply, body.code)
  reply.code(status).headers(headers).header('Cache-Control', 'no-store')
  const bytes = body && Buffer.from(JSON.stringify(body))
  if (unfinished === undefined) return reply.send(bytes)
  reply.header('Connection', 'close').header('Content-Length', bytes?.length ?? 0)
  const raw = beginAlone(reply)
  raw.flushHeaders()
  if (bytes !== undefined) raw.write(bytes)
  void unfinished.readOn().then(() => raw.end())
  return reply
}
