import { countText } from '@blindkeep/protocol/counts'
import { BlobMissing, ObjectUnreadable, StorageForbidden, StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Objects } from '../../ports/objects.ts'
import { type AuditedObject, type ReadTx, type Store, StoreBroken } from '../../ports/store.ts'
import { uploadIdOf } from '../ground/location.ts'
import { createFinding, type Finding } from './finding.ts'
import type { Examination } from './options.ts'

export type ReadableObjects = Pick<Objects, 'size' | 'digest' | 'read' | 'list' | 'check'>

export interface FilePorts {
  readonly store: Pick<Store, 'read'>
  readonly objects: ReadableObjects
}

/** For a row that changes during each look. */
const MAX_LOOKS = 5
const LISTED_AT_ONCE = 256

/** What is wrong with the bytes of an object, compared with this row. Undefined when nothing is. */
type Look = (object: AuditedObject) => Promise<Finding | undefined>

/**
 * Compares the bytes with the row. Beside a running server the bytes may have changed since the row was read. So a
 * fault counts only when the row is the same before and after the look.
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
  // The row changes all the time, so a client is using it.
  return undefined
}

function isSame(one: AuditedObject, other: AuditedObject): boolean {
  return one.state === other.state && one.size === other.size && one.receivedBytes === other.receivedBytes
}

/**
 * No row without bytes: an object with a receipt has a file of exactly its size until it is deleting; a staged object
 * has at least the acknowledged bytes.
 */
export function lookAtFile({ objects }: FilePorts): Look {
  return async (object) => {
    const { location, size, state, receivedBytes = 0, damagedAt } = object
    if (state === 'deleting') return undefined
    const present = await readable(objects, () => objects.size(location))
    if (present instanceof Unreadable) return present.finding(object)
    if (state !== 'staged') {
      if (present === size) return undefined
      const mark =
        state === 'kept' && damagedAt === undefined ? ({ repair: 'mark_damaged', location } as const) : undefined
      return present === undefined
        ? createFinding('file_missing', { location }, `no file, of ${countText(size, 'byte')}`, mark)
        : createFinding(
            'file_size_wrong',
            { location },
            `the file has ${countText(present, 'byte')}, the row says ${size}`,
            mark,
          )
    }
    const bytes = present ?? 0
    return bytes >= receivedBytes && bytes <= size
      ? undefined
      : createFinding(
          'file_size_wrong',
          { location },
          `${receivedBytes} of ${size} bytes received, the file has ${bytes}`,
        )
  }
}

export class Unreadable {
  readonly #error: StorageUnavailable

  constructor(error: StorageUnavailable) {
    this.#error = error
  }

  finding({ location, state, damagedAt, suspectedAt }: AuditedObject): Finding {
    if (this.#error instanceof StorageForbidden)
      return createFinding('file_forbidden', { location }, this.#error.message)
    const isNews = state === 'kept' && damagedAt === undefined && suspectedAt === undefined
    const repair =
      isNews && this.#error instanceof ObjectUnreadable ? ({ repair: 'mark_unreadable', location } as const) : undefined
    return createFinding('file_unreadable', { location }, `the file cannot be read: ${this.#error.message}`, repair)
  }
}

/** An unreadable object is a finding. A silent store is none: it ends the examination with an error. */
export async function readable<Result>(
  objects: ReadableObjects,
  work: () => Promise<Result>,
): Promise<Result | undefined | Unreadable> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BlobMissing) return undefined
    if (error instanceof StoreBroken || (error instanceof Error && error.name === 'AbortError')) throw error
    // Throws when the whole store does not answer.
    await objects.check()
    if (error instanceof StorageUnavailable) return new Unreadable(error)
    throw error
  }
}

/** Files without a row. Rows are written before the first byte and removed after the last: no crash leaves these. */
export async function* examineStrays(
  { store, objects }: FilePorts,
  { counts, signal }: Examination,
): AsyncGenerator<Finding> {
  let listed: string[] = []
  for await (const location of objects.list()) {
    signal.throwIfAborted()
    counts.files += 1
    listed.push(location)
    if (listed.length < LISTED_AT_ONCE) continue
    yield* straysAmong({ store, objects }, listed)
    listed = []
  }
  yield* straysAmong({ store, objects }, listed)
}

async function* straysAmong({ store, objects }: FilePorts, listed: readonly string[]): AsyncGenerator<Finding> {
  const unknown = await store.read(async (tx) => {
    const without: string[] = []
    for (const location of listed) if ((await tx.objects.find(location)) === undefined) without.push(location)
    return without
  })
  for (const location of unknown) {
    const namedBy = await store.read((tx) => whoNames(tx, location))
    // The server removes a file before its row, so a file that was removed meanwhile does not exist now.
    const size = await readable(objects, () => objects.size(location))
    if (typeof size !== 'number') continue
    yield namedBy === undefined
      ? createFinding('file_stray', { location }, `a file of ${countText(size, 'byte')} that no row names`)
      : createFinding(
          'file_unlisted',
          { location },
          `a file of ${countText(size, 'byte')} without a row of its own, and ${namedBy} names it`,
        )
  }
}

/** Receipts never end, and files go before their rows. So a file with any of these rows is no leftover. */
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
