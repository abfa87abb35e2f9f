/** The lists of pages that this program knows: those of its own release and of earlier ones. Never a server's. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { withPath } from '@blindkeep/client/node'
import { LocalError } from '../ground/exits.ts'
import { ownFolder } from '../ground/ownFiles.ts'
import type { Use } from './asking.ts'

/** `service/pages/1` (docs/formats.md). */
export interface PagesList {
  readonly format: typeof FORMAT
  readonly version: string
  /** Of each kind, by name in lower case. */
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly routes: readonly (readonly [path: string, file: string | null, kind: string])[]
  /** SHA-256 in hexadecimal, bytes, type. */
  readonly files: Readonly<Record<string, readonly [sha256: string, length: number, mediaType: string]>>
}

const FORMAT = 'service/pages/1'

/** @param path of one list, in place of the program's own */
export async function knownLists(path: string | undefined): Promise<readonly PagesList[]> {
  if (path !== undefined) return [listIn(await withPath(path, () => readFile(path)), path)]
  const own = ownFolder('lists')
  const lists = await Promise.all((await own.names()).map(async (name) => listIn(await own.read(name), name)))
  if (lists.length === 0)
    throw new LocalError(
      'This program was built without the pages, so it knows no list of them. Name one with --list, or call npm run build in its checkout.',
    )
  return lists.sort((one, other) => compareVersions(one.version, other.version))
}

function listIn(bytes: Uint8Array, name: string): PagesList {
  const list = parsed(Buffer.from(bytes).toString())
  if (list?.format !== FORMAT) throw new LocalError(`${name} is no list of pages: it does not say ${FORMAT}.`)
  return list
}

function parsed(text: string): PagesList | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the server says of itself and what it serves at `/`. Neither counts: they only choose what is compared. */
interface Shown {
  readonly version: string | undefined
  readonly ownersPage: Uint8Array
}

/** Undefined for a release that has a name and no list here. What names none is compared with the newest. */
export function listFor(lists: readonly PagesList[], { version, ownersPage }: Shown): PagesList | undefined {
  const digest = createHash('sha256').update(ownersPage).digest('hex')
  const named = lists.filter((list) => list.version === version)
  const equal = lists.filter(({ files }) => files['index.html']?.[0] === digest)
  const unnamed = version === undefined ? lists.at(-1) : undefined
  return named.find((list) => equal.includes(list)) ?? equal.at(-1) ?? named[0] ?? unnamed
}

export function compareVersions(one: string, other: string): number {
  return new Intl.Collator('en', { numeric: true }).compare(one, other)
}

/** An address at which the list expects a file. */
export interface Expected {
  readonly path: string
  /** 404 with the page for addresses at which nothing is. */
  readonly status: 200 | 404
  readonly sha256: string
  readonly length: number
  /** With the type. */
  readonly headers: Readonly<Record<string, string>>
  readonly use: Use
}

/** An address of data or of nothing, whose answer must have the policy that the list declares for it. */
export interface Declared extends Pick<Expected, 'path' | 'headers'> {}

/** @param id what stands for the id of a link or share */
export function expectedIn({ routes, files, headers }: PagesList, id: string): readonly Expected[] {
  return routes.flatMap(([path, pattern, kind]) => {
    if (pattern === null) return []
    const at = (name: string, address: string): readonly Expected[] => {
      const [sha256, length, mediaType] = files[name] ?? []
      if (sha256 === undefined || length === undefined || mediaType === undefined) return []
      const named = { 'content-type': mediaType, ...headers[kind] }
      const status = kind === 'unknown' ? 404 : 200
      return [{ path: address, status, sha256, length, headers: named, use: useOf(kind, mediaType) }]
    }
    if (!pattern.endsWith('*')) return at(pattern, path.replace('*', id))
    const folder = pattern.slice(0, -1)
    const names = Object.keys(files).filter((name) => name.startsWith(folder))
    return names.flatMap((name) => at(name, path.replace('*', name.slice(folder.length))))
  })
}

/** @param unknown what stands for the rest of a path at which nothing is */
export function declaredIn({ routes, headers }: PagesList, unknown: string): readonly Declared[] {
  const folders = routes.filter(([path, file]) => file === null && path.endsWith('*'))
  const policyOf = (kind: string) => {
    const policy = headers[kind]?.['content-security-policy']
    return { ...headers.data, ...(policy !== undefined && { 'content-security-policy': policy }) }
  }
  const others = routes.some(([path]) => path === '/*') ? [] : [['/*', null, 'page'] as const]
  return [...folders, ...others].map(([path, , kind]) => ({
    path: path.replace('*', unknown),
    headers: policyOf(kind),
  }))
}

function useOf(kind: string, mediaType: string): Use {
  if (kind === 'push' || kind === 'take') return 'serviceWorker'
  if (mediaType.startsWith('text/html')) return kind === 'preview' ? 'frame' : 'document'
  if (mediaType.startsWith('text/javascript')) return 'script'
  if (mediaType.startsWith('text/css')) return 'style'
  if (mediaType.startsWith('image/')) return 'image'
  return mediaType.startsWith('application/manifest') ? 'manifest' : 'data'
}
