/** The gates before an operation, one function for each. `admission.ts` has their order. */
import type { IncomingHttpHeaders } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { formatInstant, type ProtocolVersion, parseProtocolVersion } from '@blindkeep/protocol/ids'
import {
  type JsonBody,
  judgesProtocol,
  type Operation,
  operations,
  PATH_PARAMETERS,
  type QueryParameter,
} from '@blindkeep/protocol/operations'
import { parse } from '@blindkeep/protocol/parse'
import { PROBLEMS } from '@blindkeep/protocol/problems'
import type { Proof } from '@blindkeep/protocol/schemas/accounts'
import { inWindow, type ProtocolWindow } from '@blindkeep/protocol/window'
import { HEADERS, IDEMPOTENCY_KEY_PATTERN } from '@blindkeep/protocol/wire'
import type { Proofs, ProvedKey } from '../domain/account/proofs.ts'
import type { Caller, Sessions } from '../domain/account/sessions.ts'
import type { AcceptedVersions } from '../domain/discovery/protocolWindow.ts'
import { isRefusal, type Refusal, type Refuses } from '../domain/ground/refusals.ts'
import { type Body, BodyTooLarge, readAll } from './sockets/body.ts'
import { parseJson } from './wire/json.ts'

/** 401: requires a bearer token of a live session. */
export async function authenticate(
  sessions: Sessions,
  authorization: string | undefined,
): Promise<Caller | Refuses<'unauthenticated' | 'token_unreadable' | 'session_over'>> {
  if (authorization === undefined) return { refused: 'unauthenticated' }
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1]
  return token === undefined ? { refused: 'token_unreadable' } : sessions.authenticate(token)
}

/** 403: a suspended account may read and delete, but not write. */
export function suspension(row: Operation, { account }: Caller): Refuses<'account_suspended'> | undefined {
  return row.writes === true && account.suspendedAt !== undefined ? { refused: 'account_suspended' } : undefined
}

const IDEMPOTENCY_KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN)

/** 400: a header of the row is malformed. */
export function headerForms(row: Operation, headers: IncomingHttpHeaders): Refuses<'request_malformed'> | undefined {
  const key = headers[HEADERS.idempotencyKey]
  const isJudged = row.requestHeaders?.includes('Idempotency-Key') === true && key !== undefined
  return !isJudged || IDEMPOTENCY_KEY.test(String(key))
    ? undefined
    : { refused: 'request_malformed', detail: 'Idempotency-Key must be 1 to 255 printable ASCII characters' }
}

/** The version in the protocol header, if the row checks it. */
export function spokenVersion(
  row: Operation,
  headers: IncomingHttpHeaders,
): ProtocolVersion | Refuses<'request_malformed'> | undefined {
  const given = headers[HEADERS.protocol]
  if (given === undefined || !judgesProtocol(row)) return undefined
  const malformed = { refused: 'request_malformed', detail: 'X-Service-Protocol must be a date, YYYY-MM-DD' } as const
  return parseProtocolVersion(String(given)) ?? malformed
}

/** The version that a creating write declares in its body. */
export function writtenVersion(row: Operation, json: unknown): ProtocolVersion | undefined {
  const isDeclared = row.creates === true && typeof json === 'object' && json !== null && 'protocol_version' in json
  return isDeclared ? parseProtocolVersion(String(json.protocol_version)) : undefined
}

/** 400: malformed header. 426: creating outside the window, by header or body (specification, Versioning, 3). */
export function negotiation(
  row: Operation,
  version: ProtocolVersion | Refuses<'request_malformed'> | undefined,
  window: ProtocolWindow,
): Refuses<'request_malformed' | 'version_unsupported'> | undefined {
  if (version === undefined || isRefusal(version)) return version
  return row.creates === true && !inWindow(window, version)
    ? { refused: 'version_unsupported', newest: window.max }
    : undefined
}

/** Warns beside answers around a cutoff, also to reads (specification, Versioning, 4; RFC 7234, section 5.5). */
export function deprecationWarning(
  version: ProtocolVersion | undefined,
  { cutoffOf }: Pick<AcceptedVersions, 'cutoffOf'>,
): string | undefined {
  const below = version && cutoffOf(version)
  if (below === undefined) return undefined
  const { minProtocolVersion, cutoff } = below
  // This sentence is true before and after the cutoff.
  return `299 - "Writes with protocols below ${minProtocolVersion} are refused from ${formatInstant(cutoff)}, see ${operations.deprecation.path}"`
}

