/** What an honest server may answer to the requests of one session. Every other answer is a fault in the ledger. */
import type { Api, Reply } from './api.ts'
import { type Attempt, describeAttempt, type Ledger, mayBeSpent, mayHaveBeenEnded } from './ledger.ts'
import type { Moments } from './moments.ts'

export interface UploadPorts {
  readonly api: Api
  readonly ledger: Ledger
  readonly moments: Moments
  /** Whether the disk is full, or was a moment ago. Only then may the server refuse a request for want of space. */
  readonly isDiskTroubled: () => boolean
}

/** A full disk may keep the database from writing too. */
const FOR_SPACE: ReadonlySet<string> = new Set(['error.storage.full', 'error.storage.unavailable'])

/** Whether the server refused a request because its disk is full, and may do so. */
export function isRefusedForSpace(
  { isDiskTroubled, ledger }: Pick<UploadPorts, 'isDiskTroubled' | 'ledger'>,
  reply: Reply,
): boolean {
  const isRefused = reply.status === 500 && FOR_SPACE.has(reply.code ?? '') && isDiskTroubled()
  if (isRefused) ledger.counts.refusedForSpace++
  return isRefused
}

export function describeReply({ status, code }: Reply): string {
  return `${status} ${code ?? ''}`
}

/** A chunk that was sent, and what the ledger knew at that time. */
interface SentChunk {
  /** Offset behind its last byte. */
  readonly end: number
  readonly isLast: boolean
  readonly hadPendingRequest: boolean
  /** Acknowledged bytes. */
  readonly before: number
}

export type UploadRules = ReturnType<typeof createUploadRules>

export function createUploadRules(ports: UploadPorts, attempt: Attempt) {
  const { ledger, moments } = ports
  const fault = (what: string) => ledger.fault(`${what}: ${describeAttempt(attempt)}`)

  /** Nothing more is sent. The 404 is a fault unless expected, or owner or sibling may have ended the session. */
  function noteNotFound(request: string, isExpected: boolean): void {
    attempt.isClosed = true
    if (!isExpected && !mayHaveBeenEnded(attempt)) fault(`404 on ${request}, and no request ended the session`)
  }

  /** `before`: acknowledged at the request. Answers of racing requests arrive in either order. */
  function noteOffset(offset: number, before: number): void {
    if (!(offset >= before)) fault(`the server goes back from ${before} to ${offset}`)
    attempt.acknowledgedOffset = Math.max(attempt.acknowledgedOffset, offset || 0)
  }

  function noteLanded(isAnswerToLastChunk: boolean): void {
    if (attempt.isFalse) fault('it landed with bytes other than the declared ones')
    if (attempt.landed === 'no') fault('it landed without its last chunk')
    if (attempt.landed === 'acknowledged') return
    attempt.landed = 'acknowledged'
    ledger.counts[isAnswerToLastChunk ? 'landings' : 'landingsConfirmedLater']++
    moments.note('landed')
  }

  function noteFailed(): void {
    attempt.isClosed = true
    if (!attempt.isFalse) fault('an honest session failed')
    ledger.counts.failures++
  }

  function noteAppended(reply: Reply, { end, isLast }: SentChunk): void {
    if (reply.offset !== end) fault(`a chunk that ends at ${end} led to ${reply.offset}`)
    ledger.counts.chunks++
    ledger.counts.bytes += Math.max(0, end - attempt.acknowledgedOffset)
    attempt.acknowledgedOffset = Math.max(attempt.acknowledgedOffset, end)
    if (!isLast) return
    noteLanded(true)
    if (attempt.cancelled === 'acknowledged') fault('both its landing and its cancel were acknowledged')
  }

  function judgeAppend(reply: Reply, chunk: SentChunk): void {
    const { end, hadPendingRequest, before } = chunk
    if (reply.status === 204) noteAppended(reply, chunk)
    else if (isRefusedForSpace(ports, reply)) attempt.hasPendingRequest = true
    else if (reply.status === 404) noteNotFound('a chunk', attempt.cancelled !== 'no')
    else if (reply.code === 'error.upload.content_hash_mismatch') noteFailed()
    // An earlier request whose answer no guest awaited may have been recorded meanwhile.
    else if (reply.status === 409 && (hadPendingRequest || attempt.hasPendingRequest)) noteOffset(reply.offset, before)
    else fault(`a chunk that ends at ${end} was answered ${describeReply(reply)}, offset ${reply.offset}`)
  }

  return { fault, noteNotFound, noteOffset, noteLanded, noteFailed, judgeAppend }
}

/** Whether the link explains a refusal. `closed`: attempts without a slot when the request was sent. */
export function isRefusalExpected(reply: Reply, attempt: Attempt, closed: ReadonlySet<Attempt>): boolean {
  const { link, size } = attempt
  switch (reply.status) {
    case 413:
      return size > (link.maxFileSize ?? size)
    case 409:
      return mayBeFull(attempt, closed)
    case 404:
      return link.revoked !== 'no' || mayBeSpent(link)
    default:
      return false
  }
}

/** The attempt certainly occupies no slot on its link. */
export function isSurelyClosed({ created, cancelled, isClosed, landed }: Attempt): boolean {
  return created === 'no' || cancelled === 'acknowledged' || (isClosed && landed !== 'acknowledged')
}

/** Whether caps may have been exhausted, with each attempt that may have had a slot meanwhile. */
function mayBeFull(attempt: Attempt, closed: ReadonlySet<Attempt>): boolean {
  const { link } = attempt
  const others = link.attempts.filter((other) => other !== attempt && other.created !== 'no' && !closed.has(other))
  const bytes = others.reduce((sum, { size }) => sum + size, 0)
  const isFullOfFiles = link.maxFileCount !== undefined && others.length >= link.maxFileCount
  return isFullOfFiles || (link.maxTotalBytes !== undefined && bytes + attempt.size > link.maxTotalBytes)
}
