import { type Operation, problemsOf } from '@blindkeep/protocol/operations'
import type { Sessions } from '../domain/account/sessions.ts'
import { isRefusal, type Reason, type Refusal } from '../domain/ground/refusals.ts'
import { BlobMissing, StorageFull, StorageUnavailable } from '../ground/storageErrors.ts'
import type { Log } from '../ports/log.ts'
import { StoreBroken } from '../ports/store.ts'
import { authenticate, hiddenNotFound, suspension } from './gates.ts'
import { pageMethodsAt } from './pages.ts'
import { methodsOf, rowsAt } from './paths.ts'
import { codeOf } from './problem.ts'
import { type Exchange, type Incoming, writeRefusal } from './reply.ts'
import { type Body, BodyBroken, BodyTooLarge, BodyTooSlow, bodyOf, hasBody } from './sockets/body.ts'

interface ErrorPorts {
  readonly sessions: Sessions
  readonly log: Log
  /** The process must end: what the database says can no longer be relied on. */
  readonly onBroken: (error: StoreBroken) => void
}

interface BodyLimits {
  readonly requestBytesMax: number
  readonly chunkBytesMax: number
}

interface Fault extends Pick<Exchange, 'id'> {
  readonly row: Operation | undefined
  readonly refusal: Refusal
}

export interface Errors {
  /** Answers with a problem. Reads the body's rest first, up to the limit: a sending client sees the answer. */
  refuse(
    exchange: Exchange & { readonly row?: Operation; readonly refusal: Refusal; readonly body?: Body },
  ): Promise<void>
  /** The refusal for an exception of a row's gates, rule or answer. Logs what is the server's fault. */
  refusalOf(error: unknown, exchange: { readonly row: Operation; readonly id: string }): Refusal
  /** Answers to a path that cannot be decoded: 400 to an account holder, as to any malformed id; 404 to all others. */
  refuseUndecodable(exchange: Exchange): Promise<void>
}

/** The refusals with 500 that are no exceptions, and what they come from. */
const CAUSES: Readonly<Partial<Record<Reason, string>>> = {
  storage_full:
    'free disk space is below FREE_SPACE_FLOOR_BYTES, too small for the file beside what open uploads still lack, or used up',
  storage_unavailable: 'the bytes are missing, damaged or suspected, or the disk does not answer',
  overloaded: 'requests and answers under way take all memory that they may',
}
const LOGGED = Symbol('logged')

export function createErrors({ sessions, log, onBroken }: ErrorPorts, limits: BodyLimits): Errors {
  const refuse: Errors['refuse'] = async ({ row, id, request, reply, refusal, body = bodyOf(request) }) => {
    const takesChunk = row?.body?.type === 'application/octet-stream'
    const limitBytes = takesChunk ? limits.chunkBytesMax : limits.requestBytesMax
    const hasEnded = !hasBody(request) || (await body.drain(limitBytes))
    logFault({ row, id, refusal })
    writeRefusal({ row, id, reply, refusal, unfinished: hasEnded ? undefined : body })
  }

  /** Every 500 has its cause in the log. An exception has it there already. */
  function logFault({ row, id, refusal }: Fault): void {
    const cause = CAUSES[refusal.refused]
    if (cause === undefined || ('cause' in refusal && refusal.cause === LOGGED)) return
    const error = 'cause' in refusal ? refusal.cause : undefined
    log.error('refused', { requestId: id, route: row?.path ?? 'unknown', code: codeOf(refusal), cause, error })
  }

  const refusalOf: Errors['refusalOf'] = (error, { row, id }) => {
    if (error instanceof BodyTooLarge) return { refused: 'body_too_large' }
    if (error instanceof BodyTooSlow) return { refused: 'body_too_slow' }
    if (error instanceof BodyBroken) return { refused: 'request_malformed', detail: 'the body was cut off' }
    log.error('failed', { requestId: id, route: row.path, error })
    if (error instanceof StoreBroken) onBroken(error)
    // The specification has one answer for every reason why the list cannot be read (Discovery, revoked-jti).
    if (row.problems.includes('error.federation.revocations_unavailable')) return { refused: 'revocations_unavailable' }
    if (error instanceof StorageFull && problemsOf(row).includes('error.storage.full'))
      return { refused: 'storage_full', cause: LOGGED }
    return error instanceof StorageUnavailable || error instanceof BlobMissing
      ? { refused: 'storage_unavailable', cause: LOGGED }
      : { refused: 'failed' }
  }

  return {
    refuse,
    refusalOf,
    async refuseUndecodable(exchange) {
      const { request } = exchange
      const row = rowOf(request)
      if (row?.auth !== 'bearer') return refuse({ ...exchange, refusal: unknownPath(request) })
      try {
        const caller = await authenticate(sessions, request.headers.authorization)
        const malformed = { refused: 'request_malformed', detail: 'the path cannot be decoded' } as const
        const refusal = isRefusal(caller) ? caller : (suspension(row, caller) ?? malformed)
        return await refuse({ ...exchange, row, refusal })
      } catch (error) {
        return refuse({ ...exchange, row, refusal: refusalOf(error, { ...exchange, row }) })
      }
    },
  }
}

/** Why the router found no route. If path and method have a row all the same, an id in the path cannot be decoded. */
export function unknownPath(request: Incoming): Refusal {
  const row = rowOf(request)
  if (row !== undefined) return row.auth === 'link' ? hiddenNotFound(row) : { refused: 'not_found' }
  const rows = rowsAt(request.url)
  const allow = rows.length > 0 ? rows.flatMap(methodsOf) : pageMethodsAt(request.url)
  return allow === undefined || allow.some((method) => method === request.method)
    ? { refused: 'not_found' }
    : { refused: 'method_not_allowed', allow }
}

function rowOf({ url, method }: Incoming): Operation | undefined {
  return rowsAt(url).find((row) => methodsOf(row).some((each) => each === method))
}
