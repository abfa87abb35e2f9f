import { createHash } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'
import type { AuditedObject, Chunk } from '../../ports/store.ts'
import { isUnreadable } from '../custody/unreadable.ts'
import { partsOf, uploadIdOf } from '../ground/location.ts'
import { confirmed, type FilePorts, readable, Unreadable } from './files.ts'
import { createFinding, type Finding, instantText } from './finding.ts'
import type { Examination } from './options.ts'

/** Reads the bytes of an object again: a kept one whole, a staged one chunk by chunk. */
export async function* examineBytes(
  ports: FilePorts & { readonly clock: Clock },
  object: AuditedObject,
  examination: Examination,
): AsyncGenerator<Finding> {
  if (object.state === 'staged') return yield* examineChunks(ports, object, examination)
  if (object.state !== 'kept' || examination.memory?.intact.has(object.location) === true) return
  const finding = await confirmed(ports, object, (present) => lookAtBytes(ports, present, examination))
  if (finding !== undefined) yield finding
}

async function lookAtBytes(
  { objects, clock }: FilePorts & { readonly clock: Clock },
  object: AuditedObject,
  { counts, signal, memory }: Examination,
): Promise<Finding | undefined> {
  const { location, size, state, damagedAt, suspectedAt } = object
  if (state !== 'kept') return undefined
  const readAt = clock.now()
  const digest = await readable(objects, () => objects.digest(location, size, signal))
  if (digest instanceof Unreadable) return digest.finding(object)
  // `lookAtFile` reports a file that is missing or has another size.
  if (digest?.size !== size) return undefined
  counts.bytes += size
  const isIntact = digest.sha256 === partsOf(location).ciphertextHash
  if (!isIntact)
    return createFinding(
      'bytes_wrong',
      { location },
      `the bytes hash to ${digest.sha256}`,
      damagedAt === undefined ? { repair: 'mark_damaged', location } : undefined,
    )
  memory?.intact.add(location)
  const what =
    damagedAt !== undefined
      ? `it was marked as damaged at ${instantText(damagedAt)}`
      : suspectedAt !== undefined && isUnreadable(object)
        ? `it could not be read since ${instantText(suspectedAt)}`
        : undefined
  if (what === undefined) return undefined
  const unmark = { repair: 'unmark_damaged', location, size, readAt } as const
  return createFinding('object_intact', { location }, `the bytes are right, and ${what}`, unmark)
}

/** A killed process loses no acknowledged chunk; only a power cut may. */
async function* examineChunks(
  ports: FilePorts,
  object: AuditedObject,
  examination: Examination,
): AsyncGenerator<Finding> {
  const { location } = object
  const uploadId = uploadIdOf(location)
  if (uploadId === undefined) return
  const chunks = await ports.store.read((tx) => tx.uploads.chunks(uploadId))
  for (const chunk of chunks) {
    examination.signal.throwIfAborted()
    const first = await isWhole(ports, location, chunk)
    // One finding for the file.
    if (first instanceof Unreadable) return yield first.finding(object)
    if (first) {
      examination.counts.bytes += chunk.length
      continue
    }
    const present = await ports.store.read(async (tx) => ({
      chunk: await tx.uploads.chunkAt(uploadId, chunk.offset),
      object: await tx.objects.find(location),
    }))
    // Meanwhile the session may have fallen back, and then has another chunk there; or ended, and then has none.
    const isSame = present.chunk?.checksum === chunk.checksum && present.object?.state === 'staged'
    if (isSame && (await isWhole(ports, location, chunk)) === false)
      yield createFinding(
        'chunk_wrong',
        { upload_id: uploadId, location },
        `the chunk of ${chunk.length} bytes at ${chunk.offset} has other bytes`,
      )
  }
}

async function isWhole(
  { objects }: FilePorts,
  location: string,
  { offset, length, checksum }: Chunk,
): Promise<boolean | Unreadable> {
  const read = await readable(objects, async () => {
    const hash = createHash('sha256')
    for await (const piece of objects.read(location, { start: offset, end: offset + length })) hash.update(piece)
    return hash.digest('hex')
  })
  return read instanceof Unreadable ? read : read === checksum
}
