import { type AssetId, addSeconds, type DropId, type Instant, type Sha256Hex } from '@blindkeep/protocol/ids'
import {
  type BackupDirectory,
  BackupFailed,
  type Snapshot,
  type SnapshotObject,
  type SnapshotSource,
} from '../../ports/backup.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { type CappedList, createCappedList } from '../cappedList.ts'
import { checkedBytes, digestOf, isRight, ObjectFault, type ObjectFaultKind } from '../custody/checkedBytes.ts'
import { pauseCollector, resumeCollector } from '../custody/collect.ts'
import { severalAtOnce } from '../severalAtOnce.ts'
import { partsOf } from '../uploads/location.ts'
import {
  type BackupManifest,
  databaseNameOf,
  formatManifest,
  locationIn,
  nameOf,
  parseManifest,
} from './backupManifest.ts'

/**
 * A backup, beside a server that runs: the database of one instant, and every object that it names.
 *
 * The order makes it safe to be killed anywhere. The collector pauses, so that what the database names is there until it has been copied; files are
 * added under names that were never used for other bytes; one rename of the manifest turns from the backup before to this one; only then is removed
 * what that one alone had.
 */
/** Calls `work` every so many seconds, until what it gives is called. */
export type Repeat = (seconds: number, work: () => void) => () => void

export interface BackupPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly repeat: Repeat
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
  /** Those that an earlier backup had not, and those that it had. */
  readonly copied: Amount
  readonly present: Amount
  /** Files of earlier backups that this one does not name. */
  readonly removedFiles: number
  /** Objects that something owns and it could not take: each is missing from the backup. */
  readonly damaged: CappedList<DamagedObject>
}

interface Amount {
  files: number
  bytes: number
}

export interface DamagedObject {
  readonly what: ObjectFaultKind
  readonly hash: Sha256Hex
  readonly size: number
  /** What owns it: one of the two. */
  readonly assetId: AssetId | undefined
  readonly dropId: DropId | undefined
}

/** After a backup that was killed the collector goes on by itself. */
const PAUSE_SECONDS = 300
const PAUSE_RENEWED_EVERY_SECONDS = 60
/** What a disk takes side by side; each is synced by itself. */
const COPIES_AT_ONCE = 4

/** Throws `BackupFailed` when the directory is another server’s or does not take what it is given. `isChecked` has what is there already read again, too. */
export async function backUp(
  ports: BackupPorts,
  { isChecked }: { readonly isChecked: boolean },
): Promise<BackupReport> {
  const { directory, snapshots, clock } = ports
  await refuseAnothers(ports)
  return whileCollectorPauses(ports, async () => {
    const createdAt = clock.now()
    const database = databaseNameOf(createdAt)
    const leftovers = await removeLeftovers(directory, database)
    ports.onProgress({ step: 'database', files: 0, bytes: 0 })
    try {
      const snapshot = await snapshots.take(database)
      try {
        const taken = await takeCopies(ports, snapshot, isChecked)
        const manifest = await manifestOf(ports, { snapshot, createdAt, database, taken })
        await directory.replaceManifest(formatManifest(manifest))
        return { manifest, ...taken, removedFiles: leftovers + (await removeUnnamed(ports, snapshot, database)) }
      } finally {
        snapshot.close()
      }
    } catch (error) {
      // Gives its space back; should that fail too, the next run removes it.
      await removeUnfinished(directory, database).catch(() => undefined)
      throw error
    }
  })
}

async function presentDatabase(directory: BackupDirectory): Promise<string | undefined> {
  const text = await directory.manifest()
  return text === undefined ? undefined : parseManifest(text).database.file
}

/** Databases of runs that were killed, before they fill the disk: all but the one that counts. `next` is what this run is going to make. */
async function removeLeftovers(directory: BackupDirectory, next: string): Promise<number> {
  const present = await presentDatabase(directory)
  if (present === next) throw new BackupFailed('the clock says the very instant of the backup that is there: try again')
  const leftovers = (await directory.databases()).filter((name) => name !== present)
  for (const name of leftovers) await directory.remove(name)
  return leftovers.length
}

/** What this run has made, unless it counts already. */
async function removeUnfinished(directory: BackupDirectory, database: string): Promise<void> {
  if ((await presentDatabase(directory)) === database) return
  for (const name of await directory.databases()) if (name.startsWith(database)) await directory.remove(name)
}

