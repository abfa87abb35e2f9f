import type { Instant, UploadId } from '@blindkeep/protocol/ids'
import { type BackupDirectory, BackupFailed, type RestoredDatabase, type SnapshotObject } from '../../ports/backup.ts'
import { type Blobs, StorageUnavailable } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import { type Keyring, WrongMasterSecret } from '../../ports/keyring.ts'
import type { Store, WriteTx } from '../../ports/store.ts'
import { type CappedList, type CappedListBuilder, createCappedList } from '../cappedList.ts'
import { checkedBytes, createPassing, isRight, ObjectFault } from '../custody/checkedBytes.ts'
import { type Rotation, rotateAttestationKey } from '../custody/keys.ts'
import { raiseReceiptSeqFloor, receiptSeqFloor } from '../custody/receipts.ts'
import { rotateSigningKey } from '../discovery/signingKey.ts'
import type { Quota } from '../quota/quota.ts'
import { severalAtOnce } from '../severalAtOnce.ts'
import { partsOf } from '../uploads/location.ts'
import { createUploadEnding } from '../uploads/uploadEnding.ts'
import { createWriters } from '../uploads/writers.ts'
import type { BackupProgress } from './backup.ts'
import { type BackupManifest, nameOf, parseManifest } from './backupManifest.ts'

/**
 * From a backup to data that a server starts on.
 *
 * The server went on after the backup was made, and what it did then is gone: it has given out receipts, tokens and cursors that these rows do not know. So
 * none of them may come to mean something else: receipts go on under a new key and far above the numbers that may have been given out, tokens and
 * cursors hold no more. The database takes its name last: half of a restore never starts.
 */
interface RestorePorts {
  readonly directory: BackupDirectory
  readonly database: RestoredDatabase
  readonly blobs: Blobs
  readonly keyring: Keyring
  readonly clock: Clock
  readonly quota: Quota
  readonly onProgress: (progress: BackupProgress) => void
}

export interface RestoreReport {
  readonly manifest: BackupManifest
  readonly copied: number
  /** Objects that were there already and are right: of a restore that was broken off, or on a disk that has survived. */
  readonly present: number
  /** Locations of objects that something owns and the backup does not have, or not right. Storage verification says so of them. */
  readonly damaged: CappedList<string>
  readonly rotation: Rotation
  /** Every receipt from now on has a number above it. */
  readonly receiptSeqFloor: number
}

/**
 * More numbers than receipts can be signed in a millisecond. So each life of the server begins above whatever any earlier one has given out until then,
 * known to the backup or not. 2^53 is reached in the year 30,000.
 */
const RECEIPT_SEQS_PER_MS = 10
/** Where the clock does not lead above what is known, as it was set back: more receipts than a server signs in a week. */
const RECEIPT_SEQ_JUMP = 1_000_000_000
const COPIES_AT_ONCE = 4

/** Throws `BackupFailed`, and leaves no database, when the backup is not whole or its keys are not this master secret's. */
export async function restore(ports: RestorePorts): Promise<RestoreReport> {
  const { directory, database, clock } = ports
  const text = await directory.manifest()
  if (text === undefined)
    throw new BackupFailed('the directory holds no finished backup: there is no backup.json in it')
  const manifest = parseManifest(text)
  try {
    await receiveDatabase(ports, manifest)
    const changed = await withStore(database, async (store) => {
      await requireKeys(store, ports.keyring)
      const taken = await takeCopies(ports, store)
      if ((await directory.manifest()) !== text)
        throw new BackupFailed('another backup was made into the directory meanwhile: restore again')
      await endBroken(ports, store, taken.broken)
      return { ...taken, ...(await changeIdentity(ports, store)) }
    })
    await database.detachClients(clock.now())
    await database.putInPlace()
    return { manifest, ...changed }
  } catch (error) {
    await database.discard()
    throw error
  }
}

