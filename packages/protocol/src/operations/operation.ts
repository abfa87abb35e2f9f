import type { TSchema } from 'typebox'
import { OPAQUE_ID_PATTERN, SHA256_PATTERN, UUID_PATTERN } from '../ids.ts'
import type { ProblemCode } from '../problems.ts'
import { BASE64_PATTERN } from '../schemas/shape.ts'
import { IDEMPOTENCY_KEY_PATTERN } from '../wire.ts'

/** One row of the table in `operations.ts`. */
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
    | 'channels'
    | 'uploads'
    | 'assets'
    | 'sync'
    | 'links'
    | 'guest'
    | 'inbox'
    | 'bin'
    | 'shares'
    | 'quota'
    | 'service'
  /** `link`: possession of the opaque id in the path is the credential. */
  readonly auth: 'none' | 'bearer' | 'link'
  readonly summary: string
  /** What the author of a client must know beyond the shapes. */
  readonly description: string
  readonly query?: Readonly<Record<string, QueryParameter>>
  readonly requestHeaders?: readonly HeaderName[]
  readonly body?: JsonBody | ChunkBody
  /** A probe: no request makes it fail, not even one with a malformed protocol header. */
  readonly neverFails?: true
  /** A write that creates. Outside the protocol window it is refused (specification, Versioning, 3). */
  readonly creates?: true
  /** A GET that also answers HEAD: the same without the body. */
  readonly answersHead?: true
  /** Its body has a `proof` (`proof.ts`), which is checked before the operation's own rules. */
  readonly proves?: true
  /** Refused to a suspended account. */
  readonly writes?: true
  /**
   * A JSON write that adds rows to the database, so free space is asked for first. What bounds the rows besides their
   * own bounds: `rows`: what a session and an account may add in a day; `uploads`: how many sessions an account may
   * open that do not land; `own`: nothing else.
   */
  readonly leaves?: 'rows' | 'uploads' | 'own'
  readonly answers: Readonly<Record<number, Answer>>
  /** The problems besides those of the gates (`gateProblems`). */
  readonly problems: readonly ProblemCode[]
  /** Codes whose status here differs from the catalog. */
  readonly statuses?: Readonly<Partial<Record<ProblemCode, number>>>
}

/** A part of the table, by the names of the operations. */
export type Operations = Readonly<Record<string, Operation>>

export interface JsonBody {
  readonly type: 'application/json'
  readonly schema: TSchema
  /** Members that the operation checks itself, in its own order. JSON types are checked with the others. */
  readonly judgedLater?: readonly string[]
  /** Null is not absent here: it removes what the member names (RFC 7396). */
  readonly nullRemoves?: true
}

interface ChunkBody {
  readonly type: 'application/octet-stream'
}

export interface Answer {
  readonly description: string
  /** A JSON shape, sealed bytes, JSON of another standard, a page for people, or endless server-sent events. */
  readonly body?: TSchema | 'bytes' | 'json' | 'html' | 'events'
  readonly headers?: readonly HeaderName[]
}

export interface QueryParameter {
  readonly description: string
  readonly required: boolean
  /** A string, or an integer in decimal digits. */
  readonly schema: TSchema
}

export type HeaderName = keyof typeof HEADER_DOCS

export const HEADER_DOCS = {
  'X-Service-Offset':
    'Requests: the byte of the blob at which the chunk starts. Answers: the byte at which to continue.',
  'X-Service-Checksum': 'SHA-256 of the chunk, 64 lowercase hex characters.',
  'X-Service-Length': 'Declared size of the blob in bytes.',
  'X-Service-State': 'open, finishing, landed or failed.',
  'X-Service-Passphrase-Proof': 'The proof of the passphrase, base64 of 1 to 4096 bytes.',
  'X-Service-Visit':
    'A random id that the client makes for its visit of the share, 32 lowercase hex characters. What a visit asks again is not counted again. Without it, each request is a visit of its own.',
  'Idempotency-Key':
    'A text that the client chooses, 1 to 255 printable ASCII characters. A repeat with the same key gets the same session.',
  Range: 'One range of bytes (RFC 9110, section 14). A request for several ranges gets the whole content.',
  'If-Range': 'The ETag that the range belongs to.',
  'If-None-Match': 'ETags that the client has.',
  'Last-Event-ID': 'The id of the last event that the client received. The stream continues after it.',
  'X-Accel-Buffering': 'no: tells a proxy to pass on each event at once.',
  Location: 'The path of the created resource, with the path of the public URL.',
  ETag: 'The ciphertext hash, or the version of the document.',
  'Accept-Ranges': 'bytes',
  'Content-Range': 'The range of the bytes and the total length.',
  'Cache-Control': 'How long a cache may keep the answer.',
  'Retry-After': 'Seconds to wait before the next attempt.',
  'WWW-Authenticate': 'Bearer realm="service", with an error of RFC 6750.',
  Allow: 'The methods of the path.',
  Upgrade: 'service/ and the newest protocol version.',
  Warning:
    'Present when an announced cutoff applies to the protocol version of the request: 299, and the path of the deprecation document.',
  'X-Request-Id': 'The id of this answer; also in the member instance of a problem.',
  'X-Service-Protocol-Min': 'Oldest protocol version that writes may use.',
  'X-Service-Protocol-Max': 'Newest protocol version.',
} as const

interface HeaderShape {
  readonly type: 'string' | 'integer'
  readonly minimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly enum?: readonly string[]
}

const offset: HeaderShape = { type: 'integer', minimum: 0 }

/** JSON Schemas of the headers that are more than a text. */
export const HEADER_SHAPES: {
  readonly [Name in HeaderName]?: { readonly [word in keyof HeaderShape]: HeaderShape[word] }
} = {
  'X-Service-Offset': offset,
  'X-Service-Length': offset,
  'Idempotency-Key': { type: 'string', minLength: 1, maxLength: 255, pattern: IDEMPOTENCY_KEY_PATTERN },
  'X-Service-Passphrase-Proof': { type: 'string', minLength: 4, maxLength: 5464, pattern: BASE64_PATTERN },
  'X-Service-Visit': { type: 'string', pattern: OPAQUE_ID_PATTERN },
  'X-Service-Checksum': { type: 'string', pattern: SHA256_PATTERN },
  'X-Service-State': { type: 'string', enum: ['open', 'finishing', 'landed', 'failed'] },
  'Retry-After': { type: 'integer', minimum: 1 },
  'X-Request-Id': { type: 'string', pattern: UUID_PATTERN },
  'X-Service-Protocol-Min': { type: 'string', format: 'date' },
  'X-Service-Protocol-Max': { type: 'string', format: 'date' },
}
