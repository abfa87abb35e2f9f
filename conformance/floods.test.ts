/** Slow bodies that fill what the server keeps. It trusts the test as a proxy, with any source address. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Sending } from './client.ts'
import { expectAnswer } from './expect.ts'
import { newKey, proved } from './proving.ts'
import { NEEDS_OWN_SERVER, ownProcess } from './server.ts'
import { newEmail, signUp } from './world.ts'

/** The largest JSON body without a bearer token, and how much of them one source may have on their way. */
const MAX_GUEST_JSON_BYTES = 65_536
const MAX_OF_SOURCE = 16
const LOGIN = { method: 'POST', path: '/v1/auth/login' } as const
const from = (address: string) => ({ 'content-type': 'application/json', 'x-forwarded-for': address })
// Covers: Requests
describe('slow JSON bodies', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const server = await ownProcess({ TRUST_PROXY: '127.0.0.1', REGISTRATION: 'open' })
  const { json: wrong } = await proved(server, newKey(), { ...LOGIN, json: { email: newEmail() } })
  const wrongLogin = (spaces: number) => `${' '.repeat(spaces)}${JSON.stringify(wrong)}`

  it('without a bearer token have at most 64 KiB; with one they may have more', async () => {
    const login = (body: string) => server.send({ ...LOGIN, headers: from('203.0.113.1'), body })
    expectAnswer(await login(wrongLogin(MAX_GUEST_JSON_BYTES)), '413')
    expectAnswer(await login(wrongLogin(60_000)), '401 auth.invalid_credentials')
    const { token } = await signUp(server)
    const album = { album_id: '3f0a5a0e-6a86-4a1c-9c6e-0d4c2f5b7a11' }
    const body = `${' '.repeat(900_000)}${JSON.stringify(album)}`
    const headers = { 'content-type': 'application/json' }
    expectAnswer(await server.send({ method: 'POST', path: '/v1/albums', token, headers, body }), '201')
  })

  it('of one source fill only its share: its last is answered 500 request.overloaded with Retry-After, and those that are there go on', async () => {
    const [flooder, neighbour] = ['203.0.113.2', '203.0.113.3']
    const slow: Sending[] = []
    for (let count = 0; count < MAX_OF_SOURCE; count += 1) {
      const sending = server.start({ ...LOGIN, headers: from(flooder) })
      // Enough that the server is patient with it while the others arrive.
      await sending.write(Buffer.alloc(30_000, ' '))
      slow.push(sending)
    }
    // Another connection may be quicker than those before it.
    const large = () => server.send({ ...LOGIN, headers: from(flooder), body: wrongLogin(60_000) })
    let refused = await large()
    for (let tries = 1; refused.status !== 500 && tries < 50; tries += 1) refused = await large()
    expectAnswer(refused, '500 request.overloaded')
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/)
    const small = { ...LOGIN, headers: from(flooder), body: wrongLogin(0) }
    expectAnswer(await server.send(small), '401 auth.invalid_credentials')
    expectAnswer(
      await server.send({ ...LOGIN, headers: from(neighbour), body: wrongLogin(60_000) }),
      '401 auth.invalid_credentials',
    )
    const [first] = slow
    assert.ok(first !== undefined)
    await first.write(Buffer.from(wrongLogin(0)))
    first.end()
    expectAnswer(await first.reply, '401 auth.invalid_credentials')
    for (const sending of slow) sending.cut()
  })
})
