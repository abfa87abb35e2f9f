/** Files out of what somebody chose, dropped or pasted, folders with all that is in them. */
import type { ChosenFile } from './messages.ts'

/** Deeper than any folder of a person's; a link to itself would never end. */
const DEPTH_MAX = 64

/** A folder's files know their path; it ends with their own name (HTML, `webkitRelativePath`). */
export function filesOfInput(list: FileList | null, isFromCamera: boolean): readonly ChosenFile[] {
  return [...(list ?? [])].map((file) => ({ file, folder: folderOf(file.webkitRelativePath), isFromCamera }))
}

export function folderOf(path: string): string {
  const end = path.lastIndexOf('/')
  return end < 0 ? '' : path.slice(0, end)
}

/** Has to be called in the very event that brought it: the browser takes it away afterwards. */
export async function filesOfTransfer(transfer: DataTransfer | null): Promise<readonly ChosenFile[]> {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === 'file')
  const found = items.map((item) => ({ entry: item.webkitGetAsEntry?.() ?? undefined, file: item.getAsFile() }))
  const files: ChosenFile[] = []
  for (const { entry, file } of found) {
    if (entry !== undefined) await walk(entry, { folder: '', depth: 0, files })
    else if (file !== null) files.push({ file, folder: '', isFromCamera: false })
  }
  return files
}

interface Walk {
  readonly folder: string
  readonly depth: number
  readonly files: ChosenFile[]
}

async function walk(entry: FileSystemEntry, { folder, depth, files }: Walk): Promise<void> {
  if (isFile(entry)) {
    const file = await fileOf(entry)
    if (file !== undefined) files.push({ file, folder, isFromCamera: false })
  } else if (isDirectory(entry) && depth < DEPTH_MAX) {
    const inner = folder === '' ? entry.name : `${folder}/${entry.name}`
    for (const child of await entriesIn(entry)) await walk(child, { folder: inner, depth: depth + 1, files })
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

/** One that vanished meanwhile is left out. */
function fileOf(entry: FileSystemFileEntry): Promise<File | undefined> {
  return new Promise((resolve) => entry.file(resolve, () => resolve(undefined)))
}

/** Comes in batches of at most a hundred, until one is empty (File and Directory Entries, section 7.3). */
async function entriesIn(directory: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = directory.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const batch = await new Promise<readonly FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    )
    if (batch.length === 0) return all
    all.push(...batch)
  }
}
