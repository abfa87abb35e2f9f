import type { Bytes } from '@blindkeep/protocol/bytes'
import type { UploadId } from '@blindkeep/protocol/ids'
import type { OperationName } from '@blindkeep/protocol/operations'
import type { CallOptions } from '../http/callTypes.ts'

/** The server's answer to a creation. */
interface OpenedSession {
  readonly uploadId: UploadId
  /** Suggested bytes of the first chunk. */
  readonly suggestedChunkBytes: number
}

interface OutgoingChunk {
  readonly uploadId: UploadId
  /** First byte of the chunk in the blob. */
  readonly offset: number
  /** SHA-256 of `bytes`, lowercase hex. */
  readonly checksum: string
  readonly bytes: Bytes
}

/**
 * The destination of the chunks of one blob: a guest's link, or an upload of the owner. The server handles both with
 * the same function (specification, Append one chunk), so one machine sends both. Every operation can be repeated, and
 * throws what a call throws.
 */
export interface SendPath {
  /** Names of the operations behind `ask` and `append`, for `AnswerError`. */
  readonly names: { readonly ask: OperationName; readonly append: OperationName }
  /** A repeat returns the same session. */
  create(options: CallOptions): Promise<OpenedSession>
  /** The headers with the status of the session. */
  ask(uploadId: UploadId, options: CallOptions): Promise<Headers>
  /** The headers of the acknowledgement. */
  append(chunk: OutgoingChunk, options: CallOptions): Promise<Headers>
}
