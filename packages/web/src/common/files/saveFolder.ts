/** Saves files into a folder that the person has chosen, in browsers that can (WICG, File System Access). */
import { numberedName, type SafePath, safePath } from '@blindkeep/client/safePath'
import { fileTarget, type SaveTarget } from './saveStream.ts'

export interface SaveFolder {
  /**
   * A place for a file of this name, with `/` between folders; `into`: folders before these, as of `safePath`. What is
   * there stays: taken names get numbers.
   */
  place(name: string | undefined, into?: readonly string[]): Promise<SaveTarget>
}

/** Not in TypeScript's library yet. */
interface FolderPicker {
  readonly showDirectoryPicker?: (options: { readonly mode: 'readwrite' }) => Promise<FileSystemDirectoryHandle>
}

export const canChooseFolder = () => (globalThis as FolderPicker).showDirectoryPicker !== undefined

/** Call it in the same task as the click. Undefined when the person has dismissed the question. */
export async function chooseFolder(): Promise<SaveFolder | undefined> {
  try {
    const folder = await (globalThis as FolderPicker).showDirectoryPicker?.({ mode: 'readwrite' })
    return folder && folderOf(folder)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    throw error
  }
}

/** One place at a time: until a file is there, its name looks free. */
function folderOf(root: FileSystemDirectoryHandle): SaveFolder {
  let last: Promise<unknown> = Promise.resolve()
  return {
    place(name, into) {
      const next = last.then(() => placeIn(root, safePath(name, into)))
      last = next.catch(() => undefined)
      return next
    },
  }
}

async function placeIn(root: FileSystemDirectoryHandle, { folders, name }: SafePath): Promise<SaveTarget> {
  let folder = root
  for (const each of folders) folder = await folder.getDirectoryHandle(each, { create: true })
  let number = 1
  while (await isIn(folder, numberedName(name, number))) number++
  return fileTarget(await folder.getFileHandle(numberedName(name, number), { create: true }))
}

async function isIn(folder: FileSystemDirectoryHandle, name: string): Promise<boolean> {
  try {
    await folder.getFileHandle(name)
    return true
  } catch (error) {
    const reason = error instanceof DOMException ? error.name : undefined
    // A folder has this name.
    if (reason === 'TypeMismatchError') return true
    if (reason === 'NotFoundError') return false
    throw error
  }
}
