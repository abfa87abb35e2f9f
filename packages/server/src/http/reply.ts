import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '@blindkeep/protocol/operations'
import type { Refusal } from '../domain/ground/refusals.ts'
import type { AnyAnswer } from './call.ts'
import { problemAnswer } from './problem.ts'
import type { Body } from './sockets/body.ts'
import { sendPieces } from './sockets/sending.ts'
import { type Document, documentFrom, SHORT_TEXT_BYTES, type Written } from './wire/document.ts'
import { jsonInSlices } from './wire/slices.ts'

/** Bytes from guests are never displayed on the server's origin. */
const GUEST_BYTES = {
  'Content-Type': 'application/octet-stream',
  'Content-Disposition': 'attachment',
}
const PAGE = { 'Content-Type': 'text/html; charset=utf-8', 'Referrer-Policy': 'no-referrer' }

/** A request that a server gets has both. */
export type Incoming = IncomingMessage & { readonly url: string; readonly method: string }

export interface Exchange {
  /** Of the request, for its client and the log. */
  readonly id: string
  readonly request: Incoming
  readonly reply: ServerResponse
}

/** What answers at the addresses of a path, in the router's form. */
export interface Route {
  readonly methods: readonly Operation['method'][]
  readonly path: string
  /** The name of the row, for monitoring. A path may have a credential. */
  readonly operation: string
  answer(exchange: Exchange, given: Readonly<Record<string, string>>): Promise<void>
}

/** What an answer's headers will be. To give each to Node by itself takes longer than to write all at once. */
const COMING = Symbol('headers to come')
type Coming = ServerResponse & { [COMING]?: Record<string, string | number> }

/** Names leave in lower case, however a row writes them. One without a value is left out. */
export function setHeaders(reply: Coming, headers: Readonly<Record<string, string | number | undefined>>): void {
  reply[COMING] ??= {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) reply[COMING][name.toLowerCase()] = value
}

/** For another answer than the one that they were for. */
export function forgetHeaders(reply: Coming): void {
  delete reply[COMING]
}

function unsetHeader(reply: Coming, name: string): void {
  delete reply[COMING]?.[name]
}

function begin(reply: Coming, status: number): void {
  reply.writeHead(status, reply[COMING])
}

/** Headers and bytes leave in one write. */
export function send(reply: ServerResponse, status: number, bytes?: string | Uint8Array): void {
  if (bytes !== undefined) setHeaders(reply, { 'Content-Length': Buffer.byteLength(bytes) })
  begin(reply, status)
  reply.end(bytes)
}

/** Calls `then` when the answer is sent or its client gone; at once if that was before: no event follows. */
export function whenClosed(reply: ServerResponse, then: () => void): void {
  if (reply.destroyed) then()
  else reply.once('close', then)
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
}): void {
  const { status, headers, events, until, bytes, document, text, length = 0 } = answer
  const declared = row.answers[status]
  // Caches must not store an answer that required a credential.
  if (row.auth !== 'none' || row.tag === 'accounts') setHeaders(reply, { 'Cache-Control': 'no-store' })
  if (servesContent(row)) setHeaders(reply, GUEST_BYTES)
  if (declared?.body === 'html') setHeaders(reply, PAGE)
  if (declared?.body !== undefined && typeof declared.body !== 'string')
    setHeaders(reply, { 'Content-Type': 'application/json' })
  setHeaders(reply, headers ?? {})
  if (events !== undefined) {
    // The connection ends with the stream: an open one would keep the server from closing.
    setHeaders(reply, { 'Content-Type': 'text/event-stream', Connection: 'close' })
    until?.addEventListener('abort', () => reply.destroy())
  }
  const pieces = events ?? bytes
  if (pieces !== undefined) {
    begin(reply, status)
    sendPieces(reply, pieces).catch(onCut)
  } else if (document !== undefined) sendDocument({ row, request, reply, status }, document)
  else if (text !== undefined) sendText(reply, status, { text, length })
  else send(reply, status)
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
  { row, request, reply, status }: Pick<Exchange, 'request' | 'reply'> & { readonly row: Operation; status: number },
  written: Document,
): void {
  if (isCached(row)) setHeaders(reply, { ETag: written.etag })
  if (isCached(row) && holds(request.headers['if-none-match'], written.etag)) {
    unsetHeader(reply, 'content-type')
    send(reply, 304)
  } else sendText(reply, status, written)
}

function sendText(reply: ServerResponse, status: number, { text, length }: Written): void {
  if (typeof text === 'string' && length <= SHORT_TEXT_BYTES) return void send(reply, status, text)
  setHeaders(reply, { 'Content-Length': length })
  begin(reply, status)
  // A text has been written, so nothing of it can fail to be read.
  sendPieces(reply, typeof text === 'string' ? [Buffer.from(text)] : text).catch(() => undefined)
}

/** RFC 9110, section 13.1.2: a list of ETags, including weak ones, or `*`. */
export function holds(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//, '') === etag)
}

const problemCodes = new WeakMap<ServerResponse, string>()

/** The code of the problem that was answered, for monitoring. */
export function problemCodeOf(reply: ServerResponse): string | undefined {
  return problemCodes.get(reply)
}

export function writeRefusal({
  row,
  id,
  reply,
  refusal,
  unfinished,
}: Pick<Exchange, 'id' | 'reply'> & {
  readonly row?: Operation | undefined
  readonly refusal: Refusal
  /** The body of the request, if its client is still sending. */
  readonly unfinished?: Body | undefined
}): void {
  const { status, headers, body } = problemAnswer(refusal, id, row)
  if (typeof body?.code === 'string') problemCodes.set(reply, body.code)
  setHeaders(reply, { ...headers, 'Cache-Control': 'no-store' })
  const text = body && JSON.stringify(body)
  if (unfinished === undefined) return void send(reply, status, text)
  setHeaders(reply, { Connection: 'close', 'Content-Length': Buffer.byteLength(text ?? '') })
  begin(reply, status)
  reply.flushHeaders()
  if (text !== undefined) reply.write(text)
  void unfinished.readOn().then(() => reply.end())
}
