/** Which files the paths of a call mean. */
import { isUtf8 } from 'node:buffer'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { unlessMissing } from '../ground/disk.ts'
import { byName } from '../ground/texts.ts'
import { failureOf } from '../outcomes/failures.ts'
import { endingOf, filesOfReceipt } from '../receipts/saved.ts'

/** A path for the system. It has bytes, which are no text where a program wrote a name in another encoding. */
export type Place = string | Buffer

export interface ChosenFile {
  /** Absolute, without symbolic links: one file has one path. */
  readonly path: string
  /** The same for the system, where `path` is no text of it. */
  readonly place: Place
  /** As the person named it or finds it, for the system. */
  readonly namedPlace: Place
  /** The same for messages. */
  readonly shownAs: string
  /** For the owner: of a file in a folder, with the folders from the given one on, `/` between them. */
  readonly name: string
  readonly size: number
}

interface NotChosen {
  readonly shownAs: string
  readonly why: string
  /** False for what is left out on purpose. */
  readonly isWrong: boolean
}

export interface Choice {
  readonly files: readonly ChosenFile[]
  readonly others: readonly NotChosen[]
  readonly emptyFolders: readonly string[]
  /** In folders, without the file they may be of. Receipts of earlier calls are left out silently. */
  readonly receipts: readonly string[]
}

/** Folders with their content, by names, each file once. `home`: nothing of it is chosen, because it has the keys. */
export async function chooseFiles(paths: readonly string[], home: string): Promise<Choice> {
  const isOfHome = await insideOf(home)
  const files = new Map<string, ChosenFile>()
  const others: NotChosen[] = []
  const emptyFolders: string[] = []
  const receipts: string[] = []

  async function add(named: Buffer, name: string): Promise<void> {
    const { size } = await stat(named)
    const real = await realpath(named, 'buffer')
    const [path, shownAs] = [textOf(real), textOf(named)]
    const places = { place: placeOf(real), namedPlace: placeOf(named) }
    const key = real.toString('latin1')
    if (!files.has(key)) files.set(key, { path, ...places, shownAs, name, size })
  }

  async function addFolder(named: Buffer, name: string): Promise<void> {
    const entries = (await readdir(named, { withFileTypes: true, encoding: 'buffer' })).map((entry) => ({
      entry,
      text: textOf(entry.name),
    }))
    const names = new Set(entries.map(({ text }) => text))
    if (entries.length === 0) emptyFolders.push(textOf(named))
    for (const { entry, text } of entries.sort((one, other) => byName(one.text, other.text))) {
      const [inPath, inName] = [below(named, entry.name), `${name}/${text}`]
      const shownAs = textOf(inPath)
      await orRefused(shownAs, async () => {
        if (entry.isDirectory() && (await isOfHome(inPath))) leaveOut(shownAs, HAS_KEYS)
        else if (entry.isDirectory()) await addFolder(inPath, inName)
        else if (entry.isSymbolicLink()) leaveOut(shownAs, 'is a symbolic link: name it itself to send it')
        else if (!entry.isFile()) leaveOut(shownAs, 'is no file')
        else if (endingOf(text) === undefined) await add(inPath, inName)
        else if (!filesOfReceipt(text).some((file) => names.has(file))) receipts.push(shownAs)
      })
    }
  }

  function leaveOut(shownAs: string, why: string): void {
    others.push({ shownAs, why, isWrong: false })
  }

  async function orRefused(shownAs: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      others.push({ shownAs, why: failureOf(error).message, isWrong: true })
    }
  }

  for (const path of paths)
    await orRefused(path, async () => {
      const found = await stat(path).catch((error: unknown) => {
        // What Node made of bytes that are no text.
        if (path.includes('\uFFFD')) throw new Error(UNNAMEABLE)
        throw error
      })
      const name = basename(resolve(path))
      if (await isOfHome(path)) leaveOut(path, HAS_KEYS)
      else if (found.isDirectory()) await addFolder(Buffer.from(path), name)
      else if (found.isFile()) await add(Buffer.from(path), name)
      else others.push({ shownAs: path, why: 'is neither a file nor a folder', isWrong: true })
    })
  return { files: [...files.values()], others, emptyFolders, receipts }
}

const HAS_KEYS = 'belongs to BLINDKEEP_HOME, which has your keys'

/** Whether a path leads into `home`, by name, or by number where a disk is mounted twice. */
async function insideOf(home: string): Promise<(path: Place) => Promise<boolean>> {
  const own = await stat(home, { bigint: true }).catch(unlessMissing)
  if (own === undefined) return async () => false
  const real = await bytesOfReal(home)
  const isHome = async (path: string) => {
    if (path === real) return true
    const { dev, ino } = await stat(Buffer.from(path, 'latin1'), { bigint: true })
    return ino > 0n && ino === own.ino && dev === own.dev
  }
  return async (path) => {
    for (let above = await bytesOfReal(path); ; above = dirname(above)) {
      if (await isHome(above)) return true
      if (above === dirname(above)) return false
    }
  }
}

/** Each byte as a letter, because a name may be no text. */
const bytesOfReal = async (path: Place) => (await realpath(path, 'buffer')).toString('latin1')

const UNNAMEABLE = 'its name is not UTF-8, so it cannot be named here. Name the folder that it is in, or rename it.'

/** Bytes that are no UTF-8 as `%E9`, so that two names stay two: usually an older system's letters. */
function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString()
  return [...bytes].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : percent(byte))).join('')
}

const percent = (byte: number) => `%${byte.toString(16).toUpperCase()}`

function placeOf(bytes: Buffer): Place {
  return isUtf8(bytes) ? bytes.toString() : bytes
}

/** As `join` does with texts. */
function below(folder: Buffer, name: Buffer): Buffer {
  const ending = folder.at(-1) === SLASH ? [] : [Buffer.of(SLASH)]
  return Buffer.concat([folder, ...ending, name])
}

const SLASH = 0x2f
