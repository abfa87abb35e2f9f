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
/** One that is chosen again has the same time. */
const paths = new Map<SomeFile, Promise<string>>()

export async function giveFiles(input: Locator, files: GivenFiles): Promise<void> {
  const all = [files].flat()
  const isLarge = all.some((file) => typeof file === 'string' || file.buffer.length > MAX_IN_MESSAGE_BYTES)
  await input.setInputFiles(isLarge ? await Promise.all(all.map(onDisk)) : (all as SomeFile[]))
}

async function onDisk(file: SomeFile | string): Promise<string> {
  if (typeof file === 'string') return file
  folder ??= newFolder()
  const path = paths.get(file) ?? written(file, join(folder, String(paths.size)))
  paths.set(file, path)
  return path
}

async function written({ name, buffer }: SomeFile, directory: string): Promise<string> {
  await mkdir(directory)
  const path = join(directory, name)
  await writeFile(path, buffer)
  return path
}

/** Until the process ends: pages read the files when they like. */
function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'blindkeep-given-'))
  process.on('exit', () => rmSync(made, { recursive: true, force: true }))
  return made
}
