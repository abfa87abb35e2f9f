import type { Bytes } from '@blindkeep/protocol/bytes'
import { type OpenedBlob, openBlob } from './open.ts'
import type { BlobOpener } from './openHeader.ts'
import type { RunningHash } from './sha256.ts'

interface HashedBlob {
  readonly stream: ReadableStream<Bytes>
  readonly opener: BlobOpener
  readonly hash: RunningHash
  /** SHA-256 that all bytes together must have, lowercase hex. */
  readonly expectedHash: string
  /** What to fail with when they have another. */
  readonly differing: () => Error
}

/** Opens a sealed blob as it arrives, as `openBlob` does, and fails at the end when its bytes are not those that the hash names. */
export async function openHashedBlob({
  stream,
  opener,
  hash,
  expectedHash,
  differing,
}: HashedBlob): Promise<OpenedBlob> {
  const { header, content } = await openBlob(stream.pipeThrough(hashing(hash)), opener)
  // Compared when the blob itself has nothing to complain of: what is wrong inside it says more than that the whole is another.
  const checked = new TransformStream<Bytes, Bytes>({
    flush: () => {
      if (hash.digest() !== expectedHash) throw differing()
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
