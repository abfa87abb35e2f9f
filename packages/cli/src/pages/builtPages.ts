/** The pages of this package, in memory: a request can name one of these, but no path on the disk. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PAGE_INDEX, PAGE_MEDIA_TYPES, PAGE_ROUTES, PREVIEW, previewPolicyOf } from '@blindkeep/protocol/pages'
import { unlessMissing } from '../ground/disk.ts'
import { LocalError } from '../ground/exits.ts'

export interface PageAnswer {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

export interface LocalPages {
  /** What stands at a path; undefined if there is no page. */
  at(path: string): PageAnswer | undefined
}

/**
 * Neither guests' pages, which are the server's, nor service workers, which would outlive the program, nor what
 * installs an app.
 */
const FOLDERS = ['assets', 'preview', 'app']
const LEFT_OUT = '.webmanifest'

/** Throws `LocalError` if the package has none. */
export async function loadPages(directory = builtDirectory()): Promise<LocalPages> {
  const lists = await Promise.all(FOLDERS.map((folder) => namesIn(directory, folder)))
  const files = new Map<string, { readonly type: string; readonly bytes: Uint8Array }>()
  for (const name of [PAGE_INDEX, ...lists.flat()]) {
    const type = PAGE_MEDIA_TYPES[extname(name)]
    const bytes = type === undefined || name.endsWith(LEFT_OUT) ? undefined : await fileAt(join(directory, name))
    if (type !== undefined && bytes !== undefined) files.set(name, { type, bytes })
  }
  if (!files.has(PAGE_INDEX)) throw new LocalError('This package of blindkeep has no pages. Install it again.')
  const preview = Buffer.from(files.get(PREVIEW)?.bytes ?? []).toString()
  const previewPolicy = previewPolicyOf(preview, (text) => createHash('sha256').update(text).digest('base64'))

  return {
    at(path) {
      const route = PAGE_ROUTES.find(({ form }) => form.test(path))
      if (route === undefined) return undefined
      const name = route.fileName(path.split('/').slice(2).join('/'))
      const file = files.get(name)
      if (file === undefined) return undefined
      return {
        bytes: file.bytes,
        headers: {
          ...route.headers,
          ...(route.kind === 'preview' && { 'Content-Security-Policy': previewPolicy }),
          'Content-Type': file.type,
          'X-Content-Type-Options': 'nosniff',
          // Nothing of a start stays for another program at its port.
          'Cache-Control': 'no-store',
        },
      }
    },
  }
}

/** An installed package has them beside its code; in a clone they are the built files of another package. */
function builtDirectory(): string {
  const beside = join(import.meta.dirname, 'pages')
  return existsSync(beside)
    ? beside
    : join(dirname(fileURLToPath(import.meta.resolve('@blindkeep/web/package.json'))), 'dist')
}

/** Only files: a symbolic link could lead out of the directory. */
async function namesIn(directory: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(unlessMissing)
  return (entries ?? []).filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`)
}

async function fileAt(path: string): Promise<Uint8Array | undefined> {
  return await readFile(path).catch(unlessMissing)
}
