/** Gives a page's input files that a test has made. */
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'

export interface SomeFile {
  readonly name: string
  /** Of a small file. The type of a large one follows from its name, as for a person's. */
  readonly mimeType: string
  readonly buffer: Buffer
}

/** Files that the test has made, or paths of others. */
export type GivenFiles = SomeFile | string | readonly (SomeFile | string)[]

/** In a message each MiB takes a tenth of a second of processor time, from the disk nothing. */
const MAX_IN_MESSAGE_BYTES = 64 * 1024

let folder: string | undefined
let given = 0

export async function giveFiles(input: Locator, files: GivenFiles): Promise<void> {
  const all = [files].flat()
  const isLarge = all.some((file) => typeof file === 'string' || file.buffer.length > MAX_IN_MESSAGE_BYTES)
  await input.setInputFiles(isLarge ? await Promise.all(all.map(onDisk)) : (all as SomeFile[]))
}

async function onDisk(file: SomeFile | string): Promise<string> {
  if (typeof file === 'string') return file
  folder ??= newFolder()
  const own = join(folder, String(given++))
  await mkdir(own)
  const path = join(own, file.name)
  await writeFile(path, file.buffer)
  return path
}

/** Until the process ends: pages read the files when they like. */
function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'blindkeep-given-'))
  process.on('exit', () => rmSync(made, { recursive: true, force: true }))
  return made
}
