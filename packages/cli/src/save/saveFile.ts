/**
 * Writes a file from elsewhere into a folder of this machine, under a name that its sender chose. Bytes come first,
 * into a part beside the place; the name follows when they are whole and synced. Nothing is ever replaced, unless the
 * person says so.
 */
import { constants } from 'node:fs'
import { link, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { numberedName, plainName, safePath } from '@blindkeep/client/safePath'
import { codeOf, isLacking, isThere, syncFolder, unlessMissing } from '../ground/disk.ts'
import { LocalError } from '../ground/exits.ts'
import {
  hashOf,
  isOwn,
  openPart,
  type Part,
  type PartContent,
  requireOwn,
  type WrittenPart,
  writePart,
} from './part.ts'

/** Files of one name in one folder. */
const MAX_SAME_NAMES = 10_000

/** Where the bytes are and go. Stored before naming, it lets another process finish after a crash. */
export interface SavePlan {
  /** Whole and synced. */
  readonly part: string
  readonly path: string
  /** Which file they are: another process may have used either name. Absent in older plans. */
  readonly ino?: number
  readonly size?: number
  /** Of its bytes, lowercase hex: a disk may lose what it has acknowledged, and keep the size. */
  readonly sha256?: string
}

export interface FileToSave extends PartContent {
  readonly folder: string
  /** As the sender wrote it: unverified, `/` between folders. */
  readonly name: string | undefined
  /** Folders in `folder` that come before those of the name, each any text. */
  readonly into?: readonly string[] | undefined
  /** Names the part, the same for the same file: a repeat replaces leftovers. Letters, digits, dashes. */
  readonly id: string
  /** Called and awaited before the file gets its name; again if that name was taken meanwhile. */
  readonly onPlanned?: ((plan: SavePlan) => Promise<void>) | undefined
}

/** Resolves with the path, once file and name are synced. Throws `LocalError`, system and stream errors. */
export async function saveFile(file: FileToSave): Promise<string> {
  const { onPlanned } = file
  const place = await placeOf(file)
  const part = await writePart(join(place.directory, `.blindkeep-${file.id}.part`), file)
  try {
    return await giveName(part, { path: join(place.directory, place.name), onPlanned })
  } finally {
    await part.handle.close()
  }
}

/** Continues a process's plan. Undefined if its part was removed, replaced or lost bytes: save the file again. */
export async function finishPlan(plan: SavePlan, onPlanned?: FileToSave['onPlanned']): Promise<string | undefined> {
  const [part, file] = [await openPart(plan.part, plan), await stat(plan.path).catch(unlessMissing)]
  if (part === undefined) {
    const isPlanned = file !== undefined && (plan.ino === undefined || plan.ino === file.ino)
    return isPlanned && (plan.sha256 === undefined || (await isAsWritten(plan))) ? plan.path : undefined
  }
  try {
    const sha256 = await hashOf(part.handle)
    if (plan.sha256 !== undefined && sha256 !== plan.sha256) return undefined
    const isNamedAlready = file?.ino === part.ino && file.dev === part.dev
    if (!isNamedAlready) return await giveName({ ...part, sha256 }, { path: plan.path, onPlanned })
    await settle(part, plan.path)
    return plan.path
  } finally {
    await part.handle.close()
  }
}

/** Whether a file that got its name has the bytes that were written, as the disk gives them now. */
export async function isAsWritten({ path, size, sha256 }: SavePlan): Promise<boolean> {
  const found = await openPart(path, { ...(size !== undefined && { size }) })
  if (found === undefined) return false
  try {
    return (await hashOf(found.handle)) === sha256
  } finally {
    await found.handle.close()
  }
}

/**
 * Whether a file has this path, which `saveAs` may replace. Throws `LocalError` for anything else that has it: a
 * folder, a link or a device would be lost. Throws the system's error if there is no folder for it.
 */
export async function isFileAt(path: string): Promise<boolean> {
  const found = await lstat(path).catch(unlessMissing)
  if (found?.isFile() === true) return true
  if (found === undefined) {
    await stat(dirname(resolve(path)))
    return false
  }
  const what = found.isDirectory() ? 'a folder' : found.isSymbolicLink() ? 'a symbolic link' : 'no regular file'
  throw new LocalError(`${path} is ${what}, and is not replaced. Name another path, or - for standard output.`)
}

/** Writes a file under exactly this path. `replace`: what is there may go. Throws the system's EEXIST otherwise. */
export async function saveAs(
  path: string,
  { replace, ...file }: Omit<FileToSave, 'folder' | 'name' | 'onPlanned'> & { readonly replace: boolean },
): Promise<void> {
  const absolute = resolve(path)
  const part = await writePart(join(dirname(absolute), `.blindkeep-${file.id}.part`), file)
  try {
    if (replace) {
      await requireOwn(part)
      await rename(part.path, absolute)
    } else if (!(await isNamed(part, absolute))) {
      await rm(part.path, { force: true })
      throw Object.assign(new Error(), { code: 'EEXIST', syscall: 'link', path: absolute })
    }
    await settle(part, absolute)
  } finally {
    await part.handle.close()
  }
}

/** Safe steps below `folder`. A step that is a file or a link of the person gets a number: no name leads elsewhere. */
async function placeOf(
  file: Pick<FileToSave, 'folder' | 'name' | 'into'>,
): Promise<{ readonly directory: string; readonly name: string }> {
  const { folders, name } = safePath(file.name, file.into)
  let directory = await realpath(file.folder)
  for (const step of folders) directory = await named(join(directory, step), stepInto)
  return { directory, name }
}

/** Gives a name; one of plain letters if the disk cannot have it. */
async function named(path: string, give: (path: string) => Promise<string>): Promise<string> {
  try {
    return await give(path)
  } catch (error) {
    const plain = join(dirname(path), plainName(basename(path)))
    // Disks say in many ways that they cannot have a name.
    if (codeOf(error) === undefined || plain === path) throw error
    return await give(plain)
  }
}

async function stepInto(path: string): Promise<string> {
  for (let number = 1; number <= MAX_SAME_NAMES; number += 1) {
    const step = numbered(path, number)
    await mkdir(step).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
    if ((await lstat(step)).isDirectory()) return step
  }
  throw tooMany(path)
}

function tooMany(path: string): LocalError {
  return new LocalError(`There are ${MAX_SAME_NAMES} of this name already: ${path}. Choose another folder.`)
}

interface Naming extends Pick<FileToSave, 'onPlanned'> {
  readonly path: string
}

async function giveName(part: WrittenPart, { path, onPlanned }: Naming): Promise<string> {
  return await named(path, (next) => giveFreeName(part, { path: next, onPlanned }))
}

/** The first free name: `a.txt`, `a (2).txt` … */
async function giveFreeName(part: WrittenPart, { path, onPlanned }: Naming): Promise<string> {
  for (let number = 1; number <= MAX_SAME_NAMES; number += 1) {
    const next = numbered(path, number)
    if (await isThere(next)) continue
    const { path: from, ino, size, sha256 } = part
    await onPlanned?.({ part: from, path: next, ino, size, sha256 })
    if (!(await isNamed(part, next))) continue
    await settle(part, next)
    return next
  }
  throw tooMany(path)
}

/** False if the name is taken. Throws `LocalError` if another process replaced this part: nothing is named then. */
async function isNamed(part: Part, path: string): Promise<boolean> {
  await requireOwn(part)
  try {
    await link(part.path, path)
    // It was the same part before and after, so it is the one that got the name.
    if (await isOwn(part)) return true
    await rm(path, { force: true })
    await requireOwn(part)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!isLacking(error)) throw error
  }
  // Without hard links, the name is taken by an empty file first.
  try {
    await (await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY)).close()
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  try {
    await rename(part.path, path)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  return true
}

/** The name survives a power cut, too. */
async function settle(part: Part, path: string): Promise<void> {
  await syncFolder(dirname(path))
  await rm(part.path, { force: true })
}

function numbered(path: string, number: number): string {
  const [directory, name] = [dirname(path), path.slice(dirname(path).length).replace(/^[/\\]/, '')]
  return number === 1 ? path : join(directory, numberedName(name, number))
}
