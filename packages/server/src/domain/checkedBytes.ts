import { createHash } from 'node:crypto'
import { parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { BackupFailed, type SnapshotCopy } from '../ports/backup.ts'
import { BlobMissing, StorageUnavailable } from '../ports/blobs.ts'
import { partsOf } from './location.ts'

/** Bytes on their way into a backup and out of one, hashed as they pass. */

export type CopyFaultKind = 'missing' | 'damaged' | 'unreadable'

export class CopyFault extends Error {
  override readonly name = 'CopyFault'
  readonly kind: CopyFaultKind
  constructor(kind: CopyFaultKind, cause?: unknown) {
    super(`a copy is ${kind}`, { cause })
    this.kind = kind
  }
}

/** `body`, which has to be the copy's. Throws `CopyFault` before its end when bytes are missing, or are not those that the location says. */
export async function* checkedBytes(body: AsyncIterable<Uint8Array>, copy: SnapshotCopy): AsyncIterable<Uint8Array> {
  const passing = createPassing()
  try {
    for await (const piece of body) {
      passing.take(piece)
      yield piece
    }
  } catch (error) {
    if (error instanceof BlobMissing) throw new CopyFault('missing', error)
    const isUnreadable = error instanceof StorageUnavailable || error instanceof BackupFailed
    throw isUnreadable ? new CopyFault('unreadable', error) : error
  }
  if (!isOf(copy, passing.digest())) throw new CopyFault('damaged')
}

export async function isRight(body: AsyncIterable<Uint8Array>, copy: SnapshotCopy): Promise<boolean> {
  return isOf(copy, await digestOf(body))
}

interface Digest {
  readonly sha256: Sha256Hex
  readonly size: number
}

export async function digestOf(body: AsyncIterable<Uint8Array>): Promise<Digest> {
  const passing = createPassing()
  for await (const piece of body) passing.take(piece)
  return passing.digest()
}

/** Only what a receipt vouches for has a hash that is known; of what is still sent the server looks at each chunk before it goes on. */
export function isOf({ location, bytes, isWhole }: SnapshotCopy, { sha256, size }: Digest): boolean {
  return size === bytes && (!isWhole || sha256 === partsOf(location).ciphertextHash)
}

/** Counts and hashes what it is given. */
export function createPassing() {
  const hash = createHash('sha256')
  let size = 0
  return {
    take(piece: Uint8Array): void {
      hash.update(piece)
      size += piece.length
    },
    digest(): Digest {
      const sha256 = parseSha256Hex(hash.digest('hex'))
      if (sha256 === undefined) throw new Error('a hash has another form than hashes have')
      return { sha256, size }
    },
  }
}
