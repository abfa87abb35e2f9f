import type { ProtocolVersion } from '@blindkeep/protocol/ids'
import type { Operation, OperationName } from '@blindkeep/protocol/operations'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Sessions } from '../domain/account/sessions.ts'
import type { AcceptedVersions } from '../domain/discovery/protocolWindow.ts'
import { isRefusal, type Refusal } from '../domain/refusals.ts'
import { type Body, BodyBroken, hasBody } from './body.ts'
import type { Call } from './call.ts'
import {
  authenticate,
  deprecationWarning,
  headerForms,
  jsonOf,
  mediaType,
  negotiation,
  pathIds,
  queryOf,
  spokenVersion,
  suspension,
  writtenVersion,
} from './gates.ts'
import { queryAt } from './paths.ts'
import type { Exchange } from './reply.ts'
import { isForwarded, sourceOf } from './source.ts'

interface AdmissionPorts {
  readonly sessions: Sessions
  readonly protocolWindow: AcceptedVersions
  /** Aborts when the server ends. */
  readonly closing: AbortSignal
}

interface AdmissionSettings {
  readonly requestBytesMax: number
  readonly trustedProxies: readonly string[]
}

/** A request whose path and method have a row. */
export type Asked = Exchange & { readonly row: Operation }

/**
 * Leads a request through the gates of its row and makes the call for its route. The first gate that refuses gives the answer.
 * Here is the order of the gates; `gates.ts` has each gate on its own.
 */
export type Admit = (asked: Asked, body: Body) => Promise<Call<OperationName> | Refusal>

export function createAdmit({ sessions, protocolWindow, closing }: AdmissionPorts, settings: AdmissionSettings): Admit {
  return async (asked, body) => {
    const { row, request, reply } = asked
    const { headers } = request
    const window = () => protocolWindow.current()
    const spoken = spokenVersion(row, headers)
    warn(reply, spoken)

    // 401, 403
    const caller = await callerOf(row, request)
    if (isRefusal(caller)) return caller

    // 400, 426
    const early = headerForms(row, headers) ?? negotiation(row, spoken, window())
    if (early !== undefined) return early

    // 400, or 404 to a guest
    const params = pathIds(row, request.params as Record<string, string>)
    if (isRefusal(params)) return params

    // 400, 422
    const query = queryOf(row.query ?? {}, queryAt(request.url))
    if (row.query !== undefined && isRefusal(query)) return query

    // 415, 413, 400, 422
    const read = await readBody(asked, body, settings.requestBytesMax)
    if (isRefusal(read)) return read

    // 426
    const written = writtenVersion(row, read?.json)
    warn(reply, written)
    const late = negotiation(row, written, window())
    if (late !== undefined) return late

    // 401, 403 again, because the body took time to arrive. The rule of a chunk checks again itself, once the chunk is there.
    const present = row.writes === true && read !== undefined ? await callerOf(row, request) : caller
    if (isRefusal(present)) return present

    return {
      body,
      params,
      query,
      json: read?.json,
      caller: present,
      source: sourceOf(request.ip, settings.trustedProxies.length > 0),
      isForwarded: isForwarded(headers),
      header: (name: string) => headers[name]?.toString(),
      signal: disconnection(asked),
      closing,
    } as Call<OperationName>
  }

  async function callerOf(row: Operation, { headers }: FastifyRequest): Promise<Caller | Refusal | undefined> {
    if (row.auth !== 'bearer') return undefined
    const caller = await authenticate(sessions, headers.authorization)
    return isRefusal(caller) ? caller : (suspension(row, caller) ?? caller)
  }

  function warn(reply: FastifyReply, version: ProtocolVersion | Refusal | undefined): void {
    const warning = isRefusal(version) ? undefined : deprecationWarning(version, protocolWindow)
    if (warning !== undefined) reply.header('Warning', warning)
  }
}

/** JSON, parsed. Bytes are left to the route. A body that the row does not take is counted and thrown away. */
async function readBody(
  { row, request }: Asked,
  body: Body,
  limitBytes: number,
): Promise<{ readonly json: unknown } | Refusal | undefined> {
  if (row.body?.type === 'application/octet-stream') return undefined
  if (row.body !== undefined)
    return mediaType(row.body.type, (name) => request.headers[name]?.toString()) ?? jsonOf(row.body, body, limitBytes)
  if (!hasBody(request.raw)) return undefined
  return (await body.drain(limitBytes)) === 'too_large' ? { refused: 'body_too_large' } : undefined
}

/** Aborts when the client disconnects. */
function disconnection({ row, request, reply }: Asked): AbortSignal {
  const disconnected = new AbortController()
  const abort = () => disconnected.abort(new BodyBroken('the client disconnected'))
  request.raw.once('close', () => request.raw.complete || abort())
  // Node closes a request once its body is complete, before the answer. A complete chunk is stored even if its client has disconnected.
  if (row.body?.type !== 'application/octet-stream') reply.raw.once('close', () => reply.raw.writableEnded || abort())
  return disconnected.signal
}
