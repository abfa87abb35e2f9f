/**
 * Sends one blob: does what `sendMachine.ts` says, one chunk at a time, so that memory stays flat however large the blob is.
 * Everything can be repeated: creation answers with the same session, chunks count by offset and checksum, the end by asking.
 */
import { type Bytes, toHex } from '@blindkeep/protocol/bytes'
import type { UploadId } from '@blindkeep/protocol/ids'
import { HEADERS } from '@blindkeep/protocol/wire'
import type { ChunkReader } from './chunkReader.ts'
import type { SegmentGrid } from './chunkSizing.ts'
import type { Environment } from './environment.ts'
import { AnswerError, NetworkError, ProblemError } from './errors.ts'
import { headerInteger } from './refusal.ts'
import {
  after,
  nextStep,
  SESSION_STATES,
  type SendEvent,
  type SendFailure,
  type SendMachine,
  type SendStep,
  startSending,
} from './sendMachine.ts'
import type { SendPath } from './sendPath.ts'
import { SendError } from './sendStop.ts'
import { SourceChanged } from './source.ts'

/** A chunk that takes longer is cut and tried again in halves; the last one's answer is asked for instead. */
const CHUNK_TIMEOUT_MS = 120_000

export interface SendProgress {
  /** `preparing` is told by the `prepare` of a link alone, so that one callback serves for both. */
  readonly phase: 'preparing' | 'sending' | 'finishing' | 'landed'
  /** Ciphertext bytes that are hashed, or that the server has acknowledged. */
  readonly bytes: number
  readonly of: number
  /** There, when something went wrong and will be tried again after so long. */
  readonly waitingMs?: number
}

interface BlobToSend {
  readonly path: SendPath
  /** Bytes of the blob. */
  readonly size: number
  readonly segments: SegmentGrid
  /** Rejects with `SourceChanged` rather than giving other bytes than those that were hashed. */
  readonly readChunk: ChunkReader
  /** Of a session that is known from before. */
  readonly uploadId: UploadId | undefined
  readonly suggestedChunkBytes: number
  /** Called, and awaited, when there is a session: keep it before anything else happens. */
  readonly onCreated?: ((uploadId: UploadId) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: SendProgress) => void) | undefined
  /** Pauses: rejects with the signal's reason, and the session stays good for another try. */
  readonly signal?: AbortSignal | undefined
  readonly environment: Environment
}

/** Resolves with the session when the blob has landed: hashed as a whole, durable and with a receipt. Throws `SendError` when it stops. */
export async function sendBlob(blob: BlobToSend): Promise<UploadId> {
  const { signal, environment, onCreated } = blob
  let machine = startSending(blob)
  const report = progressReport(blob.onProgress)
  for (;;) {
    report(progressOf(machine))
    if (machine.waitMs > 0) await environment.wait(machine.waitMs, signal)
    signal?.throwIfAborted()
    const step = nextStep(machine)
    if (step.do === 'land') return step.uploadId
    if (step.do === 'stop') throw new SendError(step.reason, step.cause)
    const event = await perform(blob, step)
    if (event.is === 'created') await onCreated?.(event.uploadId)
    machine = after(machine, event, diceOf(environment))
  }
}

function progressOf({ position, size, reached, waitMs, tries }: SendMachine): SendProgress {
  if (position.at === 'landed') return { phase: 'landed', bytes: size, of: size }
  if (position.at === 'finishing') return { phase: 'finishing', bytes: size, of: size }
  const bytes = position.at === 'open' ? position.offset : reached
  return { phase: 'sending', bytes, of: size, ...(tries > 0 && waitMs > 0 ? { waitingMs: waitMs } : {}) }
}

/** Says everything once: steps that change nothing for a person are not told. */
function progressReport(onProgress: BlobToSend['onProgress']): (progress: SendProgress) => void {
  let told = ''
  return (progress) => {
    const telling = JSON.stringify(progress)
    if (telling !== told) onProgress?.(progress)
    told = telling
  }
}

function diceOf({ randomBytes }: Environment): number {
  return (randomBytes(1)[0] ?? 0) / 256
}

type ServerStep = Extract<SendStep, { do: 'create' | 'ask' | 'send' }>

async function perform(blob: BlobToSend, step: ServerStep): Promise<SendEvent> {
  if (step.do === 'create') return orFailed(create(blob))
  if (step.do === 'ask') return orFailed(ask(blob, step.uploadId))
  const chunk = await sealedChunk(blob, step)
  return orFailed(append(blob, { ...step, chunk }), { sentBytes: chunk.length })
}

/** What the server or the line refuses is for the machine to judge; everything else ends the sending. */
async function orFailed(work: Promise<SendEvent>, chunk: { readonly sentBytes?: number } = {}): Promise<SendEvent> {
  try {
    return await work
  } catch (error) {
    if (!isSendFailure(error)) throw error
    return { is: 'failed', failure: error, ...chunk }
  }
}

async function create({ path, signal }: BlobToSend): Promise<SendEvent> {
  return { is: 'created', ...(await path.create({ signal })) }
}

async function sealedChunk(
  { readChunk }: BlobToSend,
  { offset, end }: { offset: number; end: number },
): Promise<Bytes> {
  try {
    return await readChunk(offset, end)
  } catch (error) {
    throw error instanceof SourceChanged ? new SendError('file_changed', error) : error
  }
}

function isSendFailure(error: unknown): error is SendFailure {
  return error instanceof ProblemError || error instanceof NetworkError || error instanceof AnswerError
}

async function ask({ path, size, signal }: BlobToSend, uploadId: UploadId): Promise<SendEvent> {
  const headers = await path.ask(uploadId, { signal })
  const offset = headerInteger(headers, HEADERS.offset)
  const told = SESSION_STATES.find((name) => name === headers.get(HEADERS.state))
  const isOfThisBlob = headerInteger(headers, HEADERS.length) === size && offset !== undefined && offset <= size
  if (told === undefined || !isOfThisBlob)
    throw new AnswerError(path.names.ask, 'it does not say where the session stands')
  return { is: 'told', state: told, offset }
}

interface Chunk {
  readonly uploadId: UploadId
  readonly offset: number
  readonly end: number
  readonly chunk: Bytes
}

async function append(
  { path, signal, environment }: BlobToSend,
  { uploadId, offset, end, chunk }: Chunk,
): Promise<SendEvent> {
  const checksum = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', chunk)))
  const startedMs = environment.elapsedMs()
  const outgoing = { uploadId, offset, checksum, bytes: chunk }
  const headers = await path.append(outgoing, { signal, timeoutMs: CHUNK_TIMEOUT_MS })
  // An acknowledgement of more or less than was sent would leave a hole or send twice; then the server has to say where it stands.
  if (headerInteger(headers, HEADERS.offset) !== end)
    throw new AnswerError(path.names.append, 'it acknowledges another offset than the chunk’s end')
  return { is: 'kept', offset: end, sentBytes: chunk.length, tookMs: environment.elapsedMs() - startedMs }
}
