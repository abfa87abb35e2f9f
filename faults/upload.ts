/** What a guest asks for one session, and how each answer is judged. A guest here is honest but for what its attempt says, and never tires. */
import { HEADERS } from '@blindkeep/protocol/wire'
import { type Api, jsonOf, type Reply } from './api.ts'
import { type Attempt, describeAttempt, type Ledger, mayBeSpent, mayHaveBeenEnded } from './ledger.ts'
import type { Moments } from './moments.ts'
import { sha256 } from './random.ts'

export interface UploadPorts {
  readonly api: Api
  readonly ledger: Ledger
  readonly moments: Moments
  /** Whether the disk may be full, or may have been a moment ago: then a request may be refused for that, and for nothing else. */
  readonly isDiskTroubled: () => boolean
}

/** What a full disk allows the server to say instead of doing what it was asked. */
export function isRefusedForSpace(
  { isDiskTroubled, ledger }: Pick<UploadPorts, 'isDiskTroubled' | 'ledger'>,
  reply: Reply,
): boolean {
  const isRefused = reply.status === 500 && reply.code === 'error.storage.unavailable' && isDiskTroubled()
  if (isRefused) ledger.counts.refusedForSpace++
  return isRefused
}

/** Fixed by suite 1; the server looks at its length alone. */
const KEM_CIPHERTEXT = Buffer.alloc(1120, 7).toString('base64')

/** Of the content, in bytes. */
export interface Chunk {
  readonly offset: number
  readonly length: number
}

interface AppendOptions {
  readonly cutAfterMs?: number
  /** Other bytes than those whose checksum is given, as a bad line makes them. */
  readonly isGarbled?: boolean
}

/** A chunk that was sent, and what was known when it was. */
interface Appended {
  /** Offset behind its last byte. */
  readonly end: number
  readonly isLast: boolean
  readonly hadLooseRequest: boolean
  /** Acknowledged bytes. */
  readonly before: number
}

export type Upload = ReturnType<typeof createUpload>

