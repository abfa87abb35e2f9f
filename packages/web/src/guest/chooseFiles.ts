/** Files out of what somebody chose, dropped or pasted, folders with all that is in them. */
import type { ChosenFile } from './messages.ts'

/** Deeper than any folder of a person's; a link to itself would never end. */
const MAX_DEPTH = 64

/** A folder's files know their path; it ends with their own name (HTML, `webkitRelativePath`). */
export function filesOfInput(list: FileList | null, isFromCamera: boolean): readonly ChosenFile[] {
  return [...(list ?? [])].map((file) => ({ file, folder: folderOf(file.webkitRelativePath), isFromCamera }))
}

export function folderOf(path: string): string {
  const end = path.lastIndexOf('/')
  return end < 0 ? '' : path.slice(0, end)
}

/** Has to be called in the very event that brought it: the browser takes it away afterwards. */
export async function filesOfTransfer(transfer: DataTransfer | null): Promise<FoundFiles> {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === 'file')
  const found = items.map((item) => ({ entry: item.webkitGetAsEntry?.() ?? undefined, file: item.getAsFile() }))
  const files: ChosenFile[] = []
  const unreadable: string[] = []
  for (const { entry, file } of found) {
    if (entry !== undefined) await walk(entry, { folder: '', depth: 0, files, unreadable })
    else if (file !== null) files.push({ file, folder: '', isFromCamera: false })
  }
  return { files, unreadable }
}

export interface FoundFiles {
  readonly files: readonly ChosenFile[]
  /** Names of files and folders that the browser could not read, wholly or in part. */
  readonly unreadable: readonly string[]
}

interface Walk {
  readonly folder: string
  readonly depth: number
  readonly files: ChosenFile[]
  readonly unreadable: string[]
}

async function walk(entry: FileSystemEntry, way: Walk): Promise<void> {
  const { folder, depth, files, unreadable } = way
  try {
    if (isFile(entry)) files.push({ file: await fileOf(entry), folder, isFromCamera: false })
    else if (isDirectory(entry)) {
      if (depth === MAX_DEPTH) throw new RangeError('the folders never end')
      const inner = folder === '' ? entry.name : `${folder}/${entry.name}`
      for (const child of await entriesIn(entry)) await walk(child, { ...way, folder: inner, depth: depth + 1 })
    }
  } catch {
    // It vanished meanwhile, or nobody may read it. The others are taken all the same, and it is told.
    unreadable.push(entry.name)
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** Comes in batches of at most a hundred, until one is empty (File and Directory Entries, section 7.3). */
async function entriesIn(directory: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = directory.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const batch = await new Promise<readonly FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (batch.length === 0) return all
    all.push(...batch)
  }
}
