/**
 * Sends a prepared file: does what `sendMachine.ts` says, one chunk at a time, so that memory stays flat however large the file is.
 * Everything can be repeated: creation by its Idempotency-Key, chunks by offset and checksum, the end by asking.
 */
import { type Bytes, fromBase64, toHex } from '@blindkeep/protocol/bytes'
import type { UploadId } from '@blindkeep/protocol/ids'
import { SEGMENT_SEALED_BYTES } from '@blindkeep/protocol/suites'
import { HEADERS } from '@blindkeep/protocol/wire'
import { type Call, createCalls } from './call.ts'
import { type ChunkReader, createChunkReader } from './chunkReader.ts'
import { type Environment, systemEnvironment } from './environment.ts'
import { AnswerError, NetworkError, ProblemError } from './errors.ts'
import { freeingSealer } from './freeingSealer.ts'
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
import { type SendState, sealerOf, uploadIdOf } from './sendState.ts'
import { SendError } from './sendStop.ts'
import { type Source, SourceChanged } from './source.ts'

/** A chunk that takes longer is cut and tried again in halves; the last one's answer is asked for instead. */
const CHUNK_TIMEOUT_MS = 120_000

export interface SendProgress {
  readonly phase: 'preparing' | 'sending' | 'finishing' | 'landed'
  /** Ciphertext bytes that are hashed, or that the server has acknowledged. */
  readonly bytes: number
  readonly of: number
  /** There, when something went wrong and will be tried again after so long. */
  readonly waitingMs?: number
}

export interface SendOptions {
  readonly state: SendState
  /** The file that was prepared; one that has changed since is noticed before any byte of it is sent. */
  readonly source: Source
  /** Called, and awaited, when the state has changed: keep it before anything else happens. */
  readonly onState?: ((state: SendState) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: SendProgress) => void) | undefined
  /** Pauses: rejects with the signal's reason, and the state stays good for another `send`. */
  readonly signal?: AbortSignal | undefined
  readonly environment?: Environment | undefined
}

export interface Landed {
  readonly uploadId: UploadId
  /** SHA-256 of the ciphertext, lowercase hex. */
  readonly ciphertextHash: string
  /** Ciphertext bytes. */
  readonly size: number
}

/**
 * Resolves when the drop has landed: hashed as a whole, durable, in the owner's inbox and with a receipt, which is to be fetched and checked.
 * Throws `SendError` when it stops, and then says what to do.
 */
export async function send(options: SendOptions): Promise<Landed> {
  const { onProgress, signal, environment = systemEnvironment } = options
  const { size, ciphertextHash, suggestedChunkBytes } = options.state
  const sealer = freeingSealer(await sealerOf(options.state))
  const readChunk = createChunkReader({ sealer, source: options.source, tags: fromBase64(options.state.tags), signal })
  const sending = { ...options, environment, readChunk, ...createCalls({ ...options.state, fetch: environment.fetch }) }
  let machine = startSending({
    size,
    segments: { first: sealer.prefix.length, each: SEGMENT_SEALED_BYTES },
    uploadId: uploadIdOf(options.state),
    suggestedChunkBytes,
  })
  const report = progressReport(onProgress)
  for (;;) {
    report(progressOf(machine))
    if (machine.waitMs > 0) await environment.wait(machine.waitMs, signal)
    signal?.throwIfAborted()
    const step = nextStep(machine)
    if (step.do === 'land') return { uploadId: step.uploadId, ciphertextHash, size }
    if (step.do === 'stop') throw new SendError(step.reason, step.cause)
    const event = await perform(sending, step)
    if (event.is === 'created') await options.onState?.({ ...options.state, uploadId: event.uploadId })
    machine = after(machine, event, diceOf(environment))
  }
}

/** Ends an upload for good and gives the link's caps back. Throws `ProblemError` when it has landed or is about to. */
export async function cancelSend(state: SendState, environment: Environment = systemEnvironment): Promise<void> {
  const uploadId = uploadIdOf(state)
  if (uploadId === undefined) return
  const { call } = createCalls({ ...state, fetch: environment.fetch })
  await call('cancelDrop', { path: { opaque_id: state.opaqueId, upload_id: uploadId } })
}

