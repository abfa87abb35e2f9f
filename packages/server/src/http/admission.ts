/**
 * Leads a request through the gates of its row and makes the call for its route. The first gate that refuses determines
 * the answer. This is the order of all gates; `gates.ts` has the code of each.
 *
 *  1. host (421; of a name from before a move 307 or 410, `formerName.ts`), `hosts.ts`: done in `server.ts`, before
 *     this file, as the next one
 *  2. route (404) and method (405)
 *  3. bearer token (401)
 *  4. suspended account that would write (403)
 *  5. form of `Idempotency-Key` (400), then `X-Service-Protocol`: its form (400), and for writes that create, its
 *     value (426)
 *  6. ids in the path (400 for an owner, 404 for a guest)
 *  7. query parameters (400, 422)
 *  8. content type and coding of a JSON body (415)
 *  9. the body's declared size (413), memory for it (500 `request.overloaded`), its size as it arrives (413)
 * 10. JSON: broken, too deep or with too many values (400), duplicate or unknown members (400), missing or mistyped
 *     members (422), values (400); then `protocol_version` in the body of a write that creates (426)
 * 11. the proof: its nonce, then its signature (401)
 * 12. for a write with a JSON body, token and suspension again (401, 403), because the body took time to arrive; a list
 *     that had to wait for its turn does the same (`readTurns.ts`)
 * 13. what adds rows: the budget of its account (429) and free space (500), `leaving.ts`
 * 14. the operation's own rules. A chunk has rules of its own for content type and size (`chunk.ts`) and for suspension
 *     (`chunks.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ProtocolVersion } from '@blindkeep/protocol/ids'
import type { Operation, OperationName } from '@blindkeep/protocol/operations'
import type { Proofs } from '../domain/account/proofs.ts'
import type { Caller, Sessions } from '../domain/account/sessions.ts'
import type { AcceptedVersions } from '../domain/discovery/protocolWindow.ts'
import { networkOf } from '../domain/ground/guestNetwork.ts'
import { isRefusal, type Refusal, type Refuses } from '../domain/ground/refusals.ts'
import type { Hold, Holder, Kept } from './budget.ts'
import type { Call } from './call.ts'
import {
  authenticate,
  deprecationWarning,
  headerForms,
  jsonOf,
  keyOf,
  mediaType,
  negotiation,
  pathIds,
  queryOf,
  spokenVersion,
  suspension,
  writtenVersion,
} from './gates.ts'
import { isForwarded, type SenderOf } from './names/source.ts'
import { queryAt } from './paths.ts'
import { type Exchange, setHeaders, whenClosed } from './reply.ts'
import { type Body, BodyBroken, hasBody, mostBytesOf } from './sockets/body.ts'

interface AdmissionPorts {
  readonly sessions: Sessions
  readonly proofs: Pick<Proofs, 'provedKey'>
  readonly protocolWindow: AcceptedVersions
  readonly senderOf: SenderOf
  /** Aborts when the server ends. */
  readonly closing: AbortSignal
}

interface AdmissionSettings {
  readonly requestBytesMax: number
}

/** A request whose path and method have a row, with the ids of its path. */
export type Asked = Exchange & { readonly row: Operation; readonly given: Readonly<Record<string, string>> }

/** What arrives and what it may hold in memory. */
export interface Arriving {
  readonly body: Body
  readonly hold: Hold
}

export type Admit = (asked: Asked, arriving: Arriving) => Promise<Call<OperationName> | Refusal>

/** The largest JSON without a bearer token. A registration with every character escaped has half of this. */
export const MAX_GUEST_JSON_BYTES = 64 * 1024

