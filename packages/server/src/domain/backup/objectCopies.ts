/** Brings objects to a store of bytes: from a backup, or from another server's store. */

import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { ArrivingParts, SnapshotObject } from '../../ports/backup.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Staging } from '../../ports/staging.ts'
import { checkedBytes, createPassing, isRight, ObjectFault, type ObjectFaultKind } from './checkedBytes.ts'
import { slicesOf } from './slices.ts'

export interface ObjectSource {
  /** Undefined if the object is missing. */
  size(object: SnapshotObject): Promise<number | undefined>
  read(object: SnapshotObject): AsyncIterable<Uint8Array>
}

export interface ObjectTarget {
  readonly staging: Staging
  readonly objects: Objects
  /** Knows the parts in a store with keys. */
  readonly parts: ArrivingParts
  /** The largest part. */
  readonly partBytes?: number
}

/** In a store with keys. The server joins the parts of an object later. */
const PART_BYTES = 64 * 1024 * 1024

/** An object that is there with the right bytes stays: the source may be damaged. */
export async function copyObject(
  target: ObjectTarget,
  source: ObjectSource,
  object: SnapshotObject,
): Promise<'copied' | 'present' | ObjectFaultKind> {
  const { staging, objects, parts } = target
  const { location, bytes } = object
  if (await isPresent(objects, object)) {
    await staging.settle(location, bytes)
    return 'present'
  }
  try {
    const size = await source.size(object)
    if (size === undefined) return 'missing'
    if (size < bytes || (object.isWhole && size > bytes)) return 'damaged'
    await parts.forget(location)
    await write(target, object, checkedBytes(source.read(object), object))
    await staging.settle(location, bytes)
    return 'copied'
  } catch (error) {
    if (!(error instanceof ObjectFault)) throw error
    await parts.forget(location)
    await objects.remove(location)
    return error.kind
  }
}

/** False also when a surviving disk cannot read the object: it is then copied again. */
async function isPresent(objects: Objects, object: SnapshotObject): Promise<boolean> {
  const { location, bytes, isWhole } = object
  try {
    return (
      isWhole &&
      (await objects.size(location)) === bytes &&
      (await isRight(objects.read(location, { start: 0, end: bytes }), object))
    )
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return false
  }
}

async function write(
  { staging, parts, partBytes = PART_BYTES }: ObjectTarget,
  { location, bytes }: SnapshotObject,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const request = { signal: NEVER, onBytes: () => undefined }
  if (staging.newKey(location) === undefined)
    return staging.write({ location, key: undefined, offset: 0 }, { ...request, body })
  for (const { offset, length, body: slice } of slicesOf(body, bytes, partBytes)) {
    const key = staging.newKey(location)
    if (key === undefined) throw new Error('a store with keys gave none')
    const passing = createPassing()
    await parts.begin(location, key)
    await staging.write({ location, key, offset }, { ...request, body: slice, onBytes: passing.take })
    await parts.keep({ key, offset, length, checksum: passing.digest().sha256 })
  }
}

const NEVER = new AbortController().signal
