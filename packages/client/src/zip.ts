/** Several files as one ZIP, made while they are read, without memory of them. Stored: most files are compressed. */
import { fileDateOf } from './ground/fileDate.ts'
import { numberedName, safePath } from './safePath.ts'

/** The library has no ZIP64 record for the number of files alone, and readers differ. Sizes have no bound. */
export const MAX_ZIP_FILES = 65_535

/** DOS times, which ZIP has, are of these years. */
const [FIRST_YEAR, LAST_YEAR] = [1980, 2107]

export interface FileToZip {
  /** As its sender wrote it, with `/` between folders. */
  readonly name: string | undefined
  /** Folders before those of the name, as of `safePath`. */
  readonly into?: readonly string[] | undefined
  /** Bytes. */
  readonly size: number
  /** RFC 3339. */
  readonly modifiedAt?: string | undefined
  /** Called when its turn comes. Without an answer the file is left out. */
  readonly open: () => Promise<{ readonly content: ReadableStream<Uint8Array> } | undefined>
}

export interface Zip {
  /** Fails with the error of the file that cannot be opened or read. */
  readonly content: ReadableStream<Uint8Array>
  /** Bytes of the ZIP, if no file is left out. */
  readonly size: number
  /** What the files are called in it, in their order. */
  readonly paths: readonly string[]
}

/** Throws `RangeError` for more than `MAX_ZIP_FILES`. */
export async function zipOf(files: readonly FileToZip[]): Promise<Zip> {
  if (files.length > MAX_ZIP_FILES) throw new RangeError(`a ZIP of ${files.length} files`)
  // Loaded by those who want a ZIP.
  const { makeZip, predictLength } = await import('client-zip')
  const paths = zipPathsOf(
    files.map(({ name }) => name),
    files.map(({ into }) => into),
  )
  const metadata = files.map(({ size, modifiedAt }, index) => ({
    name: paths[index],
    size,
    lastModified: timeIn(modifiedAt),
  }))
  async function* entries() {
    for (const [index, file] of files.entries()) {
      const opened = await file.open()
      if (opened !== undefined)
        yield { name: paths[index], lastModified: timeIn(file.modifiedAt), input: opened.content }
    }
  }
  return { content: makeZip(entries(), { buffersAreUTF8: true }), size: Number(predictLength(metadata)), paths }
}

/**
 * Safe paths by name, and by the folders before it, if any. None equals another or is its folder, on any system: taken
 * names get numbers.
 */
export function zipPathsOf(
  names: readonly (string | undefined)[],
  into: readonly (readonly string[] | undefined)[] = [],
): readonly string[] {
  const safe = names.map((name, index) => safePath(name, into[index]))
  const taken = new Set<string>()
  /** The next number for names that become equal when shortened: thousands of files may have such names. */
  const numbers = new Map<string, number>()
  for (const { folders } of safe)
    for (const depth of folders.keys()) taken.add(caseless(folders.slice(0, depth + 1).join('/')))
  return safe.map(({ folders, name }) => {
    const pathOf = (number: number) => [...folders, numberedName(name, number)].join('/')
    let number = 1
    if (taken.has(caseless(pathOf(1)))) {
      const family = caseless(pathOf(MAX_ZIP_FILES))
      number = numbers.get(family) ?? 2
      while (taken.has(caseless(pathOf(number)))) number++
      numbers.set(family, number + 1)
    }
    const path = pathOf(number)
    taken.add(caseless(path))
    return path
  })
}

/** Windows and macOS take `A.txt` and `a.txt` for one file, and some systems `ς` and `σ`, `ß` and `ss`. */
function caseless(path: string): string {
  return path.toLowerCase().toUpperCase()
}

function timeIn(modifiedAt: string | undefined): Date {
  const date = fileDateOf(modifiedAt)
  if (date === undefined) return new Date()
  if (date.getFullYear() < FIRST_YEAR) return new Date(FIRST_YEAR, 0)
  return date.getFullYear() > LAST_YEAR ? new Date(LAST_YEAR, 0) : date
}
