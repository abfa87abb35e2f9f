import { createHash } from 'node:crypto'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { createTurns } from '@blindkeep/protocol/turns'
import { BlobMissing, DigestsBusy, ObjectUnreadable, StorageUnavailable } from '../../ground/storageErrors.ts'
import { type BlobDigest, type ByteRange, checkByteCount, checkLocation, type Objects } from '../../ports/objects.ts'
import type { PartIndex, PlacedPart } from '../../ports/parts.ts'
import type { Client, Lane } from './client.ts'
import { isArchived, isNoSuchKey } from './failure.ts'
import { listKeys, readKey, removeKey, sizeOfKey } from './keys.ts'
import type { Marker } from './marker.ts'
import { locationOf } from './names.ts'
import { patient } from './turns.ts'

/** How many objects are hashed at once. The hash of a piece holds the event loop for a tenth of a millisecond. */
const MAX_DIGESTS = 4
const MAX_WAITING_DIGESTS = 256
/** Large objects take their time. */
const DIGEST_WAIT_MS = 10 * 60_000
/** How many parts of one object are looked at together. */
const LOOKS_TOGETHER = 16
/** How often the parts of an object may move while it is looked at. */
const MAX_MOVES = 5

interface ObjectPorts {
  readonly client: Client
  readonly marker: Marker
  readonly index: PartIndex
}

/** `Objects` in a bucket, whose parts `index` knows. */
export function createObjects({ client, marker, index }: ObjectPorts): Objects {
  const parts = createPartReader({ client, marker, index })
  const busy = () => new DigestsBusy('too many objects wait to be hashed')
  const turns = createTurns({ most: MAX_DIGESTS, mostWaiting: MAX_WAITING_DIGESTS, busy })
  return {
    async size(location) {
      checkLocation(location)
      return parts.size(location)
    },
    async *read(location, range, { size } = {}) {
      checkLocation(location)
      checkByteCount(range.start)
      checkByteCount(range.end)
      if (size !== undefined && (await parts.size(location)) !== size) throw new BlobMissing(`not ${size} bytes`)
      yield* parts.read(location, range, { lane: 'reads' })
    },
    async digest(location, size, signal) {
      checkLocation(location)
      checkByteCount(size)
      const work = () => digestOf(parts, location, size, signal)
      return turns.take(work, patient({ signal, waitMs: DIGEST_WAIT_MS, busy }))
    },
    async remove(location) {
      checkLocation(location)
      await marker.check()
      for await (const { key } of listKeys(client, `${client.address.prefix}${location}/`)) await removeKey(client, key)
    },
    async *list() {
      await marker.check()
      const { prefix } = client.address
      let last: string | undefined
      for await (const { key } of listKeys(client, prefix)) {
        const location = locationOf(key.slice(prefix.length))
        if (location !== undefined && location !== last) yield location
        last = location
      }
    },
    async check() {
      await marker.check()
      return Number.POSITIVE_INFINITY
    },
  }
}

interface Reading {
  readonly lane: Lane
  readonly signal?: AbortSignal
}

interface PartReader {
  size(location: string): Promise<number | undefined>
  read(location: string, range: ByteRange, reading: Reading): AsyncGenerator<Uint8Array>
}

function createPartReader({ client, marker, index }: ObjectPorts): PartReader {
  const at = ({ key }: PlacedPart) => `${client.address.prefix}${key}`

  /** With all parts at their lengths, an object ends with its last; otherwise with the first short one. */
  async function sizeIn(parts: readonly PlacedPart[]): Promise<number> {
    for (let first = 0; first < parts.length; first += LOOKS_TOGETHER) {
      const some = parts.slice(first, first + LOOKS_TOGETHER)
      const sizes = await Promise.all(some.map((part) => sizeOfKey(client, at(part), Math.max(0, part.length - 1))))
      const end = sizes.findIndex((size, place) => size < (some[place]?.length ?? 0) || some[place] === parts.at(-1))
      if (end !== -1) return (some[end]?.offset ?? 0) + (sizes[end] ?? 0)
    }
    return 0
  }

  async function size(location: string): Promise<number | undefined> {
    let missing: string | undefined
    for (let moves = 0; moves < MAX_MOVES; moves++) {
      const parts = await index.partsOf(location)
      try {
        if (parts.length > 0) return await sizeIn(parts)
      } catch (error) {
        if (!isNoSuchKey(error)) throw ofObject(error)
      }
      await marker.check()
      // Sealing may have moved the object while we looked: only two looks at the same keys say that bytes are missing.
      const keys = parts.map(({ key }) => key).join()
      if (keys === missing || parts.length === 0) return undefined
      missing = keys
    }
    throw new StorageUnavailable('an object moves all the time')
  }

  async function* read(location: string, { start, end }: ByteRange, reading: Reading): AsyncGenerator<Uint8Array> {
    let parts = await index.partsOf(location)
    let position = start
    let missing: string | undefined
    if (parts.length === 0) {
      await marker.check()
      throw new BlobMissing('no such object')
    }
    while (position < end) {
      const part = parts.find(({ offset, length }) => offset <= position && position < offset + length)
      if (part === undefined) return
      const span = { start: position - part.offset, end: Math.min(end - part.offset, part.length) }
      try {
        for await (const piece of readKey(client, at(part), span, reading)) {
          position += piece.length
          yield piece
        }
        // Shorter than it should be: what follows would be at the wrong place.
        if (position < part.offset + span.end) return
      } catch (error) {
        if (!isNoSuchKey(error)) throw ofObject(error)
        await marker.check()
        if (missing === part.key) throw new BlobMissing('no such object')
        missing = part.key
        parts = await index.partsOf(location)
      }
    }
  }

  return { size, read }
}

/** Whatever else the store answers may be its own trouble. */
function ofObject(error: unknown): unknown {
  return isArchived(error)
    ? new ObjectUnreadable('the bucket has moved it to an archive class: restore it, and remove the lifecycle rule')
    : error
}

async function digestOf(parts: PartReader, location: string, size: number, signal: AbortSignal): Promise<BlobDigest> {
  const hash = createHash('sha256')
  for await (const piece of parts.read(location, { start: 0, end: size }, { lane: 'verification', signal }))
    hash.update(piece)
  const sha256 = parseSha256Hex(hash.digest('hex'))
  // After the bytes: an object that has more of them than were hashed is not the recorded one.
  const present = await parts.size(location)
  signal.throwIfAborted()
  if (sha256 === undefined || present === undefined) throw new BlobMissing('no such object')
  return { sha256, size: present }
}
