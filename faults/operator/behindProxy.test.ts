/** The log of a real server behind a proxy: the client's address where it is known, and a hint where it is not. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { provedBody } from '../../testing/proving.ts'
import { type RunningServer, startServer } from '../../testing/startServer.ts'

/** As a proxy on this machine sends it. */
async function signIn({ url }: RunningServer, forwardedFor: string): Promise<number> {
  const answer = await fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': forwardedFor },
    body: JSON.stringify(await provedBody(url, '/v1/auth/login', { members: { email: 'nobody@example.org' } })),
  })
  return answer.status
}

/** What fail2ban reads: docs/operating.md. */
const FAILED =
  /"route":"\/v1\/auth\/(?:login|login\/verify-totp|recover\/start|recover\/finish)","status":(?:401|429),.*"address":"([0-9a-f.:]+)"/g
const failuresIn = (log: string) => [...log.matchAll(FAILED)].map(([, address]) => address)

it('a refused sign-in is logged with the address that a trusted proxy names, and a server that trusts none says so once', async (t) => {
  const server = await startServer({ env: { TRUST_PROXY: '127.0.0.1' } })
  t.after(() => server.stop())
  assert.equal(await signIn(server, '203.0.113.7'), 401)
  assert.equal(await signIn(server, 'forged, 2001:db8::7'), 401)
  await fetch(`${server.url}/v1/version`, { headers: { 'X-Forwarded-For': '203.0.113.9' } })
  await server.terminate()
  assert.deepEqual(failuresIn(server.log()), ['203.0.113.7', '2001:db8:0:0:0:0:0:7'])
  assert.ok(!server.log().includes('203.0.113.9'), 'an answer that refused nothing has no address')
  const before = server.log().length
  await server.restart({ TRUST_PROXY: '', LOG_ADDRESSES: 'all' })
  for (let round = 0; round < 3; round += 1) assert.equal(await signIn(server, '203.0.113.8'), 401)
  await server.terminate()
  const log = server.log().slice(before)
  assert.equal(log.split('a proxy that TRUST_PROXY does not name').length, 2)
  assert.deepEqual(failuresIn(log), [], 'any client could have sent the header')
})
