/**
 * What WEBCAT asks of a site, so that a browser's extension can enforce its pages (decisions/pages.md): every file is
 * that of the list or the one fallback, every answer has the declared policy of its path, and no policy allows more
 * than the extension accepts. `pages.json` has what its manifest would declare.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { PAGE_POLICY } from '@blindkeep/protocol/pages'
import { type RunningServer, startServer } from '../../../testing/startServer.ts'

interface PagesList {
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly routes: readonly (readonly [path: string, file: string | null, kind: string])[]
  readonly files: Readonly<Record<string, readonly [sha256: string, length: number, mediaType: string]>>
  readonly wasm: readonly string[]
}

const list: PagesList = JSON.parse(await readFile(new URL('../dist/pages.json', import.meta.url), 'utf8'))
const policyOf = (kind: string) => list.headers[kind]?.['content-security-policy'] ?? ''
const FALLBACK = 'u/index.html'
let server: RunningServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

/** The longest declared prefix counts; the page's policy is the default. */
function declaredFor(path: string): string {
  const prefixes = list.routes.map(([route, , kind]) => [route.replace(/\*$/, ''), policyOf(kind)] as const)
  const own = prefixes.filter(([prefix]) => prefix !== '/' && path.startsWith(prefix))
  return own.toSorted(([one], [other]) => other.length - one.length)[0]?.[1] ?? policyOf('page')
}

const OWN = "'self'"
const HASH = /^'sha256-[\w+/]{43}='$/
/** Of each directive the sources that it may have beside `'none'`. Of two with one name browsers take the first. */
const SOURCES: Readonly<Record<string, (source: string) => boolean>> = {
  'default-src': () => false,
  'script-src': (source) => source === OWN || source === "'wasm-unsafe-eval'" || HASH.test(source),
  'style-src': (source) => source === OWN || HASH.test(source),
  'worker-src': (source) => source === OWN || source === 'blob:',
  'img-src': (source) => source === OWN || source === 'blob:',
  'media-src': (source) => source === 'blob:',
  'frame-src': (source) => source === OWN,
  'connect-src': (source) => source === OWN,
  'manifest-src': (source) => source === OWN,
  'frame-ancestors': (source) => source === OWN,
  'form-action': () => false,
  'base-uri': () => false,
  sandbox: (token) => token === 'allow-scripts',
  'require-trusted-types-for': (sink) => sink === "'script'",
  'trusted-types': (name) => name === 'blindkeep-worker',
}

/** What a policy has that is not accepted: directives, their sources, a second one, a second policy, no default. */
function faultsOf(policy: string): readonly string[] {
  const directives = policy.split('; ').map((each) => each.split(' '))
  const names = directives.map(([name]) => name)
  const unknown = directives.flatMap(([name = '', ...sources]) => {
    const accepts = SOURCES[name]
    return accepts !== undefined && sources.every((source) => source === "'none'" || accepts(source)) ? [] : [name]
  })
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  const open = names.includes('default-src') || policy === '' ? [] : ['no default-src']
  return [...unknown, ...twice, ...open].map((name = '') => name)
}

describe('the page for unknown addresses', () => {
  it('has the one style that pages allow, and no other file: it stands at addresses of any depth', async () => {
    const page = await readFile(new URL('../dist/unknown/index.html', import.meta.url), 'utf8')
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? []
    const digest = createHash('sha256').update(style).digest('base64')
    assert.ok(PAGE_POLICY.includes(`style-src 'self' 'sha256-${digest}';`), `its style is sha256-${digest}`)
    assert.doesNotMatch(page, /<script|<link|<img|style=|src=/)
  })
})

describe('the pages, by the rules of WEBCAT', () => {
  it('are the listed files, or at every other page’s address the one fallback', async () => {
    const found = new Set<string>()
    for (const [path, file, kind] of list.routes.filter(([, each]) => each !== null)) {
      const folder = file?.endsWith('*') === true ? file.slice(0, -1) : undefined
      const names =
        folder === undefined ? [file ?? ''] : Object.keys(list.files).filter((each) => each.startsWith(folder))
      for (const name of names) {
        const address = path.replace('*', folder === undefined ? 'any' : name.slice(folder.length))
        const answer = await fetch(`${server.url}${address}`, { headers: { accept: 'text/html' } })
        const digest = createHash('sha256')
          .update(new Uint8Array(await answer.arrayBuffer()))
          .digest('hex')
        assert.equal(digest, list.files[name]?.[0], address)
        found.add(name)
        const isFile = list.files[address.slice(1) || 'index.html'] !== undefined || address.endsWith('/')
        // Where nothing is, an extension shows a page of its own.
        assert.ok(isFile || name === FALLBACK || kind === 'unknown', address)
        assert.equal(answer.status, kind === 'unknown' ? 404 : 200, address)
      }
    }
    assert.deepEqual([...found].toSorted(), Object.keys(list.files).toSorted())
  })

  it('have their declared policy on every answer, and redirects stay below the page', async () => {
    const accept = 'text/html'
    for (const path of [...list.routes.map(([each]) => each), '/nothing', '/U/x', '/u/', '/v', '/v1/%zz', '/%zz'])
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
        for (const headers of [{ accept }, { accept, 'if-none-match': '*' }]) {
          const address = path.replace('*', 'x')
          const answer = await fetch(`${server.url}${address}`, { method, headers, redirect: 'manual' })
          await answer.arrayBuffer()
          const what = `${method} ${address} ${answer.status}`
          assert.equal(answer.headers.get('content-security-policy'), declaredFor(address), what)
          assert.match(answer.headers.get('location') ?? './', /^\.\//, what)
        }
  })

  it('are allowed what the extension accepts, and known WebAssembly', () => {
    for (const [kind, { 'content-security-policy': policy = '' }] of Object.entries(list.headers))
      assert.deepEqual(faultsOf(policy), [], kind)
    assert.ok(list.wasm.length >= 3 && list.wasm.every((digest) => /^[\w-]{43}$/.test(digest)))
    for (const more of [
      "script-src 'unsafe-inline'",
      'script-src blob:',
      'script-src https:',
      "script-src-elem 'self'",
      "style-src-attr 'unsafe-inline'",
      "object-src 'self'",
      'frame-src blob:',
      "style-src 'nonce-x'",
      "sandbox, default-src 'self'",
      'report-uri /x',
    ])
      assert.equal(faultsOf(`default-src 'none'; ${more}`).length, 1, more)
    for (const policy of ['', "default-src 'self'", "default-src 'none'; img-src 'self'; img-src 'none'"])
      assert.equal(faultsOf(policy).length, 1, policy)
  })
})
