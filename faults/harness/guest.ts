/** A guest: sends files, abandons and resumes sessions, and continues through restarts. */
import { inspect } from 'node:util'
import { verifiers } from '@blindkeep/client/receipts'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { verifyReceipt } from '@blindkeep/protocol/receipt'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { jsonOf, pause } from './api.ts'
import { type Attempt, describeAttempt, isOver, type Link, newAttempt } from './ledger.ts'
import type { Pool } from './pool.ts'
import { type Random, randomContent, sha256 } from './random.ts'
import { type Chunk, createUpload, RETRY_PAUSE_MS, type Upload } from './upload.ts'
import type { UploadPorts } from './uploadRules.ts'

export interface GuestPorts extends UploadPorts {
  readonly pool: Pool
  readonly seed: string
  /** The 1984 published bytes, by key id. */
  readonly attestationKeys: ReadonlyMap<string, Uint8Array>
  readonly maxFileBytes: number
}

/** How a guest treats a session. */
const BEHAVIOURS = ['whole', 'cut', 'twice', 'garbled', 'cancel early', 'cancel late', 'give up'] as const
type Behaviour = (typeof BEHAVIOURS)[number]
const BEHAVIOUR_WEIGHTS: Readonly<Record<Behaviour, number>> = {
  whole: 50,
  cut: 12,
  twice: 8,
  garbled: 8,
  'cancel early': 8,
  'cancel late': 8,
  'give up': 10,
}

const MEBIBYTE = 1024 * 1024
/** Percent of the files, with their smallest and largest size in bytes. */
const SIZES: readonly (readonly [share: number, min: number, max: number])[] = [
  [15, 1, 16],
  [25, 17, 65_536],
  [30, 65_537, MEBIBYTE],
  [20, MEBIBYTE + 1, 6 * MEBIBYTE],
  [10, 6 * MEBIBYTE + 1, 30 * MEBIBYTE],
]
const FALSE_SHARE = 0.04
const MAX_CHUNK_BYTES = 9 * MEBIBYTE + 1
const MAX_ABANDONED = 20
const MAX_STALL_MS = 120_000

/** Sends until `isStopping`, then finishes its current file. */
export async function runGuest(ports: GuestPorts, random: Random, isStopping: () => boolean): Promise<void> {
  const { pool, ledger } = ports
  for (let index = 0; !isStopping(); index++) {
    const own = random.fork(String(index))
    const abandoned = own.chance(pool.abandoned.length / MAX_ABANDONED) ? pool.abandoned.shift() : undefined
    if (abandoned !== undefined) {
      await settle(ports, abandoned, own)
      continue
    }
    const { attempt, content } = planned(await pool.take(own), ports, own)
    ledger.counts.attempts++
    await send(ports, { attempt, content, random: own, behaviour: behaviourOf(own) })
  }
}

/** Finishes or cancels an abandoned session. */
export async function settle(ports: GuestPorts, attempt: Attempt, random: Random): Promise<void> {
  const content = randomContent(attempt.name, attempt.size)
  await send(ports, { attempt, content, random, behaviour: random.chance(0.6) ? 'whole' : 'cancel early' })
}

function planned(link: Link, { ledger, seed, maxFileBytes }: GuestPorts, random: Random) {
  const name = `${seed}-${random.hex(8)}`
  const size = Math.min(sizeOf(random), maxFileBytes - random.integer(0, 1000))
  const isFalse = random.chance(FALSE_SHARE)
  const content = randomContent(name, size)
  const hash = sha256(isFalse ? randomContent(`${name} declared`, size) : content)
  const attempt = newAttempt({ name, link, size, hash, isFalse })
  link.attempts.push(attempt)
  ledger.attempts.push(attempt)
  return { attempt, content }
}

function sizeOf(random: Random): number {
  const [, min, max] = byWeight(SIZES, ([share]) => share, random)
  return random.integer(min, max)
}

function behaviourOf(random: Random): Behaviour {
  return byWeight(BEHAVIOURS, (behaviour) => BEHAVIOUR_WEIGHTS[behaviour], random)
}

export function byWeight<Value>(values: readonly Value[], weight: (value: Value) => number, random: Random): Value {
  let left = random.fraction() * values.reduce((sum, value) => sum + weight(value), 0)
  for (const value of values) {
    left -= weight(value)
    if (left < 0) return value
  }
  return random.pick(values)
}

interface Sending {
  readonly attempt: Attempt
  readonly content: Buffer<ArrayBuffer>
  readonly random: Random
  readonly behaviour: Behaviour
}

async function send(ports: GuestPorts, { attempt, content, random, behaviour }: Sending): Promise<void> {
  const upload = createUpload(ports, attempt, content)
  try {
    while (attempt.uploadId === undefined && !(await upload.create())) {
      if (attempt.isClosed) return
      await pause(RETRY_PAUSE_MS)
    }
    const isDone = await transfer({ ports, attempt, upload, random, behaviour })
    if (!isDone) ports.pool.abandoned.push(attempt)
    else if (attempt.landed === 'acknowledged') await fetchReceipt(ports, attempt)
  } catch (error) {
    attempt.isClosed = true
    ports.ledger.fault(`${inspect(error)}: ${describeAttempt(attempt)}`)
  }
}

