/** A guest's requests for one session: honest except where its attempt says so, with endless retries. */
import { HEADERS } from '@blindkeep/protocol/wire'
import { jsonOf, pause, type Reply } from './api.ts'
import type { Attempt } from './ledger.ts'
import { sha256 } from './random.ts'
import {
  createUploadRules,
  describeReply,
  isRefusalExpected,
  isRefusedForSpace,
  isSurelyClosed,
  type UploadPorts,
  type UploadRules,
} from './uploadRules.ts'

/** Fixed by suite 1; the server checks only its length. */
const KEM_CIPHERTEXT = Buffer.alloc(1120, 7).toString('base64')
/** As clients do. Without it, refused guests would occupy the machine until the server has room again. */
export const RETRY_PAUSE_MS = 50

/** A range of the content, in bytes. */
export interface Chunk {
  readonly offset: number
  readonly length: number
}

interface AppendOptions {
  readonly cutAfterMs?: number
  /** Sends bytes that do not match the declared checksum, as a bad line does. */
  readonly isGarbled?: boolean
}

export interface Upload {
  /** Until there is an answer, under one Idempotency-Key. False: the link refuses, or the disk is full. */
  create(): Promise<boolean>
  /** `X-Service-State` and the next offset; undefined when there is no session (any more). */
  state(): Promise<{ readonly state: string; readonly offset: number } | undefined>
  /** One try. Afterwards only `state` knows where the session is, unless the answer was a 204. */
  append(chunk: Chunk, options?: AppendOptions): Promise<Reply | undefined>
  /** True when it has ended the session; false when there was no answer, it came too late, or the disk is full. */
  cancel(): Promise<boolean>
}

interface Requester {
  readonly ports: UploadPorts
  readonly attempt: Attempt
  readonly content: Buffer<ArrayBuffer>
  readonly rules: UploadRules
  /** Of the chunks that were sent, by place: a chunk is often sent again, and a hash costs more than the request. */
  readonly checksums: Map<string, string>
}

/** `content`: the bytes to send; their hash is the declared one unless the attempt is false. */
export function createUpload(ports: UploadPorts, attempt: Attempt, content: Buffer<ArrayBuffer>): Upload {
  const checksums = new Map<string, string>(attempt.isFalse ? [] : [[`0 ${attempt.size}`, attempt.hash]])
  const requester = { ports, attempt, content, checksums, rules: createUploadRules(ports, attempt) }
  return {
    create: () => create(requester),
    state: () => askState(requester),
    append: (chunk, options) => append(requester, chunk, options),
    cancel: () => cancel(requester),
  }
}

async function create({ ports, attempt, rules }: Requester): Promise<boolean> {
  const { api, moments } = ports
  const { link } = attempt
  const closed = new Set(link.attempts.filter(isSurelyClosed))
  attempt.created = 'asked'
  moments.note('create sent')
  const reply = await api.askUntilAnswered({
    method: 'POST',
    path: `/d/${link.opaqueId}`,
    headers: { [HEADERS.idempotencyKey]: attempt.name },
    json: {
      content_type: 'application/octet-stream',
      size: attempt.size,
      ciphertext_hash: attempt.hash,
      kem_ct: KEM_CIPHERTEXT,
    },
  })
  if (reply.status === 201) {
    attempt.uploadId = jsonOf<{ upload_id: string }>(reply).upload_id
    attempt.created = 'acknowledged'
    moments.note('created')
    return true
  }
  if (isRefusedForSpace(ports, reply)) return false
  attempt.isClosed = true
  if (!isRefusalExpected(reply, attempt, closed)) rules.fault(`create was answered ${describeReply(reply)}`)
  if (reply.status !== 413) link.isRetired = true
  return false
}

async function askState({ ports, attempt, rules }: Requester): ReturnType<Upload['state']> {
  const before = attempt.acknowledgedOffset
  const reply = await ports.api.askUntilAnswered({ method: 'HEAD', path: pathOf(attempt) })
  if (reply.status === 404) {
    rules.noteNotFound('HEAD', attempt.cancelled !== 'no')
    return undefined
  }
  const state = reply.header(HEADERS.state) ?? ''
  if (reply.status !== 200) rules.fault(`HEAD was answered ${describeReply(reply)}`)
  if (attempt.cancelled === 'acknowledged') rules.fault(`a cancelled session is ${state}`)
  rules.noteOffset(reply.offset, before)
  if (state === 'landed') rules.noteLanded(false)
  if (state === 'failed') rules.noteFailed()
  return { state, offset: reply.offset }
}

async function append(
  { ports, attempt, content, rules, checksums }: Requester,
  { offset, length }: Chunk,
  { cutAfterMs, isGarbled = false }: AppendOptions = {},
): Promise<Reply | undefined> {
  const { api, moments } = ports
  const chunk = content.subarray(offset, offset + length)
  const place = `${offset} ${length}`
  const checksum = checksums.get(place) ?? sha256(chunk)
  checksums.set(place, checksum)
  const isLast = offset + length === attempt.size
  if (isLast) attempt.lastChunk = { offset, length }
  if (isLast && attempt.landed === 'no') attempt.landed = 'asked'
  moments.note(isLast ? 'last chunk sent' : 'chunk sent')
  const { hasPendingRequest: hadPendingRequest, acknowledgedOffset: before } = attempt
  const reply = await api.ask({
    method: 'PATCH',
    path: pathOf(attempt),
    headers: { [HEADERS.offset]: String(offset), [HEADERS.checksum]: checksum },
    bytes: isGarbled ? Buffer.alloc(length, 0xff) : chunk,
    ...(cutAfterMs !== undefined && { cutAfterMs }),
  })
  // A missing answer means that the process has died and runs the request no further, unless the guest itself cut the
  // connection.
  if (cutAfterMs !== undefined) attempt.hasPendingRequest = true
  if (reply !== undefined) rules.judgeAppend(reply, { end: offset + length, isLast, hadPendingRequest, before })
  if (reply !== undefined && reply.status >= 500) await pause(RETRY_PAUSE_MS)
  return reply
}

async function cancel({ ports, attempt, rules }: Requester): Promise<boolean> {
  const { api, ledger, moments } = ports
  const isFirst = attempt.cancelled === 'no'
  if (isFirst) attempt.cancelled = 'asked'
  moments.note('cancel sent')
  const reply = await api.ask({ method: 'DELETE', path: pathOf(attempt) })
  if (reply === undefined || isRefusedForSpace(ports, reply)) {
    await pause(RETRY_PAUSE_MS)
    return false
  }
  if (reply.status === 404) rules.noteNotFound('cancel', !isFirst)
  else if (reply.status === 204) {
    attempt.cancelled = 'acknowledged'
    attempt.isClosed = true
    ledger.counts.cancels++
    if (attempt.landed === 'acknowledged') rules.fault('both its landing and its cancel were acknowledged')
  } else if (reply.status !== 409 || attempt.landed === 'no') rules.fault(`cancel was answered ${describeReply(reply)}`)
  return reply.status !== 409
}

function pathOf({ link, uploadId }: Attempt): string {
  return `/d/${link.opaqueId}/${uploadId}`
}
