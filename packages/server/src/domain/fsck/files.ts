import { BlobMissing, type Blobs, StorageUnavailable } from '../../ports/blobs.ts'
import { type AuditedObject, type ReadTx, type Store, StoreBroken } from '../../ports/store.ts'
import { uploadIdOf } from '../uploads/location.ts'
import { type Finding, found } from './finding.ts'
import type { Examination } from './options.ts'

export type ReadableBlobs = Pick<Blobs, 'size' | 'digest' | 'read' | 'list' | 'freeBytes'>

export interface FilePorts {
  readonly store: Pick<Store, 'read'>
  readonly blobs: ReadableBlobs
}

/** A row that changes under the look is looked at again, so often. */
const MAX_LOOKS = 5
const LISTED_AT_ONCE = 256

/** What is wrong with the bytes of an object as its row is now; undefined when nothing is. */
type Look = (object: AuditedObject) => Promise<Finding | undefined>

/**
 * Judges by `look` what a row said. Beside a running server bytes may have gone on since: whatever looks wrong counts only when the row says the same
 * after the look as before.
 */
export async function confirmed(
  { store }: Pick<FilePorts, 'store'>,
  object: AuditedObject,
  look: Look,
): Promise<Finding | undefined> {
  let seen = object
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const finding = await look(seen)
    if (finding === undefined) return undefined
    const present = await store.read((tx) => tx.audit.object(object.location))
    if (present === undefined) return undefined
    if (isSame(present, seen)) return finding
    seen = present
  }
  // It changes all the time, so that somebody is at it.
  return undefined
}

function isSame(one: AuditedObject, other: AuditedObject): boolean {
  return one.state === other.state && one.size === other.size && one.receivedBytes === other.receivedBytes
}

/**
 * Rows never without bytes: what a receipt vouched for has its file with exactly its size until it is deleting, what a session writes at least what was
 * acknowledged of it.
 */
export function lookAtFile({ blobs }: FilePorts): Look {
  return async ({ location, size, state, receivedBytes = 0 }) => {
    if (state === 'deleting') return undefined
    const present = await readable(blobs, () => blobs.size(location))
    if (present === UNREADABLE) return found('file_unreadable', { location }, 'the file cannot be looked at')
    if (state !== 'staged') {
      if (present === undefined) return found('file_missing', { location }, `no file, of ${size} bytes`)
      return present === size
        ? undefined
        : found('file_size_wrong', { location }, `the file has ${present} bytes, the row says ${size}`)
    }
    const bytes = present ?? 0
    return bytes >= receivedBytes && bytes <= size
      ? undefined
      : found('file_size_wrong', { location }, `${receivedBytes} of ${size} bytes received, the file has ${bytes}`)
  }
}

export const UNREADABLE = Symbol('unreadable')

/** One object that cannot be read is a finding; a store that is away is none, and ends the examination. */
export async function readable<Result>(
  blobs: ReadableBlobs,
  work: () => Promise<Result>,
): Promise<Result | undefined | typeof UNREADABLE> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BlobMissing) return undefined
    if (error instanceof StoreBroken || (error instanceof Error && error.name === 'AbortError')) throw error
    // Throws when it is the whole store.
    await blobs.freeBytes()
    if (error instanceof StorageUnavailable) return UNREADABLE
    throw error
  }
}

/** Files that no row knows. The intent is written before the first byte and its row goes after the last one, so that no crash leaves any. */
export async function* examineStrays(
  { store, blobs }: FilePorts,
  { counts, signal }: Examination,
): AsyncGenerator<Finding> {
  let listed: string[] = []
  for await (const location of blobs.list()) {
    signal.throwIfAborted()
    counts.files += 1
    listed.push(location)
    if (listed.length < LISTED_AT_ONCE) continue
    yield* straysAmong({ store, blobs }, listed)
    listed = []
  }
  yield* straysAmong({ store, blobs }, listed)
}

async function* straysAmong({ store, blobs }: FilePorts, listed: readonly string[]): AsyncGenerator<Finding> {
  const unknown = await store.read(async (tx) => {
    const without: string[] = []
    for (const location of listed) if ((await tx.objects.find(location)) === undefined) without.push(location)
    return without
  })
  for (const location of unknown) {
    const namedBy = await store.read((tx) => whoNames(tx, location))
    // A row goes after its file: one that was removed meanwhile is gone by now.
    const size = await readable(blobs, () => blobs.size(location))
    if (typeof size !== 'number') continue
    yield namedBy === undefined
      ? found('file_stray', { location }, `a file of ${size} bytes that no row knows`)
      : found(
          'file_unlisted',
          { location },
          `a file of ${size} bytes without a row of its own, and ${namedBy} names it`,
        )
  }
}

/** Receipts are for ever, and the row of an object goes after its file: what any of these names is no leftover. */
async function whoNames(tx: ReadTx, location: string): Promise<string | undefined> {
  const uploadId = uploadIdOf(location)
  if (uploadId === undefined) return undefined
  const receipt = await tx.receipts.ofUpload(uploadId)
  if (receipt !== undefined) return `receipt ${receipt.receiptSeq}`
  const owner = await tx.objects.ownerOf(location, uploadId)
  if (owner !== undefined) return owner.dropId === undefined ? `asset ${owner.assetId}` : `drop ${owner.dropId}`
  const upload = await tx.uploads.find(uploadId)
  return upload?.state === 'open' || upload?.state === 'finishing' ? `session ${uploadId}` : undefined
}
