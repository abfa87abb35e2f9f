/**
 * No setting changes a page: its bytes and headers are those of the release at every server. Other values come from the
 * table of settings, so a new one is tried without a line here.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { freePort, type RunningServer, startServer } from '../../../testing/startServer.ts'
import type { Setting } from '../../server/src/config/setting.ts'
import { SETTINGS } from '../../server/src/config/settings.ts'

/** Where the test asks, and what the pages are. */
const OWN: readonly string[] = ['HOST', 'PORT', 'PAGES_DIR']
const CODINGS = ['br', 'gzip', 'identity']

/**
 * Texts that the setting takes, other than its default: of one that takes certain words those, otherwise one that may
 * stand for a file, a host, a port or another number, a day, an address and so on.
 */
function otherTexts({ name, parse, shown }: Setting<unknown>, port: number): readonly string[] {
  const fault = parse('')
  const words = 'fault' in fault ? /^must be one of (.*)$/.exec(fault.fault)?.[1]?.split(', ') : undefined
  const texts = [
    `another_${name.toLowerCase()}`,
    'localhost',
    String(port),
    '2',
    '2026-02-02',
    'https://other.example/keep',
    // Those who ask here are among them.
    '127.0.0.0/8',
    'sqlite:other.sqlite',
    'file:other-blobs',
    'webhook,ntfy,email',
    'smtps://mail.example',
    'keeper@other.example',
    Buffer.alloc(32, 7).toString('base64'),
  ]
  const taken = (words ?? texts).filter((text) => text !== shown && 'value' in parse(text))
  return words === undefined ? taken.slice(0, 1) : taken
}

async function otherSettings(round: number): Promise<Readonly<Record<string, string>>> {
  const port = await freePort()
  const rows: readonly Setting<unknown>[] = Object.values(SETTINGS).filter(({ name }) => !OWN.includes(name))
  return Object.fromEntries(
    rows.map((row) => {
      const texts = otherTexts(row, port)
      const text = texts[round % texts.length]
      assert.ok(text !== undefined, `no other value of ${row.name} is known here: add one to the list`)
      return [row.name, text]
    }),
  )
}

/** As proxies say where a request came from. It counts only if they are trusted. */
const FORWARDED = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'forwarded.example',
  forwarded: 'for=203.0.113.9;proto=https;host=forwarded.example',
}

/** Of each page: its status, headers and bytes in each coding. Only what names the request and the time is left out. */
async function pagesOf({ port }: RunningServer): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const { files }: { readonly files: object } = JSON.parse(
    await readFile(new URL('../dist/pages.json', import.meta.url), 'utf8'),
  )
  const names = Object.keys(files).filter((name) => !name.endsWith('index.html'))
  const paths = ['/', '/u/any', '/v/any', '/preview/', '/none', '/U/any/', ...names.map((name) => `/${name}`)]
  const pages: Record<string, readonly unknown[]> = {}
  for (const path of paths)
    for (const coding of CODINGS) {
      const headers = { ...FORWARDED, host: `localhost:${port}`, 'accept-encoding': coding, accept: 'text/html' }
      const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }).end()
      const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>()
      sent.once('error', reject).once('response', (answer) => {
        const { date: _, 'x-request-id': __, ...others } = answer.headers
        buffer(answer).then((bytes) => {
          resolve([answer.statusCode, others, createHash('sha256').update(bytes).digest('hex')])
        }, reject)
      })
      pages[`${path} ${coding}`] = await promise
    }
  return pages
}

describe('the pages', () => {
  it('are the same bytes with the same headers, whatever the settings are', async (t) => {
    const usual = await startServer()
    t.after(() => usual.stop())
    const expected = await pagesOf(usual)
    for (const [page, [status]] of Object.entries(expected))
      assert.equal(status, page.startsWith('/none ') ? 404 : page.startsWith('/U/any/ ') ? 302 : 200, page)
    for (const round of [0, 1, 2]) {
      const { FIRST_START, ...settings } = await otherSettings(round)
      assert.ok(FIRST_START !== undefined)
      const other = await startServer({ env: settings })
      t.after(() => other.stop())
      // It may refuse a server that has no data yet.
      await other.restart({ FIRST_START })
      assert.deepEqual(await pagesOf(other), expected, JSON.stringify(settings))
    }
  })
})
