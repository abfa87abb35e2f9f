/** The filter for fail2ban, on lines that a real server writes. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { provedBody } from '../testing/proving.ts'
import { startServer } from '../testing/startServer.ts'
import { isInstalled } from './installed.ts'

const FILTER = fileURLToPath(new URL('fail2ban/filter.conf', import.meta.url))
const ADDRESSES = ['198.51.100.7', '2001:db8::7'] as const
/** What fail2ban puts in the place of <ADDR>, in the words of JavaScript. */
const ADDR = '(?<address>[0-9A-Fa-f:.]+)'

let lines: readonly string[]
before(async () => {
  const server = await startServer({ env: { TRUST_PROXY: '127.0.0.1' } })
  try {
    for (const address of ADDRESSES) {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address }
      const body = JSON.stringify(
        await provedBody(server.url, '/v1/auth/login', { members: { email: 'nobody@example.org' } }),
      )
      assert.equal((await fetch(`${server.url}/v1/auth/login`, { method: 'POST', headers, body })).status, 401)
      assert.equal((await fetch(`${server.url}/v1/auth/kdf`, { method: 'POST', headers, body: '{}' })).status, 422)
      assert.equal((await fetch(`${server.url}/v1/drops`, { headers })).status, 401)
    }
    const logged = () => server.log().split('\n').filter(isAnswer)
    while (logged().length < 3 * ADDRESSES.length) await wait(5)
    lines = logged()
  } finally {
    await server.stop()
  }
})

describe('the filter for fail2ban', () => {
  it('finds the address of each refused sign-in, and no other line', () => {
    const [, found = ''] = /^failregex = (.*)$/m.exec(readFileSync(FILTER, 'utf8')) ?? []
    const regex = new RegExp(found.replace('<ADDR>', ADDR))
    const addresses = lines.flatMap((line) => regex.exec(line)?.groups?.address ?? [])
    assert.deepEqual(addresses.map(shortened), ADDRESSES)
  })

  it('is understood by fail2ban, with the time of each line', (t) => {
    if (!isInstalled('fail2ban-regex', t)) return
    const directory = mkdtempSync(join(tmpdir(), 'blindkeep-fail2ban-'))
    after(() => rmSync(directory, { recursive: true, force: true }))
    writeFileSync(join(directory, 'log'), `${lines.join('\n')}\n`)
    const said = execFileSync('fail2ban-regex', ['--verbose', join(directory, 'log'), FILTER], { encoding: 'utf8' })
    assert.match(said, new RegExp(`Lines: ${lines.length} lines, 0 ignored, ${ADDRESSES.length} matched`))
    const hits = [...said.matchAll(/^\|\s+([\d.]+|[\da-f]+:[\da-f:]+) {2}(.*)$/gm)]
    assert.deepEqual(
      hits.map(([, address = '']) => shortened(address)),
      ADDRESSES,
    )
    for (const [, , time = ''] of hits) assert.ok(Math.abs(Date.parse(time) - Date.now()) < 600_000, said)
  })
})

function isAnswer(line: string): boolean {
  return line.includes('"msg":"answered"') && /"status":4/.test(line)
}

/** IPv6 addresses have more than one spelling. */
function shortened(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}
