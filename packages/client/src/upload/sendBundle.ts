/** Sends the blobs of one asset, one after the other, each in its own session. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { SEGMENT_SEALED_BYTES } from '@blindkeep/protocol/suites'
import type { BundleRole, SentUploads } from '../assets/bundleRoles.ts'
import type { Environment } from '../ground/environment.ts'
import type { Call } from '../http/call.ts'
import type { ChunkReader } from '../seal/chunkReader.ts'
import type { SegmentGrid } from '../send/chunkSizing.ts'
import { type SendProgress, sendBlob } from '../send/sendBlob.ts'
import { SendError } from '../send/sendError.ts'
import type { SendTrouble } from '../send/sendTrouble.ts'
import type { SmallBlob } from './smallBlob.ts'
import { uploadPath } from './uploadPath.ts'

/** Used until a session's own answer. */
const CHUNK_BYTES_SUGGESTED = 8 * 1024 * 1024

export interface UploadProgress {
  readonly phase: 'preparing' | 'sending' | 'finishing' | 'complete'
  /** Ciphertext bytes that are hashed, or acknowledged by the server. */
  readonly bytes: number
  readonly of: number
  /** Milliseconds until the next attempt, after a failure. */
  readonly waitingMs?: number
  /** Why it waits. */
  readonly trouble?: SendTrouble
}

export interface RoleBlob {
  readonly role: BundleRole
  readonly hash: Sha256Hex
  /** Ciphertext bytes. */
  readonly size: number
  readonly segments: SegmentGrid
  readonly readChunk: ChunkReader
  /** The session of an earlier attempt. */
  readonly uploadId: UploadId | undefined
}

/** A blob in memory, as a blob to send. */
export function roleBlobOf(role: BundleRole, { bytes, hash }: SmallBlob, uploadId?: UploadId): RoleBlob {
  const readChunk = async (from: number, to: number): Promise<Bytes> => bytes.slice(from, to)
  return { role, hash, size: bytes.length, segments: { first: 0, each: SEGMENT_SEALED_BYTES }, readChunk, uploadId }
}

interface BundleToSend {
  readonly call: Call
  readonly envelope: ManifestEnvelope
  readonly blobs: readonly RoleBlob[]
  /** Called and awaited when a session was created. */
  readonly onCreated?: ((role: BundleRole, uploadId: UploadId) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
  readonly environment: Environment
}

/** Resolves with the sessions when all blobs have landed. Throws `SendError` when one stops. */
export async function sendBundle(bundle: BundleToSend): Promise<SentUploads> {
  const { blobs, onProgress } = bundle
  const of = sizeOf(blobs)
  const sent: { [Role in BundleRole]?: UploadId } = {}
  for (const [index, blob] of blobs.entries()) {
    const before = sizeOf(blobs.slice(0, index))
    sent[blob.role] = await sendRole(bundle, blob, (progress) => onProgress?.(partOf(progress, before, of)))
  }
  onProgress?.({ phase: 'complete', bytes: of, of })
  return sent
}

function sizeOf(blobs: readonly RoleBlob[]): number {
  return blobs.reduce((sum, { size }) => sum + size, 0)
}

/** The landing of one blob is progress of the bundle, not its end. */
function partOf({ phase, bytes, waitingMs, trouble }: SendProgress, before: number, of: number): UploadProgress {
  return {
    phase: phase === 'landed' ? 'sending' : phase,
    bytes: before + bytes,
    of,
    ...(waitingMs === undefined ? {} : { waitingMs }),
    ...(trouble === undefined ? {} : { trouble }),
  }
}

async function sendRole(
  { call, envelope, onCreated, signal, environment }: BundleToSend,
  blob: RoleBlob,
  onProgress: (progress: SendProgress) => void,
): Promise<UploadId> {
  const { role } = blob
  const sendInto = (uploadId: UploadId | undefined) =>
    sendBlob({
      ...blob,
      uploadId,
      path: uploadPath(call, { ...blob, envelope }),
      suggestedChunkBytes: CHUNK_BYTES_SUGGESTED,
      onCreated: (created) => onCreated?.(role, created),
      onProgress,
      signal,
      environment,
    })
  try {
    return await sendInto(blob.uploadId)
  } catch (error) {
    // An earlier session may have expired or failed: the same sealed bytes go into a new one.
    const needsNewSession = error instanceof SendError && error.remedy === 'restart'
    if (!needsNewSession || blob.uploadId === undefined) throw error
    return sendInto(undefined)
  }
}
