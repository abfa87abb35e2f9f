import type { Bytes } from '@blindkeep/protocol/bytes'
import type { RunningHash } from '../ground/sha256.ts'
import { type OpenedBlob, openBlob } from './open.ts'
import type { BlobOpener } from './openHeader.ts'

interface HashedBlob {
  readonly stream: ReadableStream<Bytes>
  readonly opener: BlobOpener
  readonly hash: RunningHash
  /** SHA-256 of the whole blob, lowercase hex. */
  readonly expectedHash: string
  /** Bytes of the whole blob, where the caller knows them. */
  readonly expectedSize?: number | undefined
  /** Creates the error for another hash or size. */
  readonly differenceError: () => Error
  /** Called at the end of the blob, if it is the expected one, with the bytes before its data segments. */
  readonly onWhole?: ((prefix: Bytes) => Promise<void>) | undefined
}

/** Opens a blob as it arrives, like `openBlob`. Fails at its end when hash or size differ. */
export async function openHashedBlob({
  stream,
  opener,
  hash,
  expectedHash,
  expectedSize,
  differenceError,
  onWhole,
}: HashedBlob): Promise<OpenedBlob> {
  let size = 0
  const counted = hashing(hash, (bytes) => {
    size += bytes
  })
  const { header, prefix, content } = await openBlob(stream.pipeThrough(counted), opener)
  // Compared last: a fault inside the blob says more than a different hash.
  const checked = new TransformStream<Bytes, Bytes>({
    flush: async () => {
      if (hash.digest() !== expectedHash || size !== (expectedSize ?? size)) throw differenceError()
      await onWhole?.(prefix)
    },
  })
  return { header, prefix, content: content.pipeThrough(checked) }
}

function hashing(hash: RunningHash, onBytes: (bytes: number) => void): TransformStream<Bytes, Bytes> {
  return new TransformStream<Bytes, Bytes>({
    transform: (piece, controller) => {
      hash.update(piece)
      onBytes(piece.length)
      controller.enqueue(piece)
    },
  })
}
