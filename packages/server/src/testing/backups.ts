import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBackupDirectory } from '../adapters/filesystem/backupDirectory.ts'
import { type FilesystemBlobs, openFilesystemBlobs } from '../adapters/filesystem/blobs.ts'
import { createRestoredDatabase } from '../adapters/sql/copying/restoredDatabase.ts'
import { createSnapshots, readSnapshot } from '../adapters/sql/copying/snapshot.ts'
import { openSqliteStore } from '../adapters/sql/sqlite/store.ts'
import { type BackupPorts, type BackupReport, backUp } from '../domain/backup/backup.ts'
import { nameOf, parseManifest } from '../domain/backup/backupManifest.ts'
import { digestOf, isRight } from '../domain/backup/checkedBytes.ts'
import { type RestoreReport, restore } from '../domain/backup/restore.ts'
import { openServerKeys } from '../domain/custody/keys.ts'
import type { Rules } from '../domain/rules.ts'
import type { BackupDirectory } from '../ports/backup.ts'
import type { Keyring } from '../ports/keyring.ts'
import type { Store } from '../ports/store.ts'
import { type Bytes, defined, inWorld, type World } from './world.ts'

/** Backups of a world, in their own directories that are removed afterwards. */
export interface Backups {
  readonly world: World
  readonly path: string
  readonly directory: BackupDirectory
  backUp(changes?: Partial<BackupPorts>, isChecked?: boolean): Promise<BackupReport>
  /** What is wrong with the present backup, as sentences, and every file in the directory that it does not name. */
  faults(): Promise<{ readonly faults: readonly string[]; readonly strays: readonly string[] }>
  /** Restores to `place`, or to a new one. */
  restore(to?: {
    readonly place?: string
    readonly keyring?: Keyring
    readonly directory?: BackupDirectory
    readonly isTrusted?: boolean
    /** Wraps the blob store of the restore. */
    readonly seen?: (blobs: Bytes) => Bytes
  }): Promise<Restored>
  /** A directory for a restore. */
  newPlace(): Promise<string>
}

const portsOf = (blobs: Bytes) => ({ staging: blobs, objects: blobs })

export interface Restored {
  readonly report: RestoreReport
  readonly databasePath: string
  readonly store: Store
  readonly blobs: FilesystemBlobs
  readonly rules: Rules
}

export function withBackups(work: (backups: Backups) => Promise<void>): () => Promise<void> {
  return inWorld(
    async (world) => {
      const root = await mkdtemp(join(tmpdir(), 'blindkeep-backups-'))
      const open: { close(): Promise<void> }[] = []
      try {
        await work(await backupsOf(world, root, open))
      } finally {
        for (const each of open) await each.close()
        await rm(root, { recursive: true })
      }
    },
    { isOnDisk: true },
  )
}

async function backupsOf(world: World, root: string, open: { close(): Promise<void> }[]): Promise<Backups> {
  const path = join(root, 'backup')
  const databasePath = defined(world.databasePath)
  const directory = await openBackupDirectory({ path, apart: [], mayBeMissing: true })
  const snapshots = createSnapshots({ databasePath, directory: path })
  const ports = { ...world, directory, snapshots, repeat: () => () => undefined, onProgress: () => undefined }
  const newPlace = () => mkdtemp(join(root, 'restored-'))
  return {
    world,
    path,
    directory,
    backUp: (changes = {}, isChecked = false) => backUp({ ...ports, ...changes }, { isChecked }),
    faults: () => faultsIn(directory, path),
    newPlace,
    async restore({
      place,
      keyring = world.keyring,
      directory: from = directory,
      isTrusted = false,
      seen = (files: Bytes) => files,
    } = {}) {
      const to = place ?? (await newPlace())
      const blobs = await openFilesystemBlobs({ directory: join(to, 'blobs'), createIfMissing: true })
      open.push(blobs)
      const restoredPath = join(to, 'blindkeep.sqlite')
      const database = createRestoredDatabase(restoredPath)
      const { clock, random, rules } = world
      const onProgress = () => undefined
      const { quota } = rules
      const given = { directory: from, database, ...portsOf(seen(blobs)), keyring, clock, random, quota, onProgress }
      const report = await restore(given, { isTrusted })
      const store = await openSqliteStore({ path: restoredPath, asItIs: true })
      open.push(store)
      const keys = await openServerKeys({ store, keyring, clock, random })
      return {
        report,
        databasePath: restoredPath,
        store,
        blobs,
        rules: world.rulesOver({ store, ...portsOf(blobs), keys }),
      }
    },
  }
}

async function faultsIn(directory: BackupDirectory, path: string) {
  const { database } = parseManifest(defined(await directory.manifest()))
  const { sha256, size } = await digestOf(directory.read(database.file))
  const faults = sha256 === database.sha256 && size === database.size ? [] : ['the database has other bytes']
  const strays = new Set<string>()
  for await (const name of directory.list()) strays.add(name)
  strays.delete(database.file)
  const snapshot = readSnapshot(join(path, database.file))
  for (const object of snapshot.objects()) {
    const name = nameOf(object)
    const isThere = strays.delete(name)
    if (!isThere || !(await isRight(directory.read(name), object))) faults.push(`${name} is missing or damaged`)
  }
  snapshot.close()
  return { faults, strays: [...strays] }
}
