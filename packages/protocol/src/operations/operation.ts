import type { TSchema } from 'typebox'
import type { ProblemCode } from '../problems.ts'

/** What one row of the table says (`operations.ts`). */
export interface Operation {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** Relative to the server's base URL; parameters in braces are path segments. */
  readonly path: string
  readonly tag:
    | 'discovery'
    | 'accounts'
    | 'devices'
    | 'albums'
    | 'federation'
    | 'uploads'
    | 'assets'
    | 'sync'
    | 'links'
    | 'guest'
    | 'inbox'
    | 'shares'
    | 'quota'
    | 'service'
  /** `link`: possession of the opaque id in the path is the credential. */
  readonly auth: 'none' | 'bearer' | 'link'
  readonly summary: string
  /** What a client's author has to know beyond the shapes. */
  readonly description: string
  readonly query?: Readonly<Record<string, QueryParameter>>
  readonly requestHeaders?: readonly HeaderName[]
  readonly body?: JsonBody | ChunkBody
  /** A probe: nothing that a client sends makes it fail, a malformed protocol header neither. */
  readonly neverFails?: true
  /** A write that creates: refused outside the protocol window (specification, Versioning, 3). */
  readonly creates?: true
  /** A GET that answers HEAD too: the same without the body. */
  readonly answersHead?: true
  /** A suspended account may not do it. */
  readonly writes?: true
  readonly answers: Readonly<Record<number, Answer>>
  /** What it says beyond the gates that every operation of its kind has (`gateProblems`). */
  readonly problems: readonly ProblemCode[]
  /** Codes that have another status here than in the catalog. */
  readonly statuses?: Readonly<Partial<Record<ProblemCode, number>>>
}

/** A part of the table, by the operations’ names. */
export type Operations = Readonly<Record<string, Operation>>

export interface JsonBody {
  readonly type: 'application/json'
  readonly schema: TSchema
  /** Members whose values the operation itself judges, in an order of its own. Unknown members and JSON types are judged before it all the same. */
  readonly judgedLater?: readonly string[]
}

export interface ChunkBody {
  readonly type: 'application/octet-stream'
}

export interface Answer {
  readonly description: string
  /** A JSON shape; or sealed bytes, a JSON document of another standard's shape, a page for people, or server-sent events without an end. */
  readonly body?: TSchema | 'bytes' | 'json' | 'html' | 'events'
  readonly headers?: readonly HeaderName[]
}

export interface QueryParameter {
  readonly description: string
  readonly required: boolean
  /** Of a string, or of an integer in decimal digits. */
  readonly schema: TSchema
}

export type HeaderName = keyof typeof HEADER_DOCS

export const HEADER_DOCS = {
  'X-Service-Offset': 'Requests: the byte of the blob at which the chunk starts. Answers: the byte at which to go on.',
  'X-Service-Checksum': 'SHA-256 of the chunk, 64 lowercase hex characters.',
  'X-Service-Length': 'Declared size of the blob in bytes.',
  'X-Service-State': 'open, finishing, landed or failed.',
  'Idempotency-Key':
    'Any text of the client’s, 1 to 255 printable ASCII characters: the same key again answers with the same session.',
  Range: 'One range of bytes (RFC 9110, section 14); several are answered whole.',
  'If-Range': 'The ETag that the range belongs to.',
  'If-None-Match': 'ETags that the client holds.',
  'Last-Event-ID': 'The id of the last event that the client has heard: the stream goes on after it.',
  'X-Accel-Buffering': 'no: what stands in front of the server passes each event on at once.',
  Location: 'Path of what was created.',
  ETag: 'The ciphertext hash, or the version of the document.',
  'Accept-Ranges': 'bytes',
  'Content-Range': 'Which bytes of how many.',
  'Cache-Control': 'How long the answer may be kept.',
  'Retry-After': 'Seconds to wait.',
  'WWW-Authenticate': 'Bearer realm="service", with the errors of RFC 6750.',
  Allow: 'Methods that the path has.',
  Upgrade: 'service/ and the newest protocol version.',
  Warning:
    'There when the protocol version of the request is below an announced cutoff: 299, and the path of the deprecation document.',
  'X-Request-Id': 'Names this answer; a problem’s instance carries it too.',
  'X-Service-Protocol-Min': 'Oldest protocol version accepted for writes.',
  'X-Service-Protocol-Max': 'Newest protocol version.',
} as const
