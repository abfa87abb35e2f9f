/**
 * What WEBCAT asks of a site, so that a browser's extension can enforce its pages (decisions/pages.md): every file is
 * that of the list or the one fallback, every answer has the declared policy of its path, and no policy allows more
 * than the extension accepts. `pages.json` has what its manifest would declare.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
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

describe('the pages, by the rules of WEBCAT', () => {
  it('are the listed files, or at every other page’s address the one fallback', async () => {
    for (const [path, file] of list.routes.filter(([, each]) => each !== null)) {
      const folder = file?.endsWith('*') === true ? file.slice(0, -1) : undefined
      const names =
        folder === undefined ? [file ?? ''] : Object.keys(list.files).filter((each) => each.startsWith(folder))
      for (const name of names) {
        const address = path.replace('*', folder === undefined ? 'any' : name.slice(folder.length))
        const answer = await fetch(`${server.url}${address}`)
        const digest = createHash('sha256')
          .update(new Uint8Array(await answer.arrayBuffer()))
          .digest('hex')
        assert.equal(digest, list.files[name]?.[0], address)
        const isFile = list.files[address.slice(1) || 'index.html'] !== undefined || address.endsWith('/')
        assert.ok(isFile || name === FALLBACK, address)
      }
    }
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

  it('are allowed scripts, styles, workers and frames of their own origin, by hash, or as a blob, and known WebAssembly', () => {
    for (const [kind, { 'content-security-policy': policy = '' }] of Object.entries(list.headers)) {
      const sources = Object.fromEntries(
        policy.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1)]),
      )
      assert.deepEqual(sources['default-src'], ["'none'"], kind)
      for (const name of ['script-src', 'style-src', 'worker-src', 'frame-src', 'connect-src'])
        for (const source of sources[name] ?? [])
          assert.match(source, /^(?:'(?:none|self|sha256-[\w+/=]+|wasm-unsafe-eval)'|blob:)$/, `${kind} ${name}`)
    }
    assert.ok(list.wasm.length >= 3 && list.wasm.every((digest) => /^[\w-]{43}$/.test(digest)))
  })
})
