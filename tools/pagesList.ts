/**
 * `pages.json`: which pages a server of this release serves, and with which headers (docs/formats.md). The build writes
 * it beside the pages; equal pages give equal bytes. Each list goes with the command line, which compares servers with
 * it (`packages/cli/src/pages/`).
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PAGE_ROUTES, UNKNOWN_PAGE } from '../packages/protocol/src/pages.ts'
import { readPages } from '../packages/server/src/adapters/filesystem/pages.ts'
import { policiesOf, policyAt } from '../packages/server/src/http/policies.ts'
import type { Pages } from '../packages/server/src/ports/pages.ts'
import { ROOT } from './projectFiles.ts'

const PAGES_LIST = 'pages.json'
/** Lists of releases, committed with their tag, under the name of their version. */
export const RELEASED_LISTS = join(ROOT, 'packages', 'cli', 'pages')

/** What every answer has (`http/server.ts`). */
const COMMON = { 'X-Content-Type-Options': 'nosniff' }

/** Writes the list of the built pages in `directory`. */
export async function writePagesList(directory: string): Promise<void> {
  await writeFile(join(directory, PAGES_LIST), pagesListOf(await readPages(directory), await version()))
}

/** Copies the lists of releases, and that of the built pages, to where the command line looks for them. */
export async function copyPagesLists(to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  if (existsSync(RELEASED_LISTS)) await cp(RELEASED_LISTS, to, { recursive: true })
  await cp(join(ROOT, 'packages', 'web', 'dist', PAGES_LIST), join(to, `${await version()}.json`))
}

/** What `blindkeep pages serve` and `open` show: no service workers, no page for unknown addresses. */
export function isLocal(path: string): boolean {
  return !/^(?:unknown|push|take)(?:\/|$)|\.(?:br|gz)$/.test(path)
}

function pagesListOf(pages: Pages, version: string): string {
  const policies = policiesOf(pages)
  const kinds = new Map<string, object>()
  const routes: (readonly [path: string, file: string | null, kind: string])[] = []
  const add = (
    path: string,
    file: string | null,
    { kind, more }: { readonly kind: string; readonly more?: object },
  ) => {
    const headers = { ...COMMON, ...more, 'Content-Security-Policy': policyAt(policies, path) }
    kinds.set(kind, lowered(headers))
    routes.push([path.replace(/:\w+$/, '*'), file, kind])
  }
  for (const { path, kind, headers: more, fileName } of [...PAGE_ROUTES, UNKNOWN_PAGE]) {
    add(path, fileName('*'), { kind, more })
    const index = fileName('')
    if (kind !== 'unknown' && path.endsWith('*') && pages.has(index)) add(path.slice(0, -1), index, { kind, more })
  }
  const isPage = (prefix: string) => prefix === '' || PAGE_ROUTES.some(({ path }) => path === `${prefix}*`)
  for (const [prefix] of policies.filter(([each]) => !isPage(each)))
    add(prefix.endsWith('/') ? `${prefix}*` : prefix, null, { kind: prefix === '/problems/' ? 'problem' : 'data' })
  const files = [...pages].map(([name, { bytes, mediaType }]) => [
    name,
    [sha256(bytes).toString('hex'), bytes.length, mediaType],
  ])
  const members = [
    '"format":"service/pages/1"',
    `"version":${JSON.stringify(version)}`,
    `"node":${JSON.stringify(process.versions.node)}`,
    `"headers":{\n${sorted([...kinds].map(memberOf))}\n}`,
    `"routes":[\n${sorted(routes.map((route) => JSON.stringify(route)))}\n]`,
    `"files":{\n${sorted(files.map(memberOf))}\n}`,
    `"wasm":[\n${sorted(wasmIn(pages).map((digest) => JSON.stringify(digest)))}\n]`,
  ]
  return `{\n${members.join(',\n')}\n}\n`
}

/** The digests of all WebAssembly, in base64url: files, and what scripts contain as Base64. */
function wasmIn(pages: Pages): readonly string[] {
  const modules = [...pages].flatMap(([name, { bytes }]) => {
    if (name.endsWith('.wasm')) return [bytes]
    if (!/\.(?:js|html)$/.test(name)) return []
    const texts =
      Buffer.from(bytes)
        .toString('latin1')
        .match(/AGFzbQ[A-Za-z0-9+/]+={0,2}/g) ?? []
    return texts.map((text) => Buffer.from(text, 'base64'))
  })
  return [...new Set(modules.map((bytes) => sha256(bytes).toString('base64url')))]
}

function memberOf([name, value]: readonly unknown[]): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`
}

function sorted(lines: readonly string[]): string {
  return lines.toSorted().join(',\n')
}

function lowered(headers: object): object {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** Of all packages. */
async function version(): Promise<string> {
  const { version: own }: { readonly version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  return own
}