async function withStore<Result>(database: RestoredDatabase, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await database.open()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function receiveDatabase(
  { directory, database, onProgress }: RestorePorts,
  manifest: BackupManifest,
): Promise<void> {
  const { file, size, sha256 } = manifest.database
  onProgress({ step: 'database', files: 0, bytes: 0 })
  const passing = createPassing()
  await database.receive(passed(directory.read(file), passing.take))
  const found = passing.digest()
  if (found.size !== size || found.sha256 !== sha256)
    throw new BackupFailed(`the database of the backup, ${file}, is damaged. Take an earlier backup.`)
}

async function* passed(body: AsyncIterable<Uint8Array>, see: (piece: Uint8Array) => void): AsyncIterable<Uint8Array> {
  for await (const piece of body) {
    see(piece)
    yield piece
  }
}

/** Before any byte is copied: without them a server could neither start nor go on with the log. */
async function requireKeys(store: Store, keyring: Keyring): Promise<void> {
  const { key, secret } = await store.read(async (tx) => ({
    key: await tx.keys.activeAttestationKey(),
    secret: await tx.server.fact('server_secret'),
  }))
  try {
    if (key !== undefined) keyring.openAttestationKey(key)
    if (secret !== undefined) keyring.open('server-secret', secret)
  } catch (error) {
    if (!(error instanceof WrongMasterSecret)) throw error
    throw new BackupFailed(
      'the master secret is not the one of the server that was backed up, so its keys cannot be opened. Put that one back (MASTER_SECRET_FILE), and restore again.',
      { cause: error },
    )
  }
}

interface Taken {
  copied: number
  present: number
  readonly damaged: CappedListBuilder<string>
  /** Sessions under way whose bytes the backup has not. */
  readonly broken: UploadId[]
}

async function takeCopies(ports: RestorePorts, store: Store): Promise<Taken> {
  const taken: Taken = { copied: 0, present: 0, damaged: createCappedList(), broken: [] }
  const snapshot = ports.database.snapshot()
  let [files, bytes] = [0, 0]
  try {
    await severalAtOnce(snapshot.objects(), COPIES_AT_ONCE, async (object) => {
      const outcome = await takeCopy(ports, object)
      if (outcome !== 'damaged') taken[outcome] += 1
      else if (!object.isWhole) taken.broken.push(partsOf(object.location).uploadId)
      // What nobody owns any more is missed by nobody.
      else if (await store.write((tx) => tx.objects.markDamaged(object.location, ports.clock.now())))
        taken.damaged.add(object.location)
      files += 1
      bytes += object.bytes
      ports.onProgress({ step: 'objects', files, bytes })
    })
  } finally {
    snapshot.close()
  }
  return taken
}

/** What is there already and right stays as it is: the backup may hold it less well. */
async function takeCopy(
  { blobs, directory }: RestorePorts,
  object: SnapshotObject,
): Promise<'copied' | 'present' | 'damaged'> {
  const { location, bytes } = object
  const name = nameOf(object)
  if (await isPresent(blobs, object)) {
    await blobs.settle(location, bytes)
    return 'present'
  }
  if ((await directory.size(name)) !== bytes) return 'damaged'
  try {
    const body = checkedBytes(directory.read(name), object)
    await blobs.write(location, { offset: 0, body, signal: NEVER, onBytes: () => undefined })
    await blobs.settle(location, bytes)
    return 'copied'
  } catch (error) {
    if (!(error instanceof ObjectFault)) throw error
    await blobs.remove(location)
    return 'damaged'
  }
}

/** A disk that has survived may have lost some of what is on it: whatever cannot be read there the backup has. */
async function isPresent(blobs: Blobs, object: SnapshotObject): Promise<boolean> {
  const { location, bytes, isWhole } = object
  try {
    return (
      isWhole &&
      (await blobs.size(location)) === bytes &&
      (await isRight(blobs.read(location, { start: 0, end: bytes }), object))
    )
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return false
  }
}

const NEVER = new AbortController().signal

/** Only the end of a session takes its bytes away: it came after the rows of the backup were read, and before its bytes were. */
async function endBroken({ clock, quota }: RestorePorts, store: Store, broken: readonly UploadId[]): Promise<void> {
  const ending = createUploadEnding({ store, clock, quota, writers: createWriters(), onDeleting: () => undefined })
  const at = clock.now()
  await store.write(async (tx) => {
    for (const uploadId of broken) {
      const upload = await tx.uploads.find(uploadId)
      if (upload?.state === 'open') await ending.close(tx, upload, { from: 'open', to: 'ended', at })
      if (upload?.state !== 'finishing') continue
      await ending.close(tx, upload, { from: 'finishing', to: 'failed', at, failure: 'content_hash_wrong' })
      if (upload.assetId === undefined) await tx.links.unclaim(upload.opaqueId, uploadId)
    }
  })
}

async function changeIdentity({ keyring, clock }: RestorePorts, store: Store) {
  const floor = await store.write((tx) => leaveNumbersOut(tx, clock.now()))
  const rotation = await rotateAttestationKey({ store, keyring, clock })
  // No access token and no capability that was given out is good any more.
  await rotateSigningKey({ store, keyring, clock })
  return { rotation, receiptSeqFloor: floor }
}

/** What the log goes on above. */
async function leaveNumbersOut(tx: WriteTx, at: Instant): Promise<number> {
  const known = Math.max((await tx.receipts.head())?.receiptSeq ?? 0, await receiptSeqFloor(tx))
  const byClock = at * RECEIPT_SEQS_PER_MS
  const floor = byClock > known ? byClock : known + RECEIPT_SEQ_JUMP
  await raiseReceiptSeqFloor(tx, floor)
  return floor
}
