import type { ChosenFile } from './compareRun.ts'

/** Files that were dropped, those in folders too, each with its path. Call it in the very turn of the event: afterwards the browser has forgotten them. */
export async function filesOf({ items, files }: Pick<DataTransfer, 'items' | 'files'>): Promise<readonly ChosenFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  if (entries.length === 0) return [...files].map((file) => ({ file, name: file.name }))
  const found: ChosenFile[] = []
  for (const entry of entries) found.push(...(await filesBelow(entry)))
  return found
}

async function filesBelow(entry: FileSystemEntry): Promise<readonly ChosenFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ file, name: entry.fullPath.replace(/^\//, '') }]
  }
  if (!isDirectory(entry)) return []
  const found: ChosenFile[] = []
  const reader = entry.createReader()
  for (;;) {
    // It gives some at a time, and none at the end (File and Directory Entries API, readEntries).
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return found
    for (const one of some) found.push(...(await filesBelow(one)))
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}
