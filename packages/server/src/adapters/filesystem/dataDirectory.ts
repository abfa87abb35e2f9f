import { constants, existsSync } from 'node:fs'
import { access, mkdir, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { forbidden, forbiddenText, isMissing, uncreatable } from '../../ground/forbidden.ts'
import { systemCode, unlessMissing } from './failure.ts'

/** What a data directory holds, and what administrators put into one before the first start. */
const OWN =
  /^(blobs|secrets|spool|limits.*|alarms.*|compiled|lost\+found|received\.sqlite.*|blindkeep\.sqlite.*|(server|backup)\.lock.*|\..*)$/

/**
 * Creates the directory (mode 0700) if it is missing. Throws an error for people if the server could not write there,
 * or if it is full of other things: a database among them would be a mistake in the setting.
 */
export async function prepareDataDirectory(directory: string): Promise<void> {
  const names = await makeDataDirectory(directory)
  const foreign = names.find((name) => !OWN.test(name))
  if (foreign !== undefined && !names.includes('server.lock'))
    throw new Error(
      `the data directory ${resolve(directory)} holds other things, for example ${foreign}. Set DATA_DIR or --data to an empty directory, or to one that does not exist.`,
    )
}

/** As `prepareDataDirectory`, also where other things are. Returns the names of what is there. */
export async function makeDataDirectory(directory: string): Promise<readonly string[]> {
  return orUnusable(dataAt(directory), async (path) => {
    await make(path)
    return usableEntries(path, SERVER_FILES)
  })
}

/** For a command: throws what the start throws for an unusable directory. Creates nothing; a missing one passes. */
export async function checkDataDirectory(directory: string): Promise<void> {
  await orUnusable(dataAt(directory), (path) => unlessMissing(() => usableEntries(path, SERVER_FILES)))
}

/** The same for the directory of a database of SQLite, which may be another one. */
export async function checkDatabaseDirectory(database: string): Promise<void> {
  const place = { name: 'the directory of the database', path: dirname(resolve(database)), setting: 'DATABASE_URL' }
  await orUnusable(place, (path) => unlessMissing(() => usableEntries(path, databaseFiles(basename(database)))))
}

interface Place {
  readonly name: string
  readonly path: string
  readonly setting: string
}

const dataAt = (directory: string): Place => ({
  name: 'the data directory',
  path: resolve(directory),
  setting: 'DATA_DIR',
})

const databaseFiles = (name: string) => [name, `${name}-wal`, `${name}-shm`]
const SERVER_FILES = ['server.lock', ...databaseFiles('blindkeep.sqlite')]

async function orUnusable<Result>(place: Place, work: (path: string) => Promise<Result>): Promise<Result> {
  return work(place.path).catch((error: unknown) => {
    throw unusable(place, error)
  })
}

async function usableEntries(path: string, files: readonly string[]): Promise<readonly string[]> {
  // First: of a file, `access` would say that it may not be entered.
  const names = await readdir(path)
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  // As another user's server has left it. A server that ends meanwhile removes some of them.
  for (const name of files)
    if (names.includes(name)) await unlessMissing(() => access(join(path, name), constants.R_OK | constants.W_OK))
  return names
}

/** Not `recursive`: Node would try endlessly below a directory like /proc, which takes no new ones. */
async function make(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error
    await make(dirname(path))
    await mkdir(path, { mode: 0o700 })
  }
}

function unusable({ name, path, setting }: Place, cause: unknown): unknown {
  const code = systemCode(cause)
  if (code === undefined) return cause
  const why = isMissing(path) ? uncreatable(path) : (cause instanceof Error && forbiddenText(cause)) || forbidden(path)
  const denied = `${why}, or set ${setting} to another directory`
  const sentences: Readonly<Record<string, string>> = {
    EACCES: denied,
    EPERM: denied,
    EROFS: `its disk is mounted read-only. Mount it writable, or set ${setting} to another directory`,
    ENOSPC: `its disk is full. Make room, or set ${setting} to a directory on another disk`,
    ENOTDIR: `it is no directory. Set ${setting} to one`,
    EEXIST: `it is no directory. Set ${setting} to one`,
    ENOENT: `it does not exist and cannot be created there. Set ${setting} to a place on a disk`,
  }
  return new Error(`${name} ${path} cannot be used: ${sentences[code] ?? `the system answered ${code}`}.`)
}
