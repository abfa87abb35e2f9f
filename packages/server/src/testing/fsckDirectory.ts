/** The data directory of a stopped server, and what `fsck` says about it. */
import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { UploadId } from '@blindkeep/protocol/ids'
import { openBackupDirectory } from '../adapters/filesystem/backupDirectory.ts'
import { MARKER } from '../adapters/filesystem/marker.ts'
import { createSnapshots } from '../adapters/sql/copying/snapshot.ts'
import type { Outcome } from '../cli/command.ts'
import { fsckCommands } from '../cli/fsck.ts'
import { readConfig } from '../config/config.ts'
import { backUp } from '../domain/backup/backup.ts'
import { type Filled, fill } from './fsck.ts'
import { GIVEN } from './serverUse.ts'
import { defined, inWorld, type World } from './world.ts'

interface FsckJson {
  readonly findings: readonly {
    readonly kind: string
    readonly what: string
    readonly repairable: boolean
    readonly from_backup?: string
    readonly todo: string
  }[]
  readonly counts: Readonly<Record<string, number>>
  readonly repaired: readonly { readonly kind: string }[]
  readonly brought_back?: { readonly objects: number; readonly bytes: number }
}

/** The data directory of a stopped server, filled by `fill`. */
export interface Directory {
  readonly path: string
  readonly filled: Filled
  fsck(...flags: readonly string[]): Promise<Outcome & { readonly json: FsckJson }>
  /** With `--repair-from` the backup at this path. */
  fsckFrom(backup: string, ...flags: readonly string[]): Promise<Outcome & { readonly json: FsckJson }>
  /** Makes a backup of the server. Returns its path. */
  backUp(): Promise<string>
  fileOf(upload: UploadId): string
  change(...statements: readonly string[]): void
  value(query: string): unknown
}

export function inDirectory(work: (directory: Directory) => Promise<void>): () => Promise<void> {
  return inWorld(
    async (world) => {
      const path = await mkdtemp(join(tmpdir(), 'blindkeep-fsck-'))
      const databasePath = join(path, 'blindkeep.sqlite')
      const config = readConfig({ DATA_DIR: path, FREE_SPACE_FLOOR_BYTES: '0' })
      if ('faults' in config) assert.fail(config.faults.join())
      const inDatabase = <Result>(ask: (database: DatabaseSync) => Result): Result => {
        const database = new DatabaseSync(databasePath)
        try {
          return ask(database)
        } finally {
          database.close()
        }
      }
      try {
        const filled = await fill(world)
        await mkdir(join(path, 'blobs'))
        await writeFile(join(path, 'blobs', MARKER), '')
        await copyFile(defined(world.databasePath), databasePath)
        await copyFile(`${world.databasePath}-wal`, `${databasePath}-wal`)
        for (const location of filled.locations.values()) {
          await mkdir(dirname(join(path, 'blobs', location)), { recursive: true })
          // A session may have no byte yet.
          await copyFile(join(world.blobsDirectory, location), join(path, 'blobs', location)).catch(() => undefined)
        }
        const run = async (backup: string | undefined, flags: readonly string[]) => {
          const option = (name: string) => (name === 'repair-from' ? backup : undefined)
          const call = { config, settings: GIVEN, given: [], option, tell: () => undefined }
          const outcome = defined(await defined(fsckCommands[0]).run({ ...call, flag: (name) => flags.includes(name) }))
          // The output of `--json`, as a program reads it.
          return { ...outcome, json: JSON.parse(JSON.stringify(outcome.json)) }
        }
        await work({
          path,
          filled,
          fsck: (...flags) => run(undefined, flags),
          fsckFrom: (backup, ...flags) => run(backup, flags),
          fileOf: (upload) => join(path, 'blobs', defined(filled.locations.get(upload))),
          backUp: () => backUpOf(world, `${path}-backup`),
          change: (...statements) =>
            inDatabase((database) => {
              database.exec('pragma foreign_keys = off')
              for (const statement of statements)
                assert.equal(Number(database.prepare(statement).run().changes), 1, statement)
            }),
          value: (query) => inDatabase((database) => Object.values(database.prepare(query).get() ?? {})[0]),
        })
      } finally {
        await rm(path, { recursive: true })
        await rm(`${path}-backup`, { recursive: true, force: true })
      }
    },
    { isOnDisk: true },
  )
}

async function backUpOf(world: World, path: string): Promise<string> {
  const directory = await openBackupDirectory({ path, apart: [], mayBeMissing: true })
  const snapshots = createSnapshots({ databasePath: defined(world.databasePath), directory: path })
  const ports = { ...world, directory, snapshots, repeat: () => () => undefined, onProgress: () => undefined }
  await backUp(ports, { isChecked: false })
  return path
}

export const kinds = (messages: readonly { readonly kind: string }[]) => messages.map(({ kind }) => kind).toSorted()
