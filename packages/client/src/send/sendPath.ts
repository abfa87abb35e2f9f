import type { Bytes } from '@blindkeep/protocol/bytes'
import type { UploadId } from '@blindkeep/protocol/ids'
import type { OperationName } from '@blindkeep/protocol/operations'
import type { CallOptions } from '../http/callTypes.ts'

/** The server's word on a session that it has opened, or had open. */
interface OpenedSession {
  readonly uploadId: UploadId
  /** Bytes of the chunk to start with. */
  readonly suggestedChunkBytes: number
}

interface OutgoingChunk {
  readonly uploadId: UploadId
  /** The byte of the blob at which it starts. */
  readonly offset: number
  /** SHA-256 of `bytes`, lowercase hex. */
  readonly checksum: string
  readonly bytes: Bytes
}

/**
 * Where the chunks of one blob go: through a guest's link, or into an upload of the owner's own. The server takes both with the same function
 * (specification, Append one chunk), so one machine sends both. Everything here can be repeated, and throws what a call throws.
 */
export interface SendPath {
  /** What the two questions below are called in the table, for whoever has to say that an answer was none. */
  readonly names: { readonly ask: OperationName; readonly append: OperationName }
  /** Answers a repeat with the same session. */
  create(options: CallOptions): Promise<OpenedSession>
  /** The headers that tell where the session stands. */
  ask(uploadId: UploadId, options: CallOptions): Promise<Headers>
  /** The headers of the acknowledgement. */
  append(chunk: OutgoingChunk, options: CallOptions): Promise<Headers>
}
