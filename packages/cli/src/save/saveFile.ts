/**
 * Writes a file from elsewhere into a folder of this machine, under a name that its sender chose. Bytes come first, into a part beside the place; the
 * name follows when they are whole and synced. Nothing is ever replaced, unless the person says so.
 */
import { constants } from 'node:fs'
import { chmod, type FileHandle, link, lstat, mkdir, open, realpath, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { safeName } from '@blindkeep/client/safeName'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { Bytes } from '@blindkeep/protocol/bytes'
import { LocalError } from '../exits.ts'
import { codeOf, syncDirectory } from '../home/files.ts'

/** Folders in one name. More are put into the last one. */
const MAX_FOLDERS = 32
const MAX_NAME_BYTES = 255
/** Files of one name in one folder. */
const MAX_SAME_NAMES = 10_000

/** Where the bytes are, and where they go. Stored before the name is given, it lets another process finish after a crash. */
export interface SavePlan {
  /** Whole and synced. */
  readonly part: string
  readonly path: string
}

export interface FileToSave {
  readonly folder: string
  /** As the sender wrote it: unverified, `/` between folders. */
  readonly name: string | undefined
  /** Names the part: the same for the same file, so that a repeat replaces what a killed process left. Letters, digits, dashes. */
  readonly id: string
  /** Bytes of the file. */
  readonly size: number
  /** RFC 3339, unverified. */
  readonly modifiedAt?: string | undefined
  /** Called once there is room. A failure of the stream leaves no file. Its pieces are empty once they are written. */
  readonly content: () => Promise<ReadableStream<Bytes>>
  /** Called and awaited before the file gets its name; again if that name was taken meanwhile. */
  readonly onPlanned?: ((plan: SavePlan) => Promise<void>) | undefined
  /** Called with all bytes that are written. */
  readonly onBytes?: ((bytes: number) => void) | undefined
}

/** Resolves with the path, once the file and its name are synced. Throws `LocalError`, the error of the system, and that of the stream. */
export async function saveFile(file: FileToSave): Promise<string> {
  const { name } = file
  const place = await placeOf(file.folder, name)
  const part = join(place.directory, `.blindkeep-${file.id}.part`)
  await writePart(part, file)
  return await giveName({ part, path: join(place.directory, place.name) }, file.onPlanned)
}

/** Goes on with a plan that a process left. Undefined if its part was removed without a file: then the file has to be saved again. */
export async function finishPlan(plan: SavePlan, onPlanned?: FileToSave['onPlanned']): Promise<string | undefined> {
  const [part, file] = await Promise.all([statOrNone(plan.part), statOrNone(plan.path)])
  if (part === undefined) return file === undefined ? undefined : plan.path
  if (file === undefined || file.ino !== part.ino || file.dev !== part.dev) return await giveName(plan, onPlanned)
  await settle(plan)
  return plan.path
}

/** Writes a file under exactly this path. `replace`: what is there may go. Throws the system's EEXIST otherwise. */
export async function saveAs(
  path: string,
  { replace, ...file }: Omit<FileToSave, 'folder' | 'name' | 'onPlanned'> & { readonly replace: boolean },
): Promise<void> {
  const absolute = resolve(path)
  const part = join(dirname(absolute), `.blindkeep-${file.id}.part`)
  await writePart(part, file)
  if (replace) await rename(part, absolute)
  else if (!(await isNamed({ part, path: absolute }))) {
    await rm(part, { force: true })
    throw Object.assign(new Error(), { code: 'EEXIST', syscall: 'link', path: absolute })
  }
  await settle({ part, path: absolute })
}

/** Safe steps below `folder`. A step that is a file or a link of the person gets a number: no name leads elsewhere. */
async function placeOf(
  folder: string,
  name: string | undefined,
): Promise<{ readonly directory: string; readonly name: string }> {
  const steps = (name ?? '').split('/').filter((step) => !/^[. ]*$/.test(step))
  let directory = await realpath(folder)
  for (const step of steps.slice(0, -1).slice(0, MAX_FOLDERS))
    directory = await stepInto(join(directory, safeName(step)))
  return { directory, name: safeName(steps.at(-1) ?? '') }
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

async function writePart(part: string, { size, modifiedAt, content, onBytes }: Omit<FileToSave, 'folder' | 'name'>) {
  // Left by a killed process, and incomplete. It may be no file of ours: removing follows no link.
  await rm(part, { force: true })
  await requireRoom(dirname(part), size)
  const stream = await content()
  const handle = await open(part, 'wx', 0o600).catch(async (error: unknown) => {
    await stream.cancel()
    throw error
  })
  try {
    await writeAll(handle, stream, onBytes)
    if (modifiedAt !== undefined) await handle.utimes(new Date(), dateOf(modifiedAt))
    await handle.sync()
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  await chmod(part, 0o666 & ~process.umask())
}

async function writeAll(
  handle: FileHandle,
  stream: ReadableStream<Bytes>,
  onBytes?: (bytes: number) => void,
): Promise<void> {
  let written = 0
  for await (const piece of stream) {
    await handle.writeFile(piece)
    written += piece.length
    onBytes?.(written)
    freeWritten(piece)
  }
}

/** At once: V8 counts memory outside its heap loosely, and would let a hundred MiB of written pieces pile up. Leaves parts of larger buffers alone. */
export function freeWritten({ buffer, byteLength }: Bytes): void {
  if (byteLength === buffer.byteLength) buffer.transfer(0)
}

async function requireRoom(directory: string, size: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize < size)
    throw new LocalError(`${sizeText(size)} do not fit: the disk of ${directory} has ${sizeText(bavail * bsize)} left.`)
}

/** Of what a sender claims: a time that no file can have is left out. */
function dateOf(modifiedAt: string): Date {
  const at = Date.parse(modifiedAt)
  return Number.isFinite(at) && at >= 0 && at < 2 ** 33 * 1000 ? new Date(at) : new Date()
}

/** The first free name: `a.txt`, `a (2).txt` … */
async function giveName({ part, path }: SavePlan, onPlanned?: FileToSave['onPlanned']): Promise<string> {
  for (let number = 1; number <= MAX_SAME_NAMES; number += 1) {
    const plan = { part, path: numbered(path, number) }
    if (await isTaken(plan.path)) continue
    await onPlanned?.(plan)
    if (!(await isNamed(plan))) continue
    await settle(plan)
    return plan.path
  }
  throw tooMany(path)
}

async function isTaken(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}

/** File systems without hard links: the name is taken by an empty file first. */
const NO_HARD_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** False if the name is taken. */
async function isNamed({ part, path }: SavePlan): Promise<boolean> {
  try {
    await link(part, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!NO_HARD_LINKS.includes(codeOf(error))) throw error
  }
  try {
    await (await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY)).close()
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  await rename(part, path)
  return true
}

/** The name survives a power cut, too. */
async function settle({ part, path }: SavePlan): Promise<void> {
  await syncDirectory(dirname(path))
  await rm(part, { force: true })
}

/** The number stands before the ending, and the whole stays as short as a name may be. */
function numbered(path: string, number: number): string {
  if (number === 1) return path
  const [directory, name] = [dirname(path), path.slice(dirname(path).length).replace(/^[/\\]/, '')]
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  const suffix = ` (${number})${ending}`
  let kept = [...stem]
  while (Buffer.byteLength(kept.join('') + suffix) > MAX_NAME_BYTES) kept = kept.slice(0, -1)
  return join(directory, kept.join('') + suffix)
}

async function statOrNone(path: string) {
  return await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
}
