/**
 * Sends one blob: performs the steps of `sendMachine.ts`, one chunk after the other, with flat memory for any size.
 * Every step can be repeated: a creation returns the same session, the server recognizes a chunk by offset and
 * checksum, and a status request shows the end.
 */
import type { UploadId } from '@blindkeep/protocol/ids'
import { HEADERS } from '@blindkeep/protocol/wire'
import type { Environment } from '../ground/environment.ts'
import { AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { headerInteger } from '../http/refusal.ts'
import { randomOf } from '../http/retry.ts'
import type { ChunkReader } from '../seal/chunkReader.ts'
import { SourceChanged } from '../seal/source.ts'
import type { SegmentGrid } from './chunkSizing.ts'
import { type ChunkRange, type ChunksAhead, createChunksAhead, type ReadyChunk } from './chunksAhead.ts'
import { SendError } from './sendError.ts'
import {
  after,
  nextStep,
  type SendEvent,
  type SendFailure,
  type SendMachine,
  type SendStep,
  startSending,
} from './sendMachine.ts'
import type { SendPath } from './sendPath.ts'
import { askSession } from './sendSession.ts'
import { type SendTrouble, sendTroubleOf } from './sendTrouble.ts'

/** A slower chunk is aborted and sent again at half its size; after the last one the client asks for the status. */
const CHUNK_TIMEOUT_MS = 120_000

export interface SendProgress {
  /** Only `prepare` of a link reports `preparing`, so that one callback serves both. */
  readonly phase: 'preparing' | 'sending' | 'finishing' | 'landed'
  /** Ciphertext bytes that are hashed, or acknowledged by the server. */
  readonly bytes: number
  readonly of: number
  /** Milliseconds until the next attempt, after a failure. */
  readonly waitingMs?: number
  /** Why, while it waits. For a file that waits for another one, `waitingMs` is absent. */
  readonly trouble?: SendTrouble
}

interface BlobToSend {
  readonly path: SendPath
  /** Bytes of the blob. */
  readonly size: number
  readonly segments: SegmentGrid
  /** Rejects with `SourceChanged` instead of returning bytes that differ from the hashed ones. */
  readonly readChunk: ChunkReader
  /** The session of an earlier attempt. */
  readonly uploadId: UploadId | undefined
  readonly suggestedChunkBytes: number
  /** Called and awaited when there is a session. Store it before you return. */
  readonly onCreated?: ((uploadId: UploadId) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: SendProgress) => void) | undefined
  /** Pauses: rejects with the signal's reason. The session stays valid for another attempt. */
  readonly signal?: AbortSignal | undefined
  readonly environment: Environment
}

/** Resolves once the blob has landed: durable, hash verified, with a receipt. Throws `SendError` when it stops. */
export async function sendBlob(blob: BlobToSend): Promise<UploadId> {
  const { signal, environment, onCreated } = blob
  let machine = startSending(blob)
  const chunks = createChunksAhead(blob.readChunk)
  let tookMs = 0
  const report = progressReport(blob.onProgress)
  for (;;) {
    report(progressOf(machine))
    if (machine.waitMs > 0) await environment.wait(machine.waitMs, signal)
    signal?.throwIfAborted()
    const step = nextStep(machine)
    if (step.do === 'land') return step.uploadId
    if (step.do === 'stop') throw new SendError(step.reason, step.cause)
    const event = await perform(blob, step, { machine, chunks, tookMs })
    if (event.is === 'kept') tookMs = event.tookMs
    if (event.is === 'created') await onCreated?.(event.uploadId)
    machine = after(machine, event, randomOf(environment))
  }
}

function progressOf({ position, size, highestOffset, waitMs, failure }: SendMachine): SendProgress {
  if (position.at === 'landed') return { phase: 'landed', bytes: size, of: size }
  if (position.at === 'finishing') return { phase: 'finishing', bytes: size, of: size }
  const bytes = position.at === 'open' ? position.offset : highestOffset
  const waiting = failure === undefined ? {} : { waitingMs: waitMs, trouble: sendTroubleOf(failure) }
  return { phase: 'sending', bytes, of: size, ...waiting }
}

/** Reports each state once; steps without a visible change are not reported. */
function progressReport(onProgress: BlobToSend['onProgress']): (progress: SendProgress) => void {
  let reported = ''
  return (progress) => {
    const report = JSON.stringify(progress)
    if (report !== reported) onProgress?.(progress)
    reported = report
  }
}

type ServerStep = Extract<SendStep, { do: 'create' | 'ask' | 'send' }>

interface Sending {
  readonly machine: SendMachine
  readonly chunks: ChunksAhead
  /** Milliseconds that the last chunk took; 0 before the first. */
  readonly tookMs: number
}

async function perform(blob: BlobToSend, step: ServerStep, { machine, chunks, tookMs }: Sending): Promise<SendEvent> {
  if (step.do === 'create') return orFailed(create(blob))
  if (step.do === 'ask') return orFailed(ask(blob, step.uploadId))
  const chunk = await sealedChunk(chunks, step)
  const answered = orFailed(append(blob, { ...step, ...chunk }), { sentBytes: chunk.bytes.length })
  // The speed of a connection seldom changes between two chunks, so the next range is predicted from the last duration.
  const kept = { is: 'kept', offset: step.end, sentBytes: chunk.bytes.length, tookMs } as const
  const next = nextStep(after(machine, kept, 0))
  if (next.do === 'send') chunks.begin(next)
  return answered
}

/** The state machine handles refusals and network failures; any other error ends the sending. */
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

async function sealedChunk(chunks: ChunksAhead, range: ChunkRange): Promise<ReadyChunk> {
  try {
    return await chunks.get(range)
  } catch (error) {
    throw error instanceof SourceChanged ? new SendError('file_changed', error) : error
  }
}

function isSendFailure(error: unknown): error is SendFailure {
  return error instanceof ProblemError || error instanceof NetworkError || error instanceof AnswerError
}

async function ask({ path, size, signal }: BlobToSend, uploadId: UploadId): Promise<SendEvent> {
  return { is: 'status', ...(await askSession({ path, uploadId, size }, { signal })) }
}

interface Chunk extends ChunkRange, ReadyChunk {
  readonly uploadId: UploadId
}

async function append(
  { path, signal, environment }: BlobToSend,
  { uploadId, offset, end, bytes, checksum }: Chunk,
): Promise<SendEvent> {
  const startedMs = environment.elapsedMs()
  const headers = await path.append({ uploadId, offset, checksum, bytes }, { signal, timeoutMs: CHUNK_TIMEOUT_MS })
  // Another offset would leave a gap or send bytes twice; the client asks for the status then.
  if (headerInteger(headers, HEADERS.offset) !== end)
    throw new AnswerError(path.names.append, 'it acknowledges another offset than the chunk’s end')
  return { is: 'kept', offset: end, sentBytes: bytes.length, tookMs: environment.elapsedMs() - startedMs }
}