interface Transfer {
  readonly ports: GuestPorts
  readonly attempt: Attempt
  readonly upload: Upload
  readonly random: Random
  readonly behaviour: Behaviour
}

/** Chunk by chunk until the session is over. False when the guest abandons it. */
async function transfer({ attempt, upload, random, behaviour, ports }: Transfer): Promise<boolean> {
  const deadline = ports.api.deadline(MAX_STALL_MS)
  let acknowledged = attempt.acknowledgedOffset
  const chunkBytes = Math.min(MAX_CHUNK_BYTES, random.integer(Math.ceil(attempt.size / 8), attempt.size) | 1)
  /** The offset at which a guest that abandons or cancels does so. */
  const turnAt = random.fraction() * attempt.size
  let known = attempt.acknowledgedOffset
  for (let mustAsk = true; !isOver(attempt); ) {
    if (attempt.acknowledgedOffset > acknowledged) deadline.restart()
    acknowledged = attempt.acknowledgedOffset
    if (deadline.isOver()) throw new Error(`no progress in ${MAX_STALL_MS / 1000} s of the server’s time`)
    if (mustAsk) {
      const current = await upload.state()
      if (current === undefined || isOver(attempt)) break
      known = current.offset
      // The server has the last byte: the session lands by itself, or the guest repeats its last chunk for the answer.
      if (current.state === 'finishing' && random.chance(0.7)) {
        await pause(5)
        continue
      }
    }
    if (behaviour === 'give up' && known >= turnAt && known > 0) return false
    if (behaviour === 'cancel early' && known >= turnAt) {
      if (await upload.cancel()) break
      mustAsk = true
      continue
    }
    const next = { offset: known, length: Math.min(chunkBytes, attempt.size - known) }
    mustAsk = await step({ ports, attempt, upload, random, behaviour }, known < attempt.size ? next : lastOf(attempt))
    known = attempt.acknowledgedOffset
  }
  return true
}

/** Sends one chunk as the behaviour demands. True when only the server knows the outcome. */
async function step({ ports, attempt, upload, random, behaviour }: Transfer, chunk: Chunk): Promise<boolean> {
  const isLast = chunk.offset + chunk.length === attempt.size
  const [once, again] = [() => upload.append(chunk), () => upload.append(chunk)]
  if (behaviour === 'twice' && (isLast || random.chance(0.3))) {
    attempt.hasPendingRequest = true
    await Promise.all([once(), again()])
    return true
  }
  // The newer request takes over, and no byte of the older one may reach the file from then on.
  if (behaviour === 'garbled' && random.chance(0.6)) {
    attempt.hasPendingRequest = true
    await Promise.all([upload.append(chunk, { isGarbled: true }), pause(random.integer(0, 10)).then(once)])
    return true
  }
  if (behaviour === 'cancel late' && isLast) {
    attempt.hasPendingRequest = true
    await Promise.all([once(), pause(random.integer(0, 30)).then(upload.cancel)])
    return true
  }
  if (behaviour === 'cut' && random.chance(0.5)) {
    await upload.append(chunk, { cutAfterMs: random.integer(1, 30) })
    return true
  }
  // After a missing answer, half of the guests ask for the state. The others repeat the chunk, which gets the answer
  // that the first one got.
  const repeats = random.chance(0.5)
  let reply = await once()
  for (const deadline = ports.api.deadline(MAX_STALL_MS); reply === undefined && repeats && !deadline.isOver(); ) {
    await pause(RETRY_PAUSE_MS)
    reply = await again()
  }
  return reply?.status !== 204
}

function lastOf({ lastChunk }: Attempt): Chunk {
  if (lastChunk === undefined) throw new Error('the server has all bytes, and the last chunk was never sent')
  return lastChunk
}

/** Fetches the guest's receipt: it must verify, be of this file, and never change. */
export async function fetchReceipt(
  { api, ledger, attestationKeys }: Pick<GuestPorts, 'api' | 'ledger' | 'attestationKeys'>,
  attempt: Attempt,
): Promise<void> {
  const fault = (what: string) => ledger.fault(`${what}: ${describeAttempt(attempt)}`)
  const path = `/d/${attempt.link.opaqueId}/${attempt.uploadId}/receipt`
  const reply = await api.askUntilAnswered({ method: 'GET', path })
  if (reply.status !== 200) return fault(`the receipt of a landed drop was answered ${reply.status}`)
  const { receipt_cbor: text, server_key_id: keyId } = jsonOf<AssetReceipt>(reply)
  const publicKey = attestationKeys.get(keyId)
  if (publicKey === undefined) return fault(`its receipt names the unknown key ${keyId}`)
  const { payload } = await verifyReceipt({ receiptCbor: fromBase64(text), publicKey, verify: verifiers })
  const isOfThis =
    payload.upload_id === attempt.uploadId && payload.ciphertext_hash === attempt.hash && payload.size === attempt.size
  if (!isOfThis) fault('its receipt is of another file')
  if (attempt.receiptCbor !== undefined && attempt.receiptCbor !== text) fault('its receipt has changed')
  attempt.receiptCbor = text
  attempt.dropId = payload.drop_id
}
