/** What the command opens that moves a server from SQLite and files to another database and store of bytes. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { openFilesystemBlobs } from '../adapters/filesystem/blobs.ts'
import { checkDataDirectory } from '../adapters/filesystem/dataDirectory.ts'
import type { S3Options } from '../adapters/s3/store.ts'
import { createMovingDatabase, wasMovedTo } from '../adapters/sql/copying/movingDatabase.ts'
import { lockDirectory } from '../adapters/sql/sqlite/directoryLock.ts'
import type { Config } from '../config/config.ts'
import { belongingTo, hasKeys } from '../domain/custody/storeId.ts'
import type { MovingDatabase } from '../ports/move.ts'
import type { Objects } from '../ports/objects.ts'
import type { Staging } from '../ports/staging.ts'
import { openArriving } from './bytes.ts'
import { openPresentStore } from './data.ts'
import { closing, openTogether } from './together.ts'

/** The source and the target of a move. */
interface MoveData {
  readonly database: MovingDatabase
  readonly from: Objects
  readonly to: { readonly staging: Staging; readonly objects: Objects }
  close(): Promise<void>
}

interface MoveOptions {
  readonly target: Pick<Config, 'database' | 'blobs'>
  /** Before anything is made, unless the move had begun. `note`: where the server is at its end, as a sentence. */
  readonly onBegin: (note: string) => Promise<void>
}

/** Throws for people if the server runs, was moved, is not on SQLite and files, or the target is not empty. */
export async function openMoveData(config: Config, { target, onBegin }: MoveOptions): Promise<MoveData> {
  const { database, blobs, dataDirectory } = config
  if (database.kind !== 'sqlite' || blobs.kind !== 'files')
    throw new Error('only a server on SQLite and files moves this way. From others: `backup` here, `restore` there.')
  await checkDataDirectory(dataDirectory)
  return openTogether(async (keep) => {
    keep(closing(await lockDirectory(dataDirectory)))
    keep(closing(await lockDirectory(dataDirectory, 'backup')))
    const note = placeOf(target)
    const moving = createMovingDatabase({ path: database.path, to: target.database, note })
    keep({ close: async () => moving.close() })
    await (await openPresentStore(config)).close()
    const from = keep(await openFilesystemBlobs({ directory: blobs.directory, createIfMissing: false, asItIs: true }))
    if (target.blobs.kind === 'files') await refuseUsed(target.blobs.directory, moving)
    if (!moving.isBegun()) await onBegin(note)
    const to = keep(await openArriving({ ...config, ...target }, moving.parts))
    // A bucket with a witness has a server. Only a move that was interrupted may find objects there.
    if ((await to.witness?.read()) !== undefined || (!moving.isBegun() && (await hasKeys(to))))
      throw new Error(
        'the target has the bytes of a server already, and nothing is replaced. Name an empty bucket, or another prefix.',
      )
    return { database: belongingTo(to.storeId, moving), from, to }
  })
}

/** Whether a move to the target has put everything there. It may have been interrupted since. */
export function isMovedTo({ database }: Config, target: Pick<Config, 'database' | 'blobs'>): boolean {
  return database.kind === 'sqlite' && wasMovedTo(database.path, placeOf(target))
}

/** Only a move that was interrupted may find objects there. */
async function refuseUsed(directory: string, { isBegun }: Pick<MovingDatabase, 'isBegun'>): Promise<void> {
  if (isBegun() || !existsSync(directory)) return
  if ((await readdir(directory)).length > 0)
    throw new Error(
      `${directory} is not empty, and nothing is replaced. Name an empty directory, or one that does not exist.`,
    )
}

/** Without user and password. */
function placeOf({ database, blobs }: Pick<Config, 'database' | 'blobs'>): string {
  const rows = database.kind === 'sqlite' ? database.path : databaseNameIn(database.url)
  const files =
    blobs.kind === 'files'
      ? blobs.directory
      : `the bucket ${blobs.address.bucket}${atEndpoint(blobs.address)}, below /${blobs.address.prefix}`
  return `This server was moved to ${rows}, with its files in ${files}.`
}

function atEndpoint({ endpoint }: S3Options['address']): string {
  return endpoint === undefined ? '' : ` at ${endpoint}`
}

function databaseNameIn(url: string): string {
  const { hostname, pathname, searchParams } = new URL(url)
  return `the database ${pathname.slice(1)} of PostgreSQL at ${searchParams.get('host') ?? (hostname || 'localhost')}`
}