type Params = Readonly<Record<string, string>>
type Query = Readonly<Record<string, string | number>>

/** Path ids: 400 to an account holder for a malformed one; a guest gets the 404 of an unknown one. */
export function pathIds(row: Operation, given: Readonly<Record<string, string>>): Params | Refusal {
  for (const [name, text] of Object.entries(given)) {
    const parameter = PATH_PARAMETERS[name as keyof typeof PATH_PARAMETERS]
    if (parameter.parse(text) !== undefined) continue
    return row.auth === 'bearer'
      ? { refused: 'request_malformed', detail: `{${name}} in the path is malformed` }
      : hiddenNotFound(row)
  }
  return given
}

/** The same answer as for an unknown id. */
export function hiddenNotFound(row: Operation): Refusal {
  const code = row.problems.find((problem) => PROBLEMS[problem].status === 404)
  if (code === 'error.drop.link_not_found') return { refused: 'link_not_live' }
  if (code === 'error.share.not_found') return { refused: 'share_not_found' }
  return code === 'error.upload.session_not_found' ? { refused: 'upload_not_found' } : { refused: 'not_found' }
}

/** 422 for a missing required parameter, 400 for an unknown or malformed one. */
export function queryOf(
  parameters: Readonly<Record<string, QueryParameter>>,
  given: Iterable<readonly [name: string, value: string]>,
): Query | Refuses<'request_malformed' | 'request_unprocessable'> {
  const values: Record<string, string | number> = {}
  for (const [name, text] of given) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (parameter === undefined || values[name] !== undefined)
      return { refused: 'request_malformed', detail: `?${name} is unknown or given twice` }
    const value = givenValue(parameter, text)
    if (parse(parameter.schema, value).fault !== undefined)
      return { refused: 'request_malformed', detail: `?${name} is malformed` }
    values[name] = value
  }
  const missing = Object.keys(parameters).find(
    (name) => parameters[name]?.required === true && values[name] === undefined,
  )
  return missing === undefined ? values : { refused: 'request_unprocessable', detail: `?${missing} is missing` }
}

/** Integers are decimal digits, as in JSON. Anything else stays text, which the schema refuses. */
function givenValue({ schema }: QueryParameter, text: string): string | number {
  const { type } = schema as { type?: string }
  return type === 'integer' && /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : text
}

/** 415: requires this media type and no content coding. */
export function mediaType(
  wanted: string,
  header: (name: string) => string | undefined,
): Refuses<'media_type_unsupported'> | undefined {
  const given = header('content-type')?.split(';')[0]?.trim().toLowerCase()
  const coding = header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  return given === wanted && coding === 'identity' ? undefined : { refused: 'media_type_unsupported' }
}

const LONG_BODY_BYTES = 64 * 1024

/** 413; then 400 for broken JSON and unknown members, 422 for missing members and wrong types, 400 for wrong values. */
export async function jsonOf(
  { schema, judgedLater, nullRemoves }: JsonBody,
  body: Body,
  limitBytes: number,
): Promise<{ readonly json: unknown } | Refuses<'body_too_large' | 'request_malformed' | 'request_unprocessable'>> {
  try {
    const bytes = await readAll(body, limitBytes)
    const { fault, value: json } = parse(schema, parseJson(bytes), { judgedLater, nullRemoves })
    // Other requests get their turn between the reading of a long body and the work that it asks for.
    if (bytes.length > LONG_BODY_BYTES) await turn()
    if (fault === undefined) return { json }
    return {
      refused: fault.kind === 'wrong_type' ? 'request_unprocessable' : 'request_malformed',
      detail: fault.detail,
    }
  } catch (error) {
    if (error instanceof BodyTooLarge) return { refused: 'body_too_large' }
    if (error instanceof SyntaxError || error instanceof TypeError)
      return {
        refused: 'request_malformed',
        detail: 'the body is not JSON in UTF-8, has a member twice, or has too many values or levels',
      }
    throw error
  }
}

/** 401: the body of a row that proves has a proof. */
export function keyOf(
  row: Operation,
  json: unknown,
  proofs: Pick<Proofs, 'provedKey'>,
): ProvedKey | Refuses<'proof_invalid'> | undefined {
  return row.proves === true ? proofs.provedKey(row, json as { readonly proof: Proof }) : undefined
}
