/**
 * Makes data on which a server can start, from a backup.
 *
 * After the backup the server issued receipts, tokens and cursors that the restored rows do not have. So another life
 * of the receipt log begins; tokens and cursors become invalid. The database gets its name last, so no server starts on
 * half a restore.
 */
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import type { UploadId } from '@blindkeep/protocol/ids'
import { type BackupDirectory, BackupFailed, type RestoredDatabase, type SnapshotObject } from '../../ports/backup.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Random } from '../../ports/random.ts'
import type { Staging } from '../../ports/staging.ts'
import { accountLock, type Store } from '../../ports/store.ts'
import type { Witness } from '../../ports/witness.ts'
import { type Rotation, requireRoomForRotation } from '../custody/keyChanges.ts'
import { beginLife } from '../custody/logLives.ts'
import { rotateSigningKey } from '../discovery/signingKey.ts'
import { type CappedList, type CappedListBuilder, createCappedList } from '../ground/cappedList.ts'
import { partsOf } from '../ground/location.ts'
import type { Quota } from '../quota/quota.ts'
import { createUploadEnding } from '../uploads/uploadEnding.ts'
import { createWriters } from '../uploads/writers.ts'
import type { BackupProgress } from './backup.ts'
import { type BackupManifest, isVouchedFor, manifestIn, nameOf, parseManifest } from './backupManifest.ts'
import { createPassing } from './checkedBytes.ts'
import { copyObject } from './objectCopies.ts'
import { requireKeys } from './requireKeys.ts'

interface RestorePorts {
  readonly directory: BackupDirectory
  readonly database: RestoredDatabase
  readonly staging: Staging
  readonly objects: Objects
  readonly keyring: Keyring
  readonly clock: Clock
  readonly random: Random
  /** Beside the bytes, where they are apart from the database. */
  readonly witness?: Witness | undefined
  readonly quota: Quota
  readonly onProgress: (progress: BackupProgress) => void
}

export interface RestoreOptions {
  /** Restores also what the master secret does not vouch for. The schema must be this release's all the same. */
  readonly isTrusted: boolean
}

export interface RestoreReport {
  readonly manifest: BackupManifest
  readonly copied: number
  /** Objects that were there already, with the right bytes: from an interrupted restore, or on a disk that survived. */
  readonly present: number
  /** Owned objects that the backup does not have intact. Storage verification reports them as damaged. */
  readonly damaged: CappedList<string>
  readonly rotation: Rotation
  /** Every later receipt has a number above it. */
  readonly receiptSeqFloor: number
}

const COPIES_AT_ONCE = 4

/** Throws `BackupFailed`, without a database, for a partial backup or keys of another master secret. */
export async function restore(ports: RestorePorts, options: RestoreOptions): Promise<RestoreReport> {
  const { directory, database, clock, keyring } = ports
  const { text, manifest } = await acceptedManifest(ports, options)
  try {
    await receiveDatabase(ports, manifest)
    const changed = await withStore(database, async (store) => {
      await requireKeys(store, keyring)
      await store.read(requireRoomForRotation)
      const copies = await copyObjects(ports, store)
      if ((await directory.manifest()) !== text)
        throw new BackupFailed('another backup was made in the directory meanwhile: restore again')
      await endBroken(ports, store, copies.broken)
      return { ...copies, ...(await changeIdentity(ports, store)) }
    })
    await database.detachClients(clock.now())
    await database.putInPlace()
    return { manifest, ...changed }
  } catch (error) {
    await database.discard()
    throw error
  }
}

/** Throws an error for people when the directory has no finished backup, or one that is not to be restored. */
export async function acceptedManifest(
  { directory, keyring }: Pick<RestorePorts, 'directory' | 'keyring'>,
  { isTrusted }: RestoreOptions,
): Promise<{ readonly text: string; readonly manifest: BackupManifest }> {
  const text = await manifestIn(directory)
  const manifest = parseManifest(text)
  if (!isTrusted && !isVouchedFor(text, keyring)) throw new BackupFailed(NOT_VOUCHED_FOR)
  return { text, manifest }
}

const NOT_VOUCHED_FOR =
  'the master secret here does not vouch for the backup: its backup.json was changed, or is of a server with another master secret, or of a version before 0.1.0. Take another backup, or look at MASTER_SECRET_FILE. `--trust-backup` restores it nevertheless: you then trust everybody who could write to its directory since it was made, as they may have given themselves the accounts in it.'

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

interface Copies {
  copied: number
  present: number
  readonly damaged: CappedListBuilder<string>
  /** Unfinished sessions whose bytes are not in the backup. */
  readonly broken: UploadId[]
}

async function copyObjects(ports: RestorePorts, store: Store): Promise<Copies> {
  const copies: Copies = { copied: 0, present: 0, damaged: createCappedList(), broken: [] }
  const { directory } = ports
  const source = {
    size: (object: SnapshotObject) => directory.size(nameOf(object)),
    read: (object: SnapshotObject) => directory.read(nameOf(object)),
  }
  const snapshot = ports.database.snapshot()
  let [files, bytes] = [0, 0]
  try {
    await forEachConcurrently(snapshot.objects(), COPIES_AT_ONCE, async (object) => {
      const outcome = await copyObject({ ...ports, parts: ports.database.parts }, source, object)
      if (outcome === 'copied' || outcome === 'present') copies[outcome] += 1
      else if (!object.isWhole) copies.broken.push(partsOf(object.location).uploadId)
      // False for an object without an owner, which needs no report.
      else if (await store.write([], (tx) => tx.objects.markDamaged(object.location, ports.clock.now())))
        copies.damaged.add(object.location)
      files += 1
      bytes += object.bytes
      ports.onProgress({ step: 'objects', files, bytes })
    })
  } finally {
    snapshot.close()
  }
  return copies
}

/** Ends sessions whose bytes are missing: they ended between the backup's reads of rows and bytes. */
export async function endBroken(
  { clock, quota }: Pick<RestorePorts, 'clock' | 'quota'>,
  store: Store,
  broken: readonly UploadId[],
): Promise<void> {
  const ending = createUploadEnding({ store, clock, quota, writers: createWriters(), onDeleting: () => undefined })
  const at = clock.now()
  for (const uploadId of broken) {
    const known = await store.read((tx) => tx.uploads.find(uploadId))
    if (known === undefined) continue
    await store.write([accountLock(known.accountId)], async (tx) => {
      const upload = await tx.uploads.find(uploadId)
      if (upload?.state === 'open') await ending.close(tx, upload, { from: 'open', to: 'ended', at })
      if (upload?.state !== 'finishing') return
      await ending.close(tx, upload, { from: 'finishing', to: 'failed', at, failure: 'content_hash_wrong' })
      if (upload.assetId === undefined) await tx.links.unclaim(upload.opaqueId, uploadId)
    })
  }
}

async function changeIdentity(ports: RestorePorts, store: Store) {
  const { rotation, receiptSeqFloor } = await beginLife({ ...ports, store })
  // Invalidates every access token and capability that the server has issued.
  await rotateSigningKey({ ...ports, store })
  return { rotation, receiptSeqFloor }
}
