/** Files that the user chose, dropped or pasted. Folders are read with all files below them. */

/** Deeper than any real folder; a link to itself would never end. */
const MAX_DEPTH = 64

export interface FoundFile {
  readonly file: File
  /** Path with `/` between folders; empty for a file that was chosen by itself. */
  readonly folder: string
}

interface FoundFiles {
  readonly files: readonly FoundFile[]
  /** Names of files and folders that the browser could not read, wholly or in part. */
  readonly unreadable: readonly string[]
  /** Paths of dropped empty folders, also nested ones. A chosen folder does not report them. */
  readonly emptyFolders: readonly string[]
}

/** The path of a file from a folder ends with the file's own name (HTML, `webkitRelativePath`). */
export function filesOfInput(files: Iterable<File>): readonly FoundFile[] {
  return [...files].map((file) => ({ file, folder: folderOf(file.webkitRelativePath) }))
}

export function folderOf(path: string): string {
  const end = path.lastIndexOf('/')
  return end < 0 ? '' : path.slice(0, end)
}

/** Call it synchronously in the event's handler: afterwards the browser empties the transfer. */
export async function filesOfTransfer(transfer: Pick<DataTransfer, 'items'> | null): Promise<FoundFiles> {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === 'file')
  const found = items.map((item) => ({ entry: item.webkitGetAsEntry?.() ?? undefined, file: item.getAsFile() }))
  const files: FoundFile[] = []
  const unreadable: string[] = []
  const emptyFolders: string[] = []
  for (const { entry, file } of found) {
    if (entry !== undefined) await walk(entry, { folder: '', depth: 0, files, unreadable, emptyFolders })
    else if (file !== null) files.push({ file, folder: '' })
  }
  return { files, unreadable, emptyFolders }
}

interface Walk {
  readonly folder: string
  readonly depth: number
  readonly files: FoundFile[]
  readonly unreadable: string[]
  readonly emptyFolders: string[]
}

async function walk(entry: FileSystemEntry, way: Walk): Promise<void> {
  const { folder, depth, files, unreadable, emptyFolders } = way
  try {
    if (isFile(entry)) files.push({ file: await fileOf(entry), folder })
    else if (isDirectory(entry)) {
      if (depth === MAX_DEPTH) throw new RangeError('the folders are nested too deeply')
      const inner = folder === '' ? entry.name : `${folder}/${entry.name}`
      const children = await entriesIn(entry)
      if (children.length === 0) emptyFolders.push(inner)
      for (const child of children) await walk(child, { ...way, folder: inner, depth: depth + 1 })
    }
  } catch {
    // The entry was deleted meanwhile, or the browser may not read it. The other files are still read.
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

/** Browsers give at most a hundred at once, and none at the end (File and Directory Entries, section 7.3). */
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