export function createAdmit(
  { sessions, proofs, protocolWindow, senderOf, closing }: AdmissionPorts,
  settings: AdmissionSettings,
): Admit {
  const { requestBytesMax } = settings
  return async (asked, { body, hold }) => {
    const { row, request, reply, given } = asked
    const { headers } = request
    const window = () => protocolWindow.current()
    const spoken = spokenVersion(row, headers)
    warn(reply, spoken)

    // 3 and 4
    const caller = await callerOf(row, request)
    if (isRefusal(caller)) return caller

    // 5
    const early = headerForms(row, headers) ?? negotiation(row, spoken, window())
    if (early !== undefined) return early

    // 6
    const params = pathIds(row, given)
    if (isRefusal(params)) return params

    // 7
    const query = queryOf(row.query ?? {}, queryAt(request.url))
    if (row.query !== undefined && isRefusal(query)) return query

    // 8 to 10, without the version
    const { source } = senderOf(request)
    const holder = holderOf(caller, source)
    const read = await readBody(asked, { body, hold, holder, requestBytesMax })
    if (isRefusal(read)) return read

    // 10, the version
    const written = writtenVersion(row, read?.json)
    warn(reply, written)
    const late = negotiation(row, written, window())
    if (late !== undefined) return late

    // 11
    const proved = keyOf(row, read?.json, proofs)
    if (isRefusal(proved)) return proved

    // 12
    const present = row.writes === true && read !== undefined ? await callerOf(row, request) : caller
    if (isRefusal(present)) return present

    return {
      body,
      params,
      query,
      json: read?.json,
      caller: present,
      provedKey: proved?.keyHash,
      askedAt: proved?.askedAt,
      source,
      hold: (kept: Kept, bytes: number) => hold.take(kept, holder, bytes),
      isForwarded: isForwarded(headers),
      header: (name: string) => headers[name]?.toString(),
      // Few routes ask for it. No getter: V8 gives each object whose literal has one a shape of its own, and keeps the
      // request with it until a full collection.
      signal: () => disconnection(asked),
      present: () => callerOf(row, request),
      closing,
    } as Call<OperationName>
  }

  async function callerOf(row: Operation, { headers }: IncomingMessage): Promise<Caller | Refusal | undefined> {
    if (row.auth !== 'bearer') return undefined
    const caller = await authenticate(sessions, headers.authorization)
    return isRefusal(caller) ? caller : (suspension(row, caller) ?? caller)
  }

  function warn(reply: ServerResponse, version: ProtocolVersion | Refusal | undefined): void {
    const warning = isRefusal(version) ? undefined : deprecationWarning(version, protocolWindow)
    setHeaders(reply, { Warning: warning })
  }
}

/** Parses JSON. Leaves bytes to the route. Counts and discards a body that the row does not declare. */
async function readBody(
  { row, request }: Asked,
  { body, hold, holder, requestBytesMax }: Arriving & { readonly holder: Holder; readonly requestBytesMax: number },
): Promise<{ readonly json: unknown } | Refusal | undefined> {
  if (row.body?.type === 'application/octet-stream') return undefined
  if (row.body !== undefined) {
    const limitBytes = row.auth === 'bearer' ? requestBytesMax : Math.min(MAX_GUEST_JSON_BYTES, requestBytesMax)
    return (
      mediaType(row.body.type, (name) => request.headers[name]?.toString()) ??
      declaredTooLarge(request, limitBytes) ??
      hold.take('json', holder, mostBytesOf(request.headers['content-length'], limitBytes)) ??
      jsonOf(row.body, body, limitBytes)
    )
  }
  if (hasBody(request)) await body.skip(requestBytesMax)
  return undefined
}

/** Such a body needs no memory. What arrives is counted all the same: a chunked body declares nothing. */
function declaredTooLarge({ headers }: IncomingMessage, limitBytes: number): Refuses<'body_too_large'> | undefined {
  return Number(headers['content-length'] ?? 0) > limitBytes ? { refused: 'body_too_large' } : undefined
}

function holderOf(caller: Caller | undefined, source: string | undefined): Holder {
  return caller === undefined
    ? { kind: 'guest', key: networkOf(source) }
    : { kind: 'owner', key: caller.account.accountId, sessionId: caller.sessionId }
}

/** Aborts when the client disconnects. */
function disconnection({ row, request, reply }: Asked): AbortSignal {
  const disconnected = new AbortController()
  const abort = () => disconnected.abort(new BodyBroken('the client disconnected'))
  const judge = () => request.complete || abort()
  if (request.closed) judge()
  else request.once('close', judge)
  // Node closes a request once its body is complete, before the answer. A complete chunk is stored even if its client
  // has disconnected.
  if (row.body?.type !== 'application/octet-stream') whenClosed(reply, () => reply.writableEnded || abort())
  return disconnected.signal
}
