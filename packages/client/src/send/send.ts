/** The guest sends a prepared file through a link; it becomes a drop. */
import { fromBase64 } from '@blindkeep/protocol/bytes'
import type { UploadId } from '@blindkeep/protocol/ids'
import { SEGMENT_SEALED_BYTES } from '@blindkeep/protocol/suites'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { type Call, createCalls } from '../http/call.ts'
import { ProblemError } from '../http/errors.ts'
import { createChunkReader } from '../seal/chunkReader.ts'
import type { Source } from '../seal/source.ts'
import { type SendProgress, sendBlob } from './sendBlob.ts'
import type { SendPath } from './sendPath.ts'
import { askSession } from './sendSession.ts'
import { forNewSession, type SendState, sealerOf, uploadIdOf } from './sendState.ts'
import { createSendTurns, type SendTurns } from './sendTurns.ts'

export type { SendProgress } from './sendBlob.ts'

export interface SendOptions {
  readonly state: SendState
  /** The prepared file. `send` detects a change before it sends any changed byte. */
  readonly source: Source
  /** Called and awaited when the state has changed. Store the state before you return. */
  readonly onState?: ((state: SendState) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: SendProgress) => void) | undefined
  /** Pauses: rejects with the signal's reason. The state stays valid for another `send`. */
  readonly signal?: AbortSignal | undefined
  /** Of uploads that run at once. */
  readonly turns?: SendTurns | undefined
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
 * Resolves when the drop has landed: it is durable, its hash was verified, it is in the owner's inbox and has a
 * receipt, which the caller should fetch and check (`fetchReceipt`). Throws `SendError` when sending stops.
 */
export function send(options: SendOptions): Promise<Landed> {
  const { onState, onProgress, signal, turns = createSendTurns(), environment } = options
  let { state } = options
  const changed = async (to: SendState): Promise<void> => {
    state = to
    await onState?.(to)
  }
  return turns.run({
    signal,
    onWaiting: () => onProgress?.({ phase: 'sending', bytes: 0, of: state.size, trouble: 'little_room' }),
    attempt: ({ signal, onAdvance }) =>
      sendOnce({
        ...{ ...options, state, signal, onState: changed },
        onProgress(progress) {
          onAdvance(progress)
          onProgress?.(progress)
        },
      }),
    async giveBack() {
      const isGivenBack = await cancelSend(state, environment).then(
        () => true,
        () => false,
      )
      if (isGivenBack) await changed(forNewSession(state, environment))
      return isGivenBack
    },
  })
}

async function sendOnce(options: SendOptions): Promise<Landed> {
  const { state, source, onState, signal, environment = systemEnvironment } = options
  const { size, ciphertextHash } = state
  const sealer = await sealerOf(state)
  const { call } = createCalls({ ...state, fetch: environment.fetch })
  const uploadId = await sendBlob({
    ...options,
    path: linkPath(call, state),
    size,
    segments: { first: sealer.prefix.length, each: SEGMENT_SEALED_BYTES },
    readChunk: createChunkReader({ sealer, source, tags: fromBase64(state.tags), signal }),
    uploadId: uploadIdOf(state),
    suggestedChunkBytes: state.suggestedChunkBytes,
    onCreated: (created) => onState?.({ ...state, uploadId: created }),
    environment,
  })
  return { uploadId, ciphertextHash, size }
}

/** What the server has of an upload. */
export type SendStatus =
  | { readonly is: 'landed'; readonly landed: Landed }
  /** `sentBytes`: ciphertext bytes that the server has stored; all of them when the drop is about to land. */
  | { readonly is: 'open'; readonly sentBytes: number }
  /** The server has no byte of it: never created, cancelled, expired or damaged. Send `forNewSession(state)`. */
  | { readonly is: 'deleted' }

/**
 * Asks the server without the file; changes nothing (specification, Where a drop session stands). Throws errors that
 * say nothing about the session, for example `NetworkError`.
 */
export async function askSend(state: SendState, environment: Environment = systemEnvironment): Promise<SendStatus> {
  const uploadId = uploadIdOf(state)
  if (uploadId === undefined) return { is: 'deleted' }
  const { size, ciphertextHash } = state
  const { call } = createCalls({ ...state, fetch: environment.fetch })
  try {
    const session = await askSession({ path: linkPath(call, state), uploadId, size }, {})
    if (session.state === 'landed') return { is: 'landed', landed: { uploadId, ciphertextHash, size } }
    return session.state === 'failed' ? { is: 'deleted' } : { is: 'open', sentBytes: session.offset }
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'error.upload.session_not_found') return { is: 'deleted' }
    throw error
  }
}

/** Cancels an upload and refunds the link's limits. Throws `ProblemError` when the drop has landed or is about to. */
export async function cancelSend(state: SendState, environment: Environment = systemEnvironment): Promise<void> {
  const uploadId = uploadIdOf(state)
  if (uploadId === undefined) return
  const { call } = createCalls({ ...state, fetch: environment.fetch })
  await call('cancelDrop', { path: { opaque_id: state.opaqueId, upload_id: uploadId } })
}

/** Sends through a guest's link. A repeated creation has the same Idempotency-Key. */
function linkPath(call: Call, state: SendState): SendPath {
  const { opaqueId, passphraseProof } = state
  const pathOf = (uploadId: UploadId) => ({ opaque_id: opaqueId, upload_id: uploadId })
  return {
    names: { ask: 'dropSession', append: 'appendChunk' },

    async create(options) {
      const { body } = await call('createDrop', {
        path: { opaque_id: opaqueId },
        headers: { 'Idempotency-Key': state.idempotencyKey },
        body: {
          // The real type and the name stay sealed.
          content_type: 'application/octet-stream',
          size: state.size,
          ciphertext_hash: state.ciphertextHash,
          kem_ct: state.kemCt,
          ...(passphraseProof === undefined ? {} : { passphrase_proof: passphraseProof }),
        },
        ...options,
      })
      return { uploadId: body.upload_id, suggestedChunkBytes: body.suggested_chunk_size }
    },

    async ask(uploadId, options) {
      const { headers } = await call('dropSession', { path: pathOf(uploadId), ...options })
      return headers
    },

    async append({ uploadId, offset, checksum, bytes }, options) {
      const { headers } = await call('appendChunk', {
        path: pathOf(uploadId),
        headers: { 'X-Service-Offset': String(offset), 'X-Service-Checksum': checksum },
        body: bytes,
        ...options,
      })
      return headers
    },
  }
}
