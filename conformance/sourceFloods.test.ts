/** Limits that take thousands of requests of one source. Nodes count them as those of limits.test.ts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientFrom } from './client.ts'
import { answerOf, atOnce, expectAnswer, tally } from './expect.ts'
import { newKey } from './proving.ts'
import { confirmWords, finish, finishBody } from './recovering.ts'
import { FEW_TRIES, NEEDS_OWN_SERVER, ownServer } from './server.ts'
import { logIn, newCredentials, register, signUp } from './world.ts'

const MAX_ATTEMPTS_OF_SOURCE = 6000
const MAX_NEW_ACCOUNTS_OF_NETWORK = 1000
const AT_A_TIME = 50

// Covers: Accounts and sessions
describe('floods of a source', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const server = await ownServer(FEW_TRIES)
  const at = (address: string) => clientFrom(server, address)

  it('answer 429 to a source after 6,000 attempts on any accounts', async () => {
    const [source, elsewhere] = ['203.0.113.41', at('203.0.113.42')]
    const post = (path: string, json: unknown) =>
      server.send({ method: 'POST', path, json, headers: { 'x-forwarded-for': source } })
    const ask = () => post('/v1/auth/kdf', { email: 'nobody@conformance.example' })
    for (let done = 0; done < MAX_ATTEMPTS_OF_SOURCE; done += AT_A_TIME)
      assert.deepEqual(tally(await atOnce(AT_A_TIME, ask)), { 200: AT_A_TIME })
    const newcomer = newCredentials(at(source))
    const { email } = newcomer
    const replies = [
      await ask(),
      await register(newcomer),
      await logIn(newcomer),
      await post('/v1/auth/recover/start', { email }),
      await finish(at(source), finishBody(email)),
      await confirmWords({ ...(await signUp(elsewhere)), client: at(source) }, newKey()),
    ]
    assert.deepEqual(replies.map(answerOf), Array(replies.length).fill('429 auth.rate_limited'))
    // A refresh token has 256 random bits, so there is no limit that could end an open session.
    expectAnswer(await post('/v1/auth/refresh', { refresh_token: 'x' }), '401 auth.session_expired')
    expectAnswer(await register({ ...newcomer, client: elsewhere }), '201')
  })

  it('may open 1,000 accounts of one network in an hour; then it is answered 429, and another network 201', async () => {
    const [crowded, elsewhere] = [at('198.51.100.7'), at('192.0.2.7')]
    for (let made = 0; made < MAX_NEW_ACCOUNTS_OF_NETWORK; made += AT_A_TIME)
      assert.deepEqual(tally(await atOnce(AT_A_TIME, () => register(newCredentials(crowded)))), { 201: AT_A_TIME })
    expectAnswer(await register(newCredentials(crowded)), '429 auth.rate_limited')
    expectAnswer(await register(newCredentials(elsewhere)), '201')
  })
})
