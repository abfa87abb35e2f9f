import type { Bytes } from '@blindkeep/protocol/bytes'
import { type OpenedBlob, openBlob } from './open.ts'
import type { BlobOpener } from './openHeader.ts'
import type { RunningHash } from './sha256.ts'

interface HashedBlob {
  readonly stream: ReadableStream<Bytes>
  readonly opener: BlobOpener
  readonly hash: RunningHash
  /** SHA-256 of the whole blob, lowercase hex. */
  readonly expectedHash: string
  /** Creates the error for another hash. */
  readonly differenceError: () => Error
}

/** Opens a sealed blob as it arrives, like `openBlob`. The content fails at its end when the hash of all bytes is another one. */
export async function openHashedBlob({
  stream,
  opener,
  hash,
  expectedHash,
  differenceError,
}: HashedBlob): Promise<OpenedBlob> {
  const { header, content } = await openBlob(stream.pipeThrough(hashing(hash)), opener)
  // Compared last: a fault inside the blob says more than a different hash.
  const checked = new TransformStream<Bytes, Bytes>({
    flush: () => {
      if (hash.digest() !== expectedHash) throw differenceError()
    },
  })
  return { header, content: content.pipeThrough(checked) }
}

function hashing(hash: RunningHash): TransformStream<Bytes, Bytes> {
  return new TransformStream<Bytes, Bytes>({
    transform: (piece, controller) => {
      hash.update(piece)
      controller.enqueue(piece)
    },
  })
}