/** By the server’s first key; and by the end of its log, as a server that was restored from an earlier backup must not write over a later one. */
async function refuseAnothers({ directory, snapshots }: BackupPorts): Promise<void> {
  const text = await directory.manifest()
  if (text === undefined) return
  const { firstKeyId, serverId, head } = parseManifest(text)
  const present = snapshots.live()
  try {
    if (present.firstKeyId() !== firstKeyId)
      throw new BackupFailed(
        `the directory holds a backup of another server, ${serverId ?? 'without receipts'}. Name another one.`,
      )
    if (head !== undefined && present.receiptHash(head.receiptSeq) !== head.receiptHash)
      throw new BackupFailed(
        'the backup in the directory has receipts that this server does not have: it is a later one than what was restored here. Name another directory.',
      )
  } finally {
    present.close()
  }
}

/** Runs `work` while the collector removes nothing that a snapshot taken in it names. For one backup of a server at a time. */
async function whileCollectorPauses<Result>(
  { store, clock, repeat }: BackupPorts,
  work: () => Promise<Result>,
): Promise<Result> {
  const pause = () => store.write((tx) => pauseCollector(tx, addSeconds(clock.now(), PAUSE_SECONDS)))
  await pause()
  // One that fails has four more tries; should all of them fail, what is then gone is told as missing.
  const stop = repeat(PAUSE_RENEWED_EVERY_SECONDS, () => void pause().catch(() => undefined))
  return work().finally(async () => {
    stop()
    await store.write((tx) => resumeCollector(tx, clock.now())).catch(() => undefined)
  })
}

interface Taken {
  readonly copied: Amount
  readonly present: Amount
  readonly damaged: CappedList<DamagedObject>
}

async function takeCopies(ports: BackupPorts, snapshot: Snapshot, isChecked: boolean): Promise<Taken> {
  const taken = {
    copied: { files: 0, bytes: 0 },
    present: { files: 0, bytes: 0 },
    damaged: createCappedList<DamagedObject>(),
  }
  await severalAtOnce(snapshot.objects(), COPIES_AT_ONCE, async (object) => {
    const outcome = await takeCopy(ports, object, isChecked)
    if (outcome === 'copied' || outcome === 'present') count(taken[outcome], object)
    else if (object.isWhole) for (const damage of damageOf(snapshot, object, outcome)) taken.damaged.add(damage)
    const { copied, present } = taken
    ports.onProgress({ step: 'objects', files: copied.files + present.files, bytes: copied.bytes + present.bytes })
  })
  return taken
}

function count(amount: Amount, { bytes }: SnapshotObject): void {
  amount.files += 1
  amount.bytes += bytes
}

/** None of an object that nothing owns any more: it is missed by nobody, and may be gone by right. */
function damageOf(
  snapshot: Snapshot,
  { location, bytes }: SnapshotObject,
  what: ObjectFaultKind,
): readonly DamagedObject[] {
  const { assetId, dropId } = snapshot.ownerOf(location)
  if (assetId === undefined && dropId === undefined) return []
  return [{ what, hash: partsOf(location).ciphertextHash, size: bytes, assetId, dropId }]
}

/** What could not be taken of an object that is still sent is no damage: it may have been given up since, and a server looks at such bytes before it goes on. */
async function takeCopy(
  { blobs, directory }: BackupPorts,
  object: SnapshotObject,
  isChecked: boolean,
): Promise<'copied' | 'present' | ObjectFaultKind> {
  const name = nameOf(object)
  const isThere = (await directory.size(name)) === object.bytes
  // One that cannot be read is written anew: under its name come other blocks of the disk.
  const isKept = async () => isRight(directory.read(name), object).catch(unlessFailed)
  if (isThere && (!isChecked || (await isKept()))) return 'present'
  try {
    await directory.add(name, checkedBytes(blobs.read(object.location, { start: 0, end: object.bytes }), object))
    return 'copied'
  } catch (error) {
    if (!(error instanceof ObjectFault)) throw error
    // That the whole disk is away is no fault of this object: it throws then.
    if (error.kind === 'unreadable') await blobs.freeBytes()
    return error.kind
  }
}

function unlessFailed(error: unknown): false {
  if (!(error instanceof BackupFailed)) throw error
  return false
}

async function manifestOf(
  { directory }: BackupPorts,
  { snapshot, createdAt, database, taken }: { snapshot: Snapshot; createdAt: Instant; database: string; taken: Taken },
): Promise<BackupManifest> {
  const firstKeyId = snapshot.firstKeyId()
  if (firstKeyId === undefined) throw new BackupFailed('the server has no key yet: start it once')
  const { copied, present } = taken
  return {
    createdAt,
    serverId: snapshot.serverId(),
    firstKeyId,
    head: snapshot.head(),
    database: { file: database, ...(await digestOf(directory.read(database))) },
    counts: { ...snapshot.counts(), objects: copied.files + present.files, bytes: copied.bytes + present.bytes },
  }
}

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
