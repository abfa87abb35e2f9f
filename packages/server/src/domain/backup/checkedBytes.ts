/** Hashes bytes as they pass into a backup or out of it. */
import { createHash } from 'node:crypto'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { BlobMissing, StorageUnavailable } from '../../ground/storageErrors.ts'
import { BackupFailed, type SnapshotObject } from '../../ports/backup.ts'
import type { BlobDigest } from '../../ports/objects.ts'
import { partsOf } from '../ground/location.ts'

export type ObjectFaultKind = 'missing' | 'damaged' | 'unreadable'

export class ObjectFault extends Error {
  override readonly name = 'ObjectFault'
  readonly kind: ObjectFaultKind
  constructor(kind: ObjectFaultKind, cause?: unknown) {
    super(`an object is ${kind}`, { cause })
    this.kind = kind
  }
}

/**
 * Passes `body` on. Throws `ObjectFault` before its end for missing bytes, or another hash than the location's; for too
 * many bytes, as soon as they come: they might fill the disk.
 */
export async function* checkedBytes(
  body: AsyncIterable<Uint8Array>,
  object: SnapshotObject,
): AsyncIterable<Uint8Array> {
  const passing = createPassing()
  try {
    for await (const piece of body) {
      passing.take(piece)
      if (passing.size() > object.bytes) throw new ObjectFault('damaged')
      yield piece
    }
  } catch (error) {
    if (error instanceof BlobMissing) throw new ObjectFault('missing', error)
    const isUnreadable = error instanceof StorageUnavailable || error instanceof BackupFailed
    throw isUnreadable ? new ObjectFault('unreadable', error) : error
  }
  if (!isOf(object, passing.digest())) throw new ObjectFault('damaged')
}

export async function isRight(body: AsyncIterable<Uint8Array>, object: SnapshotObject): Promise<boolean> {
  return isOf(object, await digestOf(body))
}

export async function digestOf(body: AsyncIterable<Uint8Array>): Promise<BlobDigest> {
  const passing = createPassing()
  for await (const piece of body) passing.take(piece)
  return passing.digest()
}

/** Only a receipted object has a known hash. Chunks check an open session's bytes when it continues. */
function isOf({ location, bytes, isWhole }: SnapshotObject, { sha256, size }: BlobDigest): boolean {
  return size === bytes && (!isWhole || sha256 === partsOf(location).ciphertextHash)
}

/** Counts and hashes bytes. */
export function createPassing() {
  const hash = createHash('sha256')
  let size = 0
  return {
    take(piece: Uint8Array): void {
      hash.update(piece)
      size += piece.length
    },
    size: () => size,
    digest(): BlobDigest {
      const sha256 = parseSha256Hex(hash.digest('hex'))
      if (sha256 === undefined) throw new Error('the digest is no SHA-256 in hex')
      return { sha256, size }
    },
  }
}
