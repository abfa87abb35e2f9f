import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { syncDirectories, syncDirectory } from '../../ground/disk.ts'
import { type BackupDirectory, BackupFailed } from '../../ports/backup.ts'
import { READ_ONLY, systemCode, unlessMissing } from './failure.ts'
import { UNFINISHED, writeNewFile } from './newFile.ts'

const MANIFEST = 'backup.json'
/** One has less than a thousand. */
const MAX_MANIFEST_BYTES = 65_536
const READ_BYTES = 1024 * 1024
const FOLDERS: readonly string[] = ['blobs', 'staged']
/** The names that a backup's directory may have. Every new file system has `lost+found`. */
const expected = /^(?:backup\.json(?:\.new)?|blobs|staged|lost\+found|[0-9TZ]+\.sqlite(?:-journal)?)$/
const database = /\.sqlite(?:-journal)?$/

/**
 * Opens the backup directory at `path`. Throws `BackupFailed`, which tells the operator what to do, if the directory is
 * inside one of `apart` or contains one, has files that do not belong to a backup, or is missing unless `mayBeMissing`.
 */
export async function openBackupDirectory(options: {
  readonly path: string
  readonly apart: readonly string[]
  readonly mayBeMissing: boolean
}): Promise<BackupDirectory> {
  const root = resolve(options.path)
  await refuseAmong(root, options.apart)
  const names = await onBackup(root, () => unlessMissing(() => readdir(root)))
  if (names === undefined && !options.mayBeMissing) throw new BackupFailed(`there is no directory ${root}`)
  const foreign = names?.find((name) => !expected.test(name))
  if (foreign !== undefined)
    throw new BackupFailed(
      `${root} has ${foreign}, which does not belong to a backup. Name an empty directory, or one that does not exist.`,
    )
  await refuseLinks(root)
  return directoryAt(root)
}

/**
 * With a symbolic link in the directory, its author would lead the command to other files: to overwrite them with the
 * manifest, or to remove what looks like files of an earlier backup.
 */
async function refuseLinks(root: string): Promise<void> {
  for (const folder of [root, ...FOLDERS.map((name) => join(root, name))]) {
    const entries = (await onBackup(root, () => unlessMissing(() => readdir(folder, { withFileTypes: true })))) ?? []
    const other = entries.find((entry) => !entry.isDirectory() && !(folder === root && entry.isFile()))
    if (other !== undefined)
      throw new BackupFailed(`${join(folder, other.name)} is no file or directory that a backup has. Remove it.`)
  }
}

function directoryAt(root: string): BackupDirectory {
  const made = new Map<string, Promise<void>>()
  const on = <Result>(work: () => Promise<Result>) => onBackup(root, work)
  const pathOf = (name: string) => join(root, name)

  async function sizeOf(name: string): Promise<number | undefined> {
    return (await on(() => unlessMissing(() => stat(pathOf(name)))))?.size
  }

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
      await writeNewFile(path + UNFINISHED, { body, on })
      await on(() => rename(path + UNFINISHED, path))
    } catch (error) {
      // Frees its space. If that fails too, the next run removes the file.
      await rm(path + UNFINISHED, { force: true }).catch(() => undefined)
      throw error
    }
  }

  /** Syncs all folders: a killed run may have added files to any of them, and this run counts them as present. */
  async function syncFolders(): Promise<void> {
    for (const folder of FOLDERS.map((name) => join(root, name))) {
      const below = (await on(() => unlessMissing(() => readdir(folder, { withFileTypes: true })))) ?? []
      const folders = below.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
      for (const each of folders) await on(() => syncDirectory(each))
      await on(() => unlessMissing(() => syncDirectory(folder)))
    }
    await on(() => syncDirectory(root))
  }

  return {
    create: () => makeDirectory(root),
    add,
    async manifest() {
      const size = await sizeOf(MANIFEST)
      if (size !== undefined && size > MAX_MANIFEST_BYTES)
        throw new BackupFailed(`${pathOf(MANIFEST)} is no manifest of a backup: it has ${size} bytes`)
      return on(() => unlessMissing(() => readFile(pathOf(MANIFEST), 'utf8')))
    },
    async replaceManifest(text) {
      await syncFolders()
      await add(MANIFEST, piecesOf(text))
      await on(() => syncDirectory(root))
    },
    size: sizeOf,
    async *read(name) {
      try {
        const file = await open(pathOf(name), READ_ONLY)
        for await (const piece of file.createReadStream({ highWaterMark: READ_BYTES })) yield piece
      } catch (error) {
        throw failedAt(`the backup directory ${root}`, error)
      }
    },
    async databases() {
      await on(() => syncDirectory(root))
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

/** Creates the directory and its missing parents, durably. */
async function makeDirectory(path: string): Promise<void> {
  await onBackup(path, async () => {
    const oldestNew = await mkdir(path, { recursive: true, mode: 0o700 })
    if (oldestNew !== undefined) await syncDirectories(path, dirname(oldestNew))
  })
}

/** A backup inside the server's directory would be lost with it; one around it would contain foreign files. */
async function refuseAmong(root: string, apart: readonly string[]): Promise<void> {
  const real = await onBackup(root, () => realPath(root))
  for (const each of apart) {
    const other = await realPath(resolve(each)).catch((error: unknown) => {
      throw failedAt(`the server’s own ${each}`, error)
    })
    if (isBelow(real, other) || isBelow(other, real))
      throw new BackupFailed(
        `${root} and the server’s own ${each} are inside each other. Name a separate directory, if possible on another disk.`,
      )
  }
}

function isBelow(path: string, above: string): boolean {
  const way = relative(above, path)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`))
}

/** Resolves symbolic links, also if the end of the path does not exist yet. */
async function realPath(path: string): Promise<string> {
  const found = await unlessMissing(() => realpath(path))
  return found ?? join(await realPath(dirname(path)), relative(dirname(path), path))
}

async function onBackup<Result>(root: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw failedAt(`the backup directory ${root}`, error)
  }
}

function failedAt(directory: string, error: unknown): unknown {
  const code = systemCode(error)
  if (code === undefined) return error
  const words = code === 'ENOSPC' ? 'is full' : `answered ${code}`
  return new BackupFailed(`${directory} ${words}`, { cause: error })
}
