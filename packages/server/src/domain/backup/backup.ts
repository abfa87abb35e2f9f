/**
 * A backup beside a running server: the database at one instant, and every object that it names.
 *
 * The order of the steps makes it safe to kill the process anywhere. The collector pauses, so every object that the
 * database names exists until it is copied. New files get names that were never used for other bytes. One rename of the
 * manifest replaces the last backup by this one. Files that only the last one needed are removed after that.
 */
import { utf8 } from '@blindkeep/protocol/bytes'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import type { AssetId, DropId, Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import { StorageForbidden } from '../../ground/storageErrors.ts'
import {
  type BackupDirectory,
  BackupFailed,
  type Snapshot,
  type SnapshotObject,
  type SnapshotSource,
} from '../../ports/backup.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Store } from '../../ports/store.ts'
import { type PausePorts, whileCollectorPauses } from '../custody/collectorPause.ts'
import { isUnreadable, seemsOfObject } from '../custody/unreadable.ts'
import { namesIn } from '../discovery/publicUrls.ts'
import { type CappedList, createCappedList } from '../ground/cappedList.ts'
import { partsOf } from '../ground/location.ts'
import {
  type BackupManifest,
  databaseNameOf,
  formatManifest,
  isVouchedFor,
  locationIn,
  nameOf,
  parseManifest,
} from './backupManifest.ts'
import { checkedBytes, digestOf, isRight, ObjectFault, type ObjectFaultKind } from './checkedBytes.ts'
import { requireKeys } from './requireKeys.ts'
import { requireSameServer } from './requireSameServer.ts'

export interface BackupPorts extends PausePorts {
  readonly objects: Objects
  /** Vouches for the backup. */
  readonly keyring: Keyring
  readonly snapshots: SnapshotSource
  readonly directory: BackupDirectory
  readonly onProgress: (progress: BackupProgress) => void
}

export interface BackupProgress {
  readonly step: 'database' | 'objects' | 'clean-up'
  readonly files: number
  readonly bytes: number
}

export interface BackupReport {
  readonly manifest: BackupManifest
  /** Objects that no earlier backup had. */
  readonly copied: Amount
  /** Objects that an earlier backup had. */
  readonly present: Amount
  /** Files of earlier backups that this one does not name. */
  readonly removedFiles: number
  /** Objects of an asset or a drop that could not be copied. They are missing from the backup. */
  readonly damaged: CappedList<DamagedObject>
  /** It lacks nothing, or only what was known as damaged or unreadable: one lost file must not end all backups. */
  readonly isComplete: boolean
}

interface Amount {
  files: number
  bytes: number
}

export interface DamagedObject {
  readonly what: ObjectFaultKind
  /** Of one that cannot be read: why, for people. */
  readonly reason?: string
  readonly hash: Sha256Hex
  readonly size: number
  /** The owner: one of the two. */
  readonly assetId: AssetId | undefined
  readonly dropId: DropId | undefined
}

/** Each copy waits for its own sync. */
const COPIES_AT_ONCE = 4

/**
 * Throws `BackupFailed` when the directory belongs to another server, or cannot be written. With `isChecked` it also
 * reads files of earlier backups again.
 */
export async function backUp(
  ports: BackupPorts,
  { isChecked }: { readonly isChecked: boolean },
): Promise<BackupReport> {
  const { directory, snapshots, clock, keyring } = ports
  await requireKeys(ports.store, keyring)
  await requireOwnDirectory(ports)
  await directory.create()
  return whileCollectorPauses(ports, async () => {
    const createdAt = clock.now()
    const database = databaseNameOf(createdAt)
    const leftovers = await removeLeftovers(directory, database)
    ports.onProgress({ step: 'database', files: 0, bytes: 0 })
    try {
      const snapshot = await snapshots.take(database)
      try {
        const copies = await copyObjects(ports, snapshot, { isChecked, createdAt })
        const manifest = await manifestOf(ports, { snapshot, createdAt, database, copies })
        await directory.replaceManifest(formatManifest(manifest, keyring))
        if (copies.isComplete) await noteBackup(ports.store, createdAt)
        return { manifest, ...copies, removedFiles: leftovers + (await removeUnnamed(ports, snapshot, database)) }
      } finally {
        snapshot.close()
      }
    } catch (error) {
      // Frees the space. If that fails too, the next run removes the files.
      await removeUnfinished(directory, database).catch(() => undefined)
      throw error
    }
  })
}

/** For monitoring. The backup is made, even if this fails. */
async function noteBackup(store: Store, at: Instant): Promise<void> {
  await store.write(['server'], (tx) => tx.server.setFact('backed_up_at', utf8(String(at)))).catch(() => undefined)
}

async function presentDatabase(directory: BackupDirectory): Promise<string | undefined> {
  const text = await directory.manifest()
  return text === undefined ? undefined : parseManifest(text).database.file
}

/** Removes databases of killed runs before they fill the disk, except the manifest's. `next`: this run's. */
async function removeLeftovers(directory: BackupDirectory, next: string): Promise<number> {
  const present = await presentDatabase(directory)
  if (present === next) throw new BackupFailed('the clock shows the instant of the backup in the directory: try again')
  const leftovers = (await directory.databases()).filter((name) => name !== present)
  for (const name of leftovers) await directory.remove(name)
  return leftovers.length
}

/** Removes the database of this run, unless the manifest names it already. */
async function removeUnfinished(directory: BackupDirectory, database: string): Promise<void> {
  if ((await presentDatabase(directory)) === database) return
  for (const name of await directory.databases()) if (name.startsWith(database)) await directory.remove(name)
}

/**
 * Compares the server’s first key, its names and the log's end: a restored server must not replace a later backup.
 */
async function requireOwnDirectory({ directory, store, keyring }: BackupPorts): Promise<void> {
  const text = await directory.manifest()
  if (text === undefined) return
  const manifest = parseManifest(text)
  const { serverId, head } = manifest
  // Of this server, when it had no account: its first key may have been replaced since (`keyChanges.ts`).
  if (serverId === undefined && isVouchedFor(text, keyring)) return
  await requireSameServer(store, manifest)
  const names = await store.read(namesIn)
  if (serverId !== undefined && !names.includes(serverId))
    throw new BackupFailed(
      `the backup in the directory is of ${serverId}, to which this server has not moved: it was restored from an earlier backup. Name another directory.`,
    )
  if (head === undefined) return
  if ((await store.read((tx) => tx.receipts.hashOf(head.receiptSeq))) !== head.receiptHash)
    throw new BackupFailed(
      'the backup in the directory has receipts that this server does not have: this server was restored from an earlier backup. Name another directory.',
    )
}

interface Copies {
  readonly copied: Amount
  readonly present: Amount
  readonly damaged: CappedList<DamagedObject>
  readonly isComplete: boolean
}

async function copyObjects(
  ports: BackupPorts,
  snapshot: Snapshot,
  { isChecked, createdAt }: { readonly isChecked: boolean; readonly createdAt: Instant },
): Promise<Copies> {
  const copies = {
    copied: { files: 0, bytes: 0 },
    present: { files: 0, bytes: 0 },
    damaged: createCappedList<DamagedObject>(),
    isComplete: true,
  }
  await forEachConcurrently(snapshot.objects(), COPIES_AT_ONCE, async (object) => {
    const outcome = await copyObject(ports, object, isChecked)
    if (outcome === 'copied' || outcome === 'present') count(copies[outcome], object)
    // An object that is still uploaded may have been cancelled since, and a restored server checks its bytes before it
    // continues: no damage.
    else if (object.isWhole)
      for (const damage of damageOf(snapshot, object, outcome)) {
        copies.damaged.add(damage)
        const knownAt = await noteFault(ports, object, outcome)
        if (knownAt === undefined || knownAt > createdAt) copies.isComplete = false
      }
    const { copied, present } = copies
    ports.onProgress({ step: 'objects', files: copied.files + present.files, bytes: copied.bytes + present.bytes })
  })
  return copies
}

/**
 * The server's scrubber reads it soon, and marks it. Returns since when it is known as damaged or unreadable. A store
 * that did not answer says nothing about the object, and a file that only this command's user may not read needs no
 * suspicion.
 */
async function noteFault(
  { store, clock }: BackupPorts,
  { location }: SnapshotObject,
  { kind, cause }: ObjectFault,
): Promise<Instant | undefined> {
  const isOfObject = kind !== 'unreadable' || seemsOfObject(cause)
  return store.write([], async (tx) => {
    const row = await tx.audit.object(location)
    if (isOfObject && !(cause instanceof StorageForbidden)) await tx.objects.suspect(location, clock.now())
    return row?.damagedAt ?? (row && isOfObject && isUnreadable(row) ? row.suspectedAt : undefined)
  })
}

function count(amount: Amount, { bytes }: SnapshotObject): void {
  amount.files += 1
  amount.bytes += bytes
}

/** Empty for an object without an owner: the collector may have removed it. */
function damageOf(
  snapshot: Snapshot,
  { location, bytes }: SnapshotObject,
  { kind: what, cause }: ObjectFault,
): readonly DamagedObject[] {
  const { assetId, dropId } = snapshot.ownerOf(location)
  if (assetId === undefined && dropId === undefined) return []
  const why = what === 'unreadable' && cause instanceof Error ? { reason: cause.message } : {}
  return [{ what, ...why, hash: partsOf(location).ciphertextHash, size: bytes, assetId, dropId }]
}

async function copyObject(
  { objects, directory }: BackupPorts,
  object: SnapshotObject,
  isChecked: boolean,
): Promise<'copied' | 'present' | ObjectFault> {
  const name = nameOf(object)
  const isThere = (await directory.size(name)) === object.bytes
  // A file that cannot be read is written again, to other blocks of the disk.
  const isReadable = async () => isRight(directory.read(name), object).catch(unlessFailed)
  if (isThere && (!isChecked || (await isReadable()))) return 'present'
  try {
    await directory.add(name, checkedBytes(objects.read(object.location, { start: 0, end: object.bytes }), object))
    return 'copied'
  } catch (error) {
    if (!(error instanceof ObjectFault)) throw error
    // Throws when the whole disk is away, which is no fault of this object.
    await objects.check()
    return error
  }
}

function unlessFailed(error: unknown): false {
  if (!(error instanceof BackupFailed)) throw error
  return false
}

async function manifestOf(
  { directory }: BackupPorts,
  {
    snapshot,
    createdAt,
    database,
    copies,
  }: { snapshot: Snapshot; createdAt: Instant; database: string; copies: Copies },
): Promise<BackupManifest> {
  const firstKeyId = snapshot.firstKeyId()
  if (firstKeyId === undefined) throw new BackupFailed('the server has no key yet: start it once')
  const { copied, present } = copies
  return {
    createdAt,
    serverId: snapshot.serverId(),
    firstKeyId,
    head: snapshot.head(),
    database: { file: database, ...(await digestOf(directory.read(database))) },
    counts: { ...snapshot.counts(), objects: copied.files + present.files, bytes: copied.bytes + present.bytes },
  }
}

/** Removes the files that this backup does not name. */
async function removeUnnamed(
  { directory, onProgress }: BackupPorts,
  snapshot: Snapshot,
  database: string,
): Promise<number> {
  let files = 0
  for await (const name of directory.list()) {
    if (name === database || isNamed(snapshot, name)) continue
    await directory.remove(name)
    files += 1
    onProgress({ step: 'clean-up', files, bytes: 0 })
  }
  return files
}

function isNamed(snapshot: Snapshot, name: string): boolean {
  const location = locationIn(name)
  const object = location === undefined ? undefined : snapshot.find(location)
  return object !== undefined && nameOf(object) === name
}
