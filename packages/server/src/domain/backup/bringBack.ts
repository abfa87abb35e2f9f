/**
 * Brings single objects back from a backup, beside a running server.
 *
 * Of the backup only bytes count that have the length and the hash of the row in the server's own database, so no MAC
 * is asked for. An object stays as it is until right bytes are durable and were read back. From before the first
 * byte until a last reading it is marked as damaged: storage verification never says yes too early.
 */
import { addSeconds } from '@blindkeep/protocol/ids'
import { BlobMissing, StorageForbidden, StorageUnavailable } from '../../ground/storageErrors.ts'
import { type BackupDirectory, BackupFailed, type SnapshotObject } from '../../ports/backup.ts'
import type { KeyedBytes } from '../../ports/keyedBytes.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Replacing } from '../../ports/replacing.ts'
import type { Staging } from '../../ports/staging.ts'
import { isStoreBroken, type Store } from '../../ports/store.ts'
import { type PausePorts, whileCollectorPauses } from '../custody/collectorPause.ts'
import { createJoinRun, JoiningLost, type JoiningSettings, PART_SECONDS } from '../custody/joining.ts'
import { partsOf } from '../ground/location.ts'
import { manifestIn, nameOf, parseManifest } from './backupManifest.ts'
import { checkedBytes, isRight, ObjectFault } from './checkedBytes.ts'
import { requireSameServer } from './requireSameServer.ts'
import { slicesOf } from './slices.ts'

interface BringingPorts extends PausePorts {
  readonly objects: Objects
  readonly staging: Pick<Staging, 'newKey' | 'settle'>
  /** One of the two, by the kind of the store. */
  readonly replacing?: Replacing | undefined
  readonly keyedBytes?: KeyedBytes | undefined
  readonly directory: Pick<BackupDirectory, 'manifest' | 'size' | 'read'>
}

interface BringingSettings extends JoiningSettings {
  readonly freeSpaceFloorBytes: number
}

/** `is_intact`: a mark of damage was removed. `is_gone`: no row needs it any more. */
export type Brought =
  | { readonly outcome: 'brought_back'; readonly bytes: number }
  | { readonly outcome: 'is_intact' | 'is_gone' }
  /** `why`: for people. */
  | { readonly outcome: 'not'; readonly why: string }

/** A piece of a key, which is in memory on its way. */
const PIECE_BYTES = 16 * 1024 * 1024
const NEVER = new AbortController().signal

/** Throws an error for people if `directory` has no finished backup, or one of another server. */
export async function requireBackupOf(
  store: Pick<Store, 'read'>,
  directory: Pick<BackupDirectory, 'manifest'>,
): Promise<void> {
  await requireSameServer(store, parseManifest(await manifestIn(directory)))
}

export function createBringing(ports: BringingPorts, settings: BringingSettings) {
  const { store, objects, staging, directory, clock } = ports
  const replace = replacementIn(ports, settings)

  async function requireRoom({ bytes }: SnapshotObject): Promise<void> {
    const free = await objects.check()
    if (free - bytes < settings.freeSpaceFloorBytes)
      throw new StorageUnavailable(`${bytes} bytes above FREE_SPACE_FLOOR_BYTES are needed, and ${free} are free`)
  }

  /** If the bytes are right now, ends what is noted of a damage, and says `right`. Undefined if they are wrong. */
  async function noteIfIntact(object: SnapshotObject, right: Brought): Promise<Brought | undefined> {
    const readAt = clock.now()
    if (!(await isIntact(objects, object))) return undefined
    // A killed call may have put them there, and they are not durable yet.
    await staging.settle(object.location, object.bytes)
    const status = await store.write([], async (tx) => {
      await tx.objects.noteIntact(object.location, { readAt, at: clock.now() })
      return tx.objects.statusOf(object.location, partsOf(object.location).ciphertextHash)
    })
    return status?.damagedAt === undefined ? right : not('another reading found it damaged meanwhile: call this again')
  }

  async function bring(object: SnapshotObject): Promise<Brought> {
    const { location, bytes } = object
    const intact = await noteIfIntact(object, { outcome: 'is_intact' })
    if (intact !== undefined) return intact
    await requireInBackup(directory, object)
    await requireRoom(object)
    // Changes nothing unless it is kept, and only a kept one is ever called stored.
    await store.write([], (tx) => tx.objects.markDamaged(location, clock.now()))
    const isReplaced = await replace(object, checkedBytes(directory.read(nameOf(object)), object))
    const after = await present(location)
    if ('outcome' in after) {
      // This process stood still for longer than the collector pauses. Without a row, nothing else would remove it.
      await objects.remove(location)
      return after
    }
    const brought = isReplaced ? await noteIfIntact(object, { outcome: 'brought_back', bytes }) : undefined
    return brought ?? not('the store gave other bytes back')
  }

  async function unlessFault(error: unknown): Promise<Brought> {
    if (isStoreBroken(error)) throw error
    if (error instanceof ObjectFault) return not(faultText(error))
    if (error instanceof JoiningLost) return not('another process replaced its parts meanwhile: call this again')
    if (!(error instanceof StorageUnavailable)) throw error
    // Throws when the whole store is away.
    await objects.check()
    return not(error.message)
  }

  async function present(location: string): Promise<SnapshotObject | Brought> {
    const row = await store.read((tx) => tx.objects.find(location))
    if (row === undefined || row.state === 'deleting') return { outcome: 'is_gone' }
    if (row.state === 'staged') return not('no backup completes an unfinished upload')
    return { location, bytes: row.size, isWhole: true }
  }

  async function judge(location: string, work: (object: SnapshotObject) => Promise<Brought>): Promise<Brought> {
    const object = await present(location)
    return 'outcome' in object ? object : work(object).catch(unlessFault)
  }

  return {
    /** Replaces the object at `location` if its bytes are missing, wrong or unreadable. */
    bringBack: (location: string): Promise<Brought> =>
      // What the collector removes meanwhile would come back after it.
      whileCollectorPauses(ports, () => judge(location, bring)),

    /** What `bringBack` would do, as far as the backup decides; changes nothing. */
    look: (location: string): Promise<Brought> =>
      judge(location, async (object) => {
        if (await isIntact(objects, object)) return { outcome: 'is_intact' }
        await requireInBackup(directory, object)
        await requireRoom(object)
        for await (const _ of checkedBytes(directory.read(nameOf(object)), object));
        return { outcome: 'brought_back', bytes: object.bytes }
      }),
  }
}

