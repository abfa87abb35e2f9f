/** The guest's sending: a prepared file goes through a link and becomes a drop. */
import { fromBase64 } from '@blindkeep/protocol/bytes'
import type { UploadId } from '@blindkeep/protocol/ids'
import { SEGMENT_SEALED_BYTES } from '@blindkeep/protocol/suites'
import { type Environment, systemEnvironment } from '../environment.ts'
import { type Call, createCalls } from '../http/call.ts'
import { ProblemError } from '../http/errors.ts'
import { createChunkReader } from '../seal/chunkReader.ts'
import type { Source } from '../seal/source.ts'
import { type SendProgress, sendBlob } from './sendBlob.ts'
import type { SendPath } from './sendPath.ts'
import { askSession } from './sendSession.ts'
import { type SendState, sealerOf, uploadIdOf } from './sendState.ts'

export type { SendProgress } from './sendBlob.ts'

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

/** What the server has of an upload that was begun. */
export type SendStanding =
  | { readonly is: 'landed'; readonly landed: Landed }
  /** Ciphertext bytes that it has kept; all of them when it is about to land. */
  | { readonly is: 'open'; readonly reached: number }
  /** Nothing: it was never begun, was cancelled, ran out or did not arrive whole. `startAnew` is what is left. */
  | { readonly is: 'gone' }

/** Asks without the file, and changes nothing (specification, Where a drop session stands). Throws what says nothing of the session, a line that is down for one. */
export async function askSend(state: SendState, environment: Environment = systemEnvironment): Promise<SendStanding> {
  const uploadId = uploadIdOf(state)
  if (uploadId === undefined) return { is: 'gone' }
  const { size, ciphertextHash } = state
  const { call } = createCalls({ ...state, fetch: environment.fetch })
  try {
    const told = await askSession({ path: linkPath(call, state), uploadId, size }, {})
    if (told.state === 'landed') return { is: 'landed', landed: { uploadId, ciphertextHash, size } }
    return told.state === 'failed' ? { is: 'gone' } : { is: 'open', reached: told.offset }
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'error.upload.session_not_found') return { is: 'gone' }
    throw error
  }
}

/** Ends an upload for good and gives the link's caps back. Throws `ProblemError` when it has landed or is about to. */
export async function cancelSend(state: SendState, environment: Environment = systemEnvironment): Promise<void> {
  const uploadId = uploadIdOf(state)
  if (uploadId === undefined) return
  const { call } = createCalls({ ...state, fetch: environment.fetch })
  await call('cancelDrop', { path: { opaque_id: state.opaqueId, upload_id: uploadId } })
}

/** Through a guest's link; a creation is repeated under its Idempotency-Key. */
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
          // The true type stays sealed, and the name with it.
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
