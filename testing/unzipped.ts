/** A ZIP as Python's own library reads it, which knows nothing of ours. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const SCRIPT = `
import hashlib, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
wrong = archive.testzip()
if wrong is not None: raise SystemExit(f'{wrong} has another checksum')
files = [[i.filename, i.file_size, hashlib.sha256(archive.read(i)).hexdigest(), list(i.date_time)] for i in archive.infolist()]
print(json.dumps(files))
`

export interface UnzippedFile {
  readonly name: string
  readonly size: number
  /** SHA-256, lowercase hex. */
  readonly hash: string
  /** Year, month, day, hour, minute and second, in the time zone of its maker. */
  readonly time: readonly number[]
}

/** Undefined, or why `unzipped` cannot be tried here. */
export async function whyNoUnzip(): Promise<string | undefined> {
  try {
    await run('python3', ['-c', 'import zipfile'])
    return undefined
  } catch {
    return "Python's zipfile is not installed"
  }
}

/** The files of a ZIP, whose checksums agree. */
export async function unzipped(zip: Uint8Array): Promise<readonly UnzippedFile[]> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-zip-'))
  try {
    const path = join(directory, 'a.zip')
    await writeFile(path, zip)
    const { stdout } = await run('python3', ['-c', SCRIPT, path], { maxBuffer: 64 * 1024 * 1024 })
    const files: readonly [string, number, string, readonly number[]][] = JSON.parse(stdout)
    return files.map(([name, size, hash, time]) => ({ name, size, hash, time }))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
