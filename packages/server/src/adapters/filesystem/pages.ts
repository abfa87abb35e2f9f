import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { PageFile, Pages } from '../../ports/pages.ts'
import { unlessMissing } from './failure.ts'

/** The folders of pages in a build. Nothing else in the directory is read. */
const FOLDERS = ['u', 'v', 'assets', 'preview', 'app', 'push', 'take'] as const
const INDEX = 'index.html'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Reads the whole build in `directory`. Empty if there is no complete build. */
export async function readPages(directory: string): Promise<Pages> {
  const lists = await Promise.all(FOLDERS.map((folder) => namesIn(directory, folder)))
  const pages = new Map<string, PageFile>()
  for (const name of [INDEX, ...lists.flat()]) {
    const mediaType = MEDIA_TYPES[extname(name)]
    const bytes = mediaType === undefined ? undefined : await contentOf(join(directory, name))
    if (mediaType !== undefined && bytes !== undefined)
      pages.set(name, await fileOf({ directory, name, mediaType, bytes }))
  }
  return pages.has(INDEX) ? pages : new Map()
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
