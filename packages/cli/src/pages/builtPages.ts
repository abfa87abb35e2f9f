/** The pages of this package, in memory: a request can name one of these, but no path on the disk. */
import { createHash } from 'node:crypto'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PAGE_INDEX, PAGE_MEDIA_TYPES, PAGE_ROUTES, PREVIEW, previewPolicyOf } from '@blindkeep/protocol/pages'
import { LocalError } from '../ground/exits.ts'
import { type Folder, folderAt, ownFolder } from '../ground/ownFiles.ts'

interface PageAnswer {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

export interface LocalPages {
  /** What stands at a path; undefined if there is no page. */
  at(path: string): PageAnswer | undefined
}

/** Neither service workers, which would outlive the program, nor what installs an app. */
const FOLDERS = ['assets/', 'preview/', 'app/']
const LEFT_OUT = '.webmanifest'

/** `document` stands at `/`, and no other one anywhere. Throws `LocalError` if the package has none. */
export async function loadPages(document: string = PAGE_INDEX, from?: Folder): Promise<LocalPages> {
  const folder = from ?? (await builtPages())
  const files = new Map<string, { readonly type: string; readonly bytes: Uint8Array }>()
  for (const name of await folder.names()) {
    const isWanted = name === document || FOLDERS.some((start) => name.startsWith(start))
    const type = PAGE_MEDIA_TYPES[extname(name)]
    if (isWanted && type !== undefined && !name.endsWith(LEFT_OUT))
      files.set(name, { type, bytes: await folder.read(name) })
  }
  const ofDocument = PAGE_ROUTES.find(({ fileName }) => fileName('') === document)
  if (!files.has(document)) throw new LocalError('This package of blindkeep has no pages. Install it again.')
  const preview = Buffer.from(files.get(PREVIEW)?.bytes ?? []).toString()
  const previewPolicy = previewPolicyOf(preview, (text) => createHash('sha256').update(text).digest('base64'))

  return {
    at(path) {
      const isRoot = path === '/'
      const route = isRoot ? ofDocument : PAGE_ROUTES.find(({ form }) => form.test(path))
      const name = route?.fileName(path.split('/').slice(2).join('/'))
      if (route === undefined || name === undefined || (name === document && !isRoot)) return undefined
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

/** A package has them beside its code; in a clone they are the built files of another package. */
async function builtPages(): Promise<Folder> {
  const own = ownFolder('pages')
  if ((await own.names()).length > 0) return own
  return folderAt(join(dirname(fileURLToPath(import.meta.resolve('@blindkeep/web/package.json'))), 'dist'))
}