function progressOf({ position, size, reached, waitMs, tries }: SendMachine): SendProgress {
  if (position.at === 'landed') return { phase: 'landed', bytes: size, of: size }
  if (position.at === 'finishing') return { phase: 'finishing', bytes: size, of: size }
  const bytes = position.at === 'open' ? position.offset : reached
  return { phase: 'sending', bytes, of: size, ...(tries > 0 && waitMs > 0 ? { waitingMs: waitMs } : {}) }
}

/** Says everything once: steps that change nothing for a person are not told. */
function progressReport(onProgress: SendOptions['onProgress']): (progress: SendProgress) => void {
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

interface Sending extends SendOptions {
  readonly environment: Environment
  readonly readChunk: ChunkReader
  readonly call: Call
}

type ServerStep = Extract<SendStep, { do: 'create' | 'ask' | 'send' }>

async function perform(sending: Sending, step: ServerStep): Promise<SendEvent> {
  const chunk = step.do === 'send' ? await sealedChunk(sending, step) : undefined
  try {
    if (step.do === 'create') return await create(sending)
    if (step.do === 'ask') return await ask(sending, step.uploadId)
    return await append(sending, { ...step, chunk: chunk ?? new Uint8Array(0) })
  } catch (error) {
    if (!isSendFailure(error)) throw error
    return { is: 'failed', failure: error, ...(chunk === undefined ? {} : { sentBytes: chunk.length }) }
  }
}

async function sealedChunk({ readChunk }: Sending, { offset, end }: { offset: number; end: number }): Promise<Bytes> {
  try {
    return await readChunk(offset, end)
  } catch (error) {
    throw error instanceof SourceChanged ? new SendError('file_changed', error) : error
  }
}

function isSendFailure(error: unknown): error is SendFailure {
  return error instanceof ProblemError || error instanceof NetworkError || error instanceof AnswerError
}

async function create({ call, state, signal }: Sending): Promise<SendEvent> {
  const { opaqueId, passphraseProof } = state
  const { body } = await call('createDrop', {
    path: { opaque_id: opaqueId },
    headers: { 'Idempotency-Key': state.idempotencyKey },
    body: {
      // The true type stays sealed, and the name with it.
      content_type: 'application/octet-stream',
      size: state.size,
      ciphertext_hash: state.ciphertextHash,
      kem_ct: state.kemCt,
      ...(passphraseProof === undefined ? {} : { passphrase_proof: passphraseProof }),
    },
    signal,
  })
  return { is: 'created', uploadId: body.upload_id, suggestedChunkBytes: body.suggested_chunk_size }
}

async function ask({ call, state, signal }: Sending, uploadId: UploadId): Promise<SendEvent> {
  const { headers } = await call('dropSession', { path: { opaque_id: state.opaqueId, upload_id: uploadId }, signal })
  const offset = headerInteger(headers, HEADERS.offset)
  const told = SESSION_STATES.find((name) => name === headers.get(HEADERS.state))
  const isOfThisFile =
    headerInteger(headers, HEADERS.length) === state.size && offset !== undefined && offset <= state.size
  if (told === undefined || !isOfThisFile)
    throw new AnswerError('dropSession', 'it does not say where the session stands')
  return { is: 'told', state: told, offset }
}

interface Chunk {
  readonly uploadId: UploadId
  readonly offset: number
  readonly end: number
  readonly chunk: Bytes
}

async function append(
  { call, state, signal, environment }: Sending,
  { uploadId, offset, end, chunk }: Chunk,
): Promise<SendEvent> {
  const checksum = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', chunk)))
  const startedMs = environment.elapsedMs()
  const { headers } = await call('appendChunk', {
    path: { opaque_id: state.opaqueId, upload_id: uploadId },
    headers: { 'X-Service-Offset': String(offset), 'X-Service-Checksum': checksum },
    body: chunk,
    signal,
    timeoutMs: CHUNK_TIMEOUT_MS,
  })
  // An acknowledgement of more or less than was sent would leave a hole or send twice; then the server has to say where it stands.
  if (headerInteger(headers, HEADERS.offset) !== end)
    throw new AnswerError('appendChunk', 'it acknowledges another offset than the chunk’s end')
  return { is: 'kept', offset: end, sentBytes: chunk.length, tookMs: environment.elapsedMs() - startedMs }
}