type Backup = BringingPorts['directory']

/** Throws an `ObjectFault` of the backup. */
async function requireInBackup(directory: Backup, object: SnapshotObject): Promise<void> {
  const size = await sizeInBackup(directory, object).catch((error: unknown) => {
    throw error instanceof BackupFailed ? new ObjectFault('unreadable', error) : error
  })
  if (size !== object.bytes) throw new ObjectFault(size === undefined ? 'missing' : 'damaged')
}

async function sizeInBackup(directory: Backup, object: SnapshotObject): Promise<number | undefined> {
  const size = await directory.size(nameOf(object))
  // Throws if the whole backup is away by now.
  if (size === undefined) await manifestIn(directory)
  return size
}

const not = (why: string): Brought => ({ outcome: 'not', why })

function faultText({ kind, cause }: ObjectFault): string {
  if (kind === 'missing') return 'the backup does not have it'
  if (kind === 'damaged') return 'the backup has other bytes in its place'
  return `the backup cannot be read: ${cause instanceof Error ? cause.message : cause}`
}

/** False also for bytes that the store cannot read. Throws if it may not read them, or if the whole store is away. */
async function isIntact(objects: Objects, { location, bytes }: SnapshotObject): Promise<boolean> {
  try {
    const { size, sha256 } = await objects.digest(location, bytes, NEVER)
    return size === bytes && sha256 === partsOf(location).ciphertextHash
  } catch (error) {
    if (error instanceof BlobMissing) return false
    if (!(error instanceof StorageUnavailable) || error instanceof StorageForbidden) throw error
    await objects.check()
    return false
  }
}

type Replace = (object: SnapshotObject, body: AsyncIterable<Uint8Array>) => Promise<boolean>

function replacementIn({ replacing, keyedBytes, ...ports }: BringingPorts, settings: JoiningSettings): Replace {
  if (replacing !== undefined)
    return ({ location, bytes }, body) =>
      replacing.replace(location, body, { size: bytes, sha256: partsOf(location).ciphertextHash })
  if (keyedBytes === undefined) throw new Error('a store that replaces nothing')
  return createKeyReplacement({ ...ports, keyedBytes }, settings)
}

/** One new key takes the place of all parts, in one transaction. A kill leaves a key that the server removes. */
function createKeyReplacement(
  ports: Pick<BringingPorts, 'store' | 'staging' | 'clock'> & { readonly keyedBytes: KeyedBytes },
  { partGraceSeconds }: JoiningSettings,
): Replace {
  const { store, staging, keyedBytes, clock } = ports

  /** False, and nothing changed, if the object was removed. */
  async function takePlace(key: string, { location, bytes }: SnapshotObject): Promise<boolean> {
    const { uploadId, ciphertextHash: checksum } = partsOf(location)
    const joined = { key, offset: 0, length: bytes, checksum }
    const removeFrom = addSeconds(clock.now(), partGraceSeconds)
    // With the lock of removals: nothing would remove a part that is kept after its object was removed.
    return store.write(['removal'], async (tx) => {
      const row = await tx.objects.find(location)
      if (row === undefined || row.state === 'deleting') return false
      const replaced = (await tx.parts.keptOf(uploadId)).map((part) => part.key)
      // Throws, so that nothing of it counts.
      if (!(await tx.parts.join({ uploadId, joined, replaced, removeFrom }))) throw new JoiningLost()
      return true
    })
  }

  return async (object, body) => {
    const { location, bytes } = object
    const key = staging.newKey(location)
    if (key === undefined) throw new Error('a store with keys gave none')
    const begun = { key, location, uploadId: partsOf(location).uploadId, until: addSeconds(clock.now(), PART_SECONDS) }
    if (!(await store.write([], (tx) => tx.parts.beginReplacing(begun)))) throw new JoiningLost()
    try {
      await createJoinRun(ports, key, NEVER).join(piecesOf(body, bytes, keyedBytes.limits.maxPieces), bytes)
      const isWritten = (await keyedBytes.size(key)) === bytes
      if (!isWritten || !(await isRight(keyedBytes.read(key, { start: 0, end: bytes }), object))) return false
      return await takePlace(key, object)
    } finally {
      // If it was kept, this changes nothing.
      await store.write([], (tx) => tx.parts.giveUp(key, clock.now())).catch(() => undefined)
    }
  }
}

async function* piecesOf(body: AsyncIterable<Uint8Array>, bytes: number, maxPieces: number) {
  for (const slice of slicesOf(body, bytes, Math.max(PIECE_BYTES, Math.ceil(bytes / maxPieces)))) {
    const pieces: Uint8Array[] = []
    for await (const piece of slice.body) pieces.push(piece)
    yield { given: Buffer.concat(pieces) }
  }
}
