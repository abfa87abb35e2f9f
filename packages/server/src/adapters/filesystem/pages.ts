import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { PAGE_FOLDERS, PAGE_INDEX, PAGE_MEDIA_TYPES } from '@blindkeep/protocol/pages'
import type { PageFile, Pages } from '../../ports/pages.ts'
import { unlessMissing } from './failure.ts'

/** Reads the whole build in `directory`. Empty if there is no complete build. */
export async function readPages(directory: string): Promise<Pages> {
  const lists = await Promise.all(PAGE_FOLDERS.map((folder) => namesIn(directory, folder)))
  const pages = new Map<string, PageFile>()
  for (const name of [PAGE_INDEX, ...lists.flat()]) {
    const mediaType = PAGE_MEDIA_TYPES[extname(name)]
    const bytes = mediaType === undefined ? undefined : await contentOf(join(directory, name))
    if (mediaType !== undefined && bytes !== undefined)
      pages.set(name, await fileOf({ directory, name, mediaType, bytes }))
  }
  return pages.has(PAGE_INDEX) ? pages : new Map()
}

async function fileOf({
  directory,
  name,
  mediaType,
  bytes,
}: {
  readonly directory: string
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}): Promise<PageFile> {
  const [br, gzip] = await Promise.all(['br', 'gz'].map((ending) => contentOf(join(directory, `${name}.${ending}`))))
  return {
    mediaType,
    bytes,
    coded: { ...(br && { br }), ...(gzip && { gzip }) },
    version: createHash('sha256').update(bytes).digest('base64url'),
  }
}

/** Only files: a symbolic link could lead out of the directory. */
async function namesIn(directory: string, folder: string): Promise<string[]> {
  const entries = await unlessMissing(() => readdir(join(directory, folder), { withFileTypes: true }))
  return (entries ?? []).filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`)
}

async function contentOf(path: string): Promise<Uint8Array | undefined> {
  return unlessMissing(() => readFile(path))
}
