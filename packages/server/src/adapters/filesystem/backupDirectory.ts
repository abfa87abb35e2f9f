import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type BackupDirectory, BackupFailed } from '../../ports/backup.ts'
import { syncOnce } from './directories.ts'
import { systemCode, unlessMissing } from './failure.ts'

const MANIFEST = 'backup.json'
/** Of files that are being written. None that is finished ends so. */
const UNFINISHED = '.new'
const READ_BYTES = 1024 * 1024
const FOLDERS: readonly string[] = ['blobs', 'staged']
/** What may lie in the directory of a backup; `lost+found` is in every new file system. */
const expected = /^(?:backup\.json(?:\.new)?|blobs|staged|lost\+found|[0-9TZ]+\.sqlite(?:-journal)?)$/
const database = /\.sqlite(?:-journal)?$/

/**
 * The directory at `path`, made durably when it is missing (mode 0700) unless it is only read. Throws `BackupFailed`, with what to do, when it lies in one of
 * `apart` or around it, or holds what is not of a backup.
 */
export async function openBackupDirectory(options: {
  readonly path: string
  readonly apart: readonly string[]
  readonly createIfMissing: boolean
}): Promise<BackupDirectory> {
  const root = resolve(options.path)
  await refuseAmong(root, options.apart)
  if (options.createIfMissing) await makeDirectory(root)
  const names = await onBackup(root, () => unlessMissing(() => readdir(root)))
  if (names === undefined) throw new BackupFailed(`there is no directory ${root}`)
  const foreign = names.find((name) => !expected.test(name))
  if (foreign !== undefined)
    throw new BackupFailed(
      `${root} holds ${foreign}, which is not of a backup. Name an empty directory, or a missing one.`,
    )
  return directoryAt(root)
}

function directoryAt(root: string): BackupDirectory {
  const made = new Map<string, Promise<void>>()
  const on = <Result>(work: () => Promise<Result>) => onBackup(root, work)
  const pathOf = (name: string) => join(root, name)

  function folderOf(path: string): Promise<void> {
    const folder = dirname(path)
    const making = made.get(folder) ?? makeDirectory(folder)
    made.set(folder, making)
    return making
  }

  async function add(name: string, body: AsyncIterable<Uint8Array>): Promise<void> {
    const path = pathOf(name)
    await folderOf(path)
    try {
      await writeSynced(root, path + UNFINISHED, body)
      await on(() => rename(path + UNFINISHED, path))
    } catch (error) {
      // Gives its space back; should that fail too, the next run removes it.
      await rm(path + UNFINISHED, { force: true }).catch(() => undefined)
      throw error
    }
  }

  /** All of them: a killed run may have renamed into any, and what it added passes for there. */
  async function syncFolders(): Promise<void> {
    for (const folder of FOLDERS.map((name) => join(root, name))) {
      const below = (await on(() => unlessMissing(() => readdir(folder, { withFileTypes: true })))) ?? []
      const folders = below.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
      for (const each of folders) await on(() => syncOnce(each))
      await on(() => unlessMissing(() => syncOnce(folder)))
    }
    await on(() => syncOnce(root))
  }

  return {
    add,
    manifest: () => on(() => unlessMissing(() => readFile(pathOf(MANIFEST), 'utf8'))),
    async replaceManifest(text) {
      await syncFolders()
      await add(MANIFEST, piecesOf(text))
      await on(() => syncOnce(root))
    },
    async size(name) {
      return (await on(() => unlessMissing(() => stat(pathOf(name)))))?.size
    },
    async *read(name) {
      const stream = createReadStream(pathOf(name), { highWaterMark: READ_BYTES })
      try {
        for await (const piece of stream) yield piece
      } catch (error) {
        throw failedAt(root, error)
      }
    },
    async databases() {
      await on(() => syncOnce(root))
      return (await on(() => readdir(root))).filter((name) => database.test(name))
    },
    async *list() {
      for (const name of await on(() => readdir(root))) {
        if (FOLDERS.includes(name)) yield* filesBelow(root, name)
        else if (name !== MANIFEST && name !== 'lost+found') yield name
      }
    },
    remove: (name) => on(() => rm(pathOf(name), { force: true })),
  }
}

async function* filesBelow(root: string, folder: string): AsyncIterable<string> {
  const entries = await onBackup(root, () => readdir(join(root, folder), { withFileTypes: true }))
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(root, name)
    else yield name
  }
}

async function* piecesOf(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text)
}

/** Not `wx`: a killed run may have left one behind. */
async function writeSynced(root: string, path: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  const on = <Result>(work: () => Promise<Result>) => onBackup(root, work)
  const file = await on(() => open(path, 'w', 0o600))
  try {
    for await (const piece of body) await on(() => file.appendFile(piece))
    await on(() => file.sync())
  } finally {
    await on(() => file.close())
  }
}

/** Durably, with all above it that is missing. */
async function makeDirectory(path: string): Promise<void> {
  await onBackup(path, async () => {
    const highest = await mkdir(path, { recursive: true, mode: 0o700 })
    if (highest === undefined) return
    for (let above = path; above !== dirname(highest); above = dirname(above)) await syncOnce(above)
    await syncOnce(dirname(highest))
  })
}

/** A backup inside of what it backs up would be lost with it, and one around it is no directory of its own. */
async function refuseAmong(root: string, apart: readonly string[]): Promise<void> {
  const real = await realPath(root)
  for (const each of apart) {
    const other = await realPath(resolve(each))
    if (isBelow(real, other) || isBelow(other, real))
      throw new BackupFailed(
        `${root} and the server’s own ${each} lie in each other. Name a directory apart from it, best on another disk.`,
      )
  }
}

function isBelow(path: string, above: string): boolean {
  const way = relative(above, path)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`))
}

/** Links followed, also for what does not exist yet. */
async function realPath(path: string): Promise<string> {
  const found = await onBackup(path, () => unlessMissing(() => realpath(path)))
  return found ?? join(await realPath(dirname(path)), relative(dirname(path), path))
}

async function onBackup<Result>(root: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw failedAt(root, error)
  }
}

function failedAt(root: string, error: unknown): unknown {
  const code = systemCode(error)
  if (code === undefined) return error
  const words = code === 'ENOSPC' ? 'is full' : `answered ${code}`
  return new BackupFailed(`the directory of the backup, ${root}, ${words}`, { cause: error })
}
