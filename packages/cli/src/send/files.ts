/** Which files the paths of a call mean. */
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { failureOf } from '../failures.ts'
import { RECEIPT_ENDING } from '../receipts/saved.ts'
import { byName } from '../texts.ts'

export interface ChosenFile {
  /** Absolute, without symbolic links: one file has one path. */
  readonly path: string
  /** As the person wrote it or finds it, for messages. */
  readonly shownAs: string
  /** For the owner: of a file in a folder, with the folders from the given one on, `/` between them. */
  readonly name: string
  readonly size: number
}

export interface NotChosen {
  readonly shownAs: string
  readonly why: string
  /** False for what is left out on purpose. */
  readonly isWrong: boolean
}

export interface Choice {
  readonly files: readonly ChosenFile[]
  readonly others: readonly NotChosen[]
}

/** Folders with all that is in them, in the order of names. A file that is named twice is chosen once. */
export async function chooseFiles(paths: readonly string[]): Promise<Choice> {
  const files = new Map<string, ChosenFile>()
  const others: NotChosen[] = []

  async function add(path: string, name: string): Promise<void> {
    const { size } = await stat(path)
    const real = await realpath(path)
    if (!files.has(real)) files.set(real, { path: real, shownAs: path, name, size })
  }

  async function addFolder(path: string, name: string): Promise<void> {
    const entries = await readdir(path, { withFileTypes: true })
    for (const entry of entries.sort((one, other) => byName(one.name, other.name))) {
      const [inPath, inName] = [join(path, entry.name), `${name}/${entry.name}`]
      await orRefused(inPath, async () => {
        if (entry.isDirectory()) await addFolder(inPath, inName)
        else if (entry.isSymbolicLink()) leaveOut(inPath, 'is a symbolic link: name it itself to send it')
        else if (!entry.isFile()) leaveOut(inPath, 'is no file')
        // Receipts are saved beside the files, and are not files of the sender.
        else if (!entry.name.endsWith(RECEIPT_ENDING)) await add(inPath, inName)
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
      const found = await stat(path)
      const name = basename(resolve(path))
      if (found.isDirectory()) await addFolder(path, name)
      else if (found.isFile()) await add(path, name)
      else others.push({ shownAs: path, why: 'is neither a file nor a folder', isWrong: true })
    })
  return { files: [...files.values()], others }
}
