/** Examples for `openapi.json`: one a named shape, made of its members, so that each fits its schema. */

import type { TSchema } from 'typebox'
import { toBase64 } from '../bytes.ts'
import { EMAIL_PATTERN } from '../email.ts'
import { OPAQUE_ID_PATTERN, SHA256_PATTERN, UUID_PATTERN } from '../ids.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Members whose value would say little if it were made from the schema alone. */
const MEMBERS: Readonly<Record<string, Json>> = {
  access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.e30.c2lnbmF0dXJl',
  algorithm: 'hybrid-ed25519-mldsa65',
  api_base_url: 'https://keep.example.org/v1',
  amk_version: 1,
  chunk_size: 1_048_560,
  client_version: 'example-client 1.0.0',
  code: '123456',
  content_type: 'application/octet-stream',
  content_types: ['application/octet-stream'],
  crypto_suite_id: 1,
  detail: 'The link takes no more than 20 files.',
  detail_url: 'https://keep.example.org/news',
  email: 'ada@example.org',
  federation_url: 'https://keep.example.org/federation',
  instance: 'urn:uuid:0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f',
  from: 'https://old.example.org',
  invite: 'K7WMP3XD9QHT2VNC',
  kdf_version: 1,
  login: 'https://keep.example.org/v1/auth/login',
  logout: 'https://keep.example.org/v1/auth/logout',
  max_staleness_seconds: 900,
  name: 'blindkeep',
  nonce: toBase64(new Uint8Array(56)),
  peer: 'https://peer.example.org',
  plaintext_size: 1024,
  provisioning_uri: 'otpauth://totp/Blindkeep:ada%40example.org?secret=JBSWY3DPEHPK3PXP&issuer=Blindkeep',
  public_url: 'https://keep.example.org',
  refresh: 'https://keep.example.org/v1/auth/refresh',
  server_id: 'https://keep.example.org',
  signing_algorithm: 'ed25519',
  size: 3250,
  suggested_chunk_size: 8_388_608,
  suggested_filename: 'letter.pdf',
  title: 'The link is full',
  to: 'https://keep.example.org',
  type: '/problems/error.drop.cap_exhausted',
  version: '0.1.0',
}

/** A problem has a code of the catalog, and the status of that code. */
const PROBLEM: Readonly<Record<string, Json>> = { code: 'error.drop.cap_exhausted', status: 409 }
const TOO_LARGE: Readonly<Record<string, Json>> = {
  code: 'error.drop.file_too_large',
  status: 413,
  title: 'The file is larger than the link accepts',
  type: '/problems/error.drop.file_too_large',
  limit: 5_000_000,
}
const SHAPES: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  CodedProblem: PROBLEM,
  FileTooLargeProblem: TOO_LARGE,
  ReadinessResponse: { status: 'ok', failing: [], warnings: [] },
  AnnouncedMoveResponse: { server_id: 'https://new.example.org' },
  FormerNameResponse: { server_id: 'https://old.example.org' },
  HealthResponse: { status: 'ok' },
  ConfirmChannelRequest: { code: '12345678' },
  SiteResponse: {
    name: 'Keep of Ada',
    imprint_url: 'https://example.org/imprint',
    privacy_url: 'https://example.org/privacy',
  },
}

/** Members that only some answers of a shape have, other ones than its example. */
const OMITTED: Readonly<Record<string, string>> = { CodedProblem: 'moved_to' }

/** What JSON Schema says of a value, as far as the shapes of the wire use it. */
interface Shape {
  readonly $id?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | null)[]
  readonly format?: string
  readonly pattern?: string
  readonly contentEncoding?: string
  readonly description?: string
  readonly minimum?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly items?: TSchema
  readonly properties?: Readonly<Record<string, TSchema>>
}

export function exampleOf(schema: TSchema, name = '', own: Readonly<Record<string, Json>> = {}): Json {
  const shape = schema as Shape
  const given = own[name] ?? MEMBERS[name]
  const kind = Array.isArray(shape.type) ? shape.type[0] : shape.type
  if (kind === 'object') return objectOf(shape)
  if (given !== undefined) return given
  if (kind === 'array') return shape.items === undefined ? [] : [exampleOf(shape.items, '', own)]
  if (kind === 'boolean') return false
  if (kind === 'integer') return Math.max(shape.minimum ?? 0, 1)
  return textOf(shape)
}

function objectOf({ $id = '', properties = {} }: Shape): Json {
  const shown = Object.entries(properties).filter(([name]) => name !== OMITTED[$id])
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member, name, SHAPES[$id])]))
}

function textOf({ enum: values, format, pattern, contentEncoding, description = '', minLength = 0 }: Shape): string {
  const [first] = values ?? []
  if (typeof first === 'string') return first
  if (format === 'date-time') return '2026-03-01T10:20:30.456Z'
  if (format === 'date') return '2026-11-01'
  if (pattern === UUID_PATTERN) return '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f'
  if (pattern === OPAQUE_ID_PATTERN) return '6f0d3c2b1a49586776859403122130ff'
  if (pattern === EMAIL_PATTERN) return 'ada@example.org'
  // Of `hello`.
  if (pattern === SHA256_PATTERN) return '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
  if (contentEncoding === 'base64') return toBase64(new Uint8Array(leastBytes(description)))
  return 'example'.padEnd(minLength, '-')
}

/** The lower bound of a base64 text is in its description alone, because JSON Schema has no word for it. */
function leastBytes(description: string): number {
  return Number(/Base64 of (\d+)/.exec(description)?.[1] ?? 1)
}