/** `content` are the bytes that are sent; their hash is the declared one unless the attempt is false. */
export function createUpload(ports: UploadPorts, attempt: Attempt, content: Buffer) {
  const { api, ledger, moments } = ports
  const { link } = attempt
  const path = () => `/d/${link.opaqueId}/${attempt.uploadId}`
  const fault = (what: string) => ledger.fault(`${what}: ${describeAttempt(attempt)}`)
  const told = (reply: Reply) => `${reply.status} ${reply.code ?? ''}`

  /** Legitimate only if somebody may have ended the session; either way it is over for this guest. */
  function noteGone(doing: string, isExpected: boolean): void {
    attempt.isGone = true
    if (!isExpected && !mayHaveBeenEnded(attempt)) fault(`404 on ${doing}, and nobody ended it`)
  }

  /** `before` is what was acknowledged when the request was sent: two that race may be answered in either order. */
  function noteOffset(offset: number, before: number): void {
    if (!(offset >= before)) fault(`the server goes back from ${before} to ${offset}`)
    attempt.acknowledgedOffset = Math.max(attempt.acknowledgedOffset, offset || 0)
  }

  function noteLanded(isAnswerToLastChunk: boolean): void {
    if (attempt.isFalse) fault('bytes landed that are not the declared ones')
    if (attempt.landed === 'no') fault('it landed without its last chunk')
    if (attempt.landed === 'acknowledged') return
    attempt.landed = 'acknowledged'
    ledger.counts[isAnswerToLastChunk ? 'landings' : 'landingsLearntLater']++
    moments.note('landed')
  }

  function noteFailed(): void {
    attempt.isGone = true
    if (!attempt.isFalse) fault('an honest session failed')
    ledger.counts.failures++
  }

  return {
    /** Repeats until there is an answer, under one Idempotency-Key. False when the link does not take the file, or there is no space. */
    async create(): Promise<boolean> {
      const gone = new Set(link.attempts.filter(isSurelyGone))
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
      attempt.isGone = true
      const isTooLarge = attempt.size > (link.maxFileSize ?? attempt.size)
      const isExpected =
        (reply.status === 413 && isTooLarge) ||
        (reply.status === 409 && mayBeFull(attempt, gone)) ||
        (reply.status === 404 && (link.revoked !== 'no' || mayBeSpent(link)))
      if (!isExpected) fault(`create was answered ${told(reply)}`)
      if (reply.status !== 413) link.isRetired = true
      return false
    },

    /** `X-Service-State` and where to go on; undefined when the session is gone. */
    async standing(): Promise<{ readonly state: string; readonly offset: number } | undefined> {
      const before = attempt.acknowledgedOffset
      const reply = await api.askUntilAnswered({ method: 'HEAD', path: path() })
      if (reply.status === 404) {
        noteGone('HEAD', attempt.cancelled !== 'no')
        return undefined
      }
      const state = reply.header(HEADERS.state) ?? ''
      if (reply.status !== 200) fault(`HEAD was answered ${told(reply)}`)
      if (attempt.cancelled === 'acknowledged') fault(`a cancelled session is ${state}`)
      noteOffset(reply.offset, before)
      if (state === 'landed') noteLanded(false)
      if (state === 'failed') noteFailed()
      return { state, offset: reply.offset }
    },

    /** One try. Afterwards only `standing` knows where the session is, unless the answer was a 204. */
    async append(
      { offset, length }: Chunk,
      { cutAfterMs, isGarbled = false }: AppendOptions = {},
    ): Promise<Reply | undefined> {
      const chunk = content.subarray(offset, offset + length)
      const isLast = offset + length === attempt.size
      if (isLast) attempt.lastChunk = { offset, length }
      if (isLast && attempt.landed === 'no') attempt.landed = 'asked'
      moments.note(isLast ? 'last chunk sent' : 'chunk sent')
      const { hasLooseRequest: hadLooseRequest, acknowledgedOffset: before } = attempt
      const reply = await api.ask({
        method: 'PATCH',
        path: path(),
        headers: { [HEADERS.offset]: String(offset), [HEADERS.checksum]: sha256(chunk) },
        bytes: isGarbled ? Buffer.alloc(length, 0xff) : chunk,
        ...(cutAfterMs !== undefined && { cutAfterMs }),
      })
      // Without an answer the process has died, and takes nothing up again, unless it was the guest who cut the connection.
      if (cutAfterMs !== undefined) attempt.hasLooseRequest = true
      if (reply !== undefined) judgeAppend(reply, { end: offset + length, isLast, hadLooseRequest, before })
      return reply
    },

    /** True when the session is gone by it; false when there was no answer, it came too late, or there was no space. */
    async cancel(): Promise<boolean> {
      const isFirst = attempt.cancelled === 'no'
      if (isFirst) attempt.cancelled = 'asked'
      moments.note('cancel sent')
      const reply = await api.ask({ method: 'DELETE', path: path() })
      if (reply === undefined || isRefusedForSpace(ports, reply)) return false
      if (reply.status === 404) noteGone('cancel', !isFirst)
      else if (reply.status === 204) {
        attempt.cancelled = 'acknowledged'
        attempt.isGone = true
        ledger.counts.cancels++
        if (attempt.landed === 'acknowledged') fault('both its landing and its cancel were acknowledged')
      } else if (reply.status !== 409 || attempt.landed === 'no') fault(`cancel was answered ${told(reply)}`)
      return reply.status !== 409
    },
  }

  function judgeAppend(reply: Reply, { end, isLast, hadLooseRequest, before }: Appended): void {
    if (reply.status === 204) noteAppended(reply, end, isLast)
    else if (isRefusedForSpace(ports, reply)) attempt.hasLooseRequest = true
    else if (reply.status === 404) noteGone('a chunk', attempt.cancelled !== 'no')
    else if (reply.code === 'error.upload.content_hash_mismatch') noteFailed()
    // An earlier request that nobody waited for may have been recorded meanwhile.
    else if (reply.status === 409 && (hadLooseRequest || attempt.hasLooseRequest)) noteOffset(reply.offset, before)
    else fault(`a chunk that ends at ${end} was answered ${told(reply)}, offset ${reply.offset}`)
  }

  function noteAppended(reply: Reply, end: number, isLast: boolean): void {
    if (reply.offset !== end) fault(`a chunk that ends at ${end} led to ${reply.offset}`)
    ledger.counts.chunks++
    ledger.counts.bytes += Math.max(0, end - attempt.acknowledgedOffset)
    attempt.acknowledgedOffset = Math.max(attempt.acknowledgedOffset, end)
    if (!isLast) return
    noteLanded(true)
    if (attempt.cancelled === 'acknowledged') fault('both its landing and its cancel were acknowledged')
  }
}

/** It was known, before the request was sent, to hold no place on its link. */
function isSurelyGone({ created, cancelled, isGone, landed }: Attempt): boolean {
  return created === 'no' || cancelled === 'acknowledged' || (isGone && landed !== 'acknowledged')
}

/** Whether the link's caps can have had no place left, at the most that may have been taken while the request was on its way. */
function mayBeFull(attempt: Attempt, gone: ReadonlySet<Attempt>): boolean {
  const { link } = attempt
  const taken = link.attempts.filter((other) => other !== attempt && other.created !== 'no' && !gone.has(other))
  const takenBytes = taken.reduce((sum, { size }) => sum + size, 0)
  const isFullOfFiles = link.maxFileCount !== undefined && taken.length >= link.maxFileCount
  return isFullOfFiles || (link.maxTotalBytes !== undefined && takenBytes + attempt.size > link.maxTotalBytes)
}
