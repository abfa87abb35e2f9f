/** Limits per source. The server trusts the test as its proxy, so that the test can use any source address. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Reply } from './call.ts'
import { clientFrom } from './client.ts'
import { answerOf, atOnce, expectAnswer, tally } from './expect.ts'
import { newKey } from './proving.ts'
import { confirmWords, finish, finishBody, newRecoverable } from './recovering.ts'
import { NEEDS_OWN_SERVER, ownServer } from './server.ts'
import {
  append,
  base64,
  cancel,
  declaration,
  type Link,
  logIn,
  newCredentials,
  newEmail,
  newLink,
  newOpaqueId,
  register,
  sendDeclaration,
  sessionOf,
  signUp,
  stateOf,
} from './world.ts'

const MAX_LOGIN_ATTEMPTS = 10
const MAX_PASSPHRASE_ATTEMPTS = 10
const MAX_SESSIONS_OF_SOURCE = 3
const MAX_ATTEMPTS_OF_SOURCE = 6000
const MAX_NEW_ACCOUNTS_OF_NETWORK = 1000
const AT_A_TIME = 50
const MAX_SESSIONS_OF_LINK = 80
const OPEN_SESSIONS_OF_GUEST = 16
const FILE = Buffer.from('a small file')

/** Documentation addresses, each used by one test. */
let last = 0
function newAddress(): string {
  last += 1
  return `203.0.113.${last}`
}
const from = (address: string) => ({ 'x-forwarded-for': address })

// Covers: Limits, passphrase; Accounts and sessions; Creating a drop
describe('limits by source', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const server = await ownServer({
    TRUST_PROXY: '127.0.0.1',
    REGISTRATION: 'open',
    SOURCE_SESSIONS_PER_WINDOW: String(MAX_SESSIONS_OF_SOURCE),
  })
  const post = (path: string, json: unknown, address: string) =>
    server.send({ method: 'POST', path, json, headers: from(address) })
  const at = (address: string) => clientFrom(server, address)
  const declare = (link: Link, address: string, over: object = {}): Promise<Reply> =>
    sendDeclaration(link, declaration(FILE, over), from(address))

  it('answer 429 to a source after ten wrong keys for an account, and not to another source', async () => {
    const owner = await signUp(server)
    const [guesser, elsewhere] = [at(newAddress()), at(newAddress())]
    const wrong = await atOnce(MAX_LOGIN_ATTEMPTS, () => logIn({ ...owner, client: guesser, key: newKey() }))
    assert.deepEqual(tally(wrong), { '401 auth.invalid_credentials': MAX_LOGIN_ATTEMPTS })
    expectAnswer(await logIn({ ...owner, client: guesser }), '429 auth.rate_limited')
    expectAnswer(await logIn({ ...owner, client: elsewhere }), '200')
  })

  it('do not count attempts on one account against another account at the same address', async () => {
    const shared = at(newAddress())
    const [victim, neighbour] = [await newRecoverable(server), await newRecoverable(server)]
    for (const email of [victim.owner.email, newEmail()]) {
      await atOnce(2 * MAX_LOGIN_ATTEMPTS, () => logIn({ ...newCredentials(shared), email }))
      await atOnce(2 * MAX_LOGIN_ATTEMPTS, () => finish(shared, finishBody(email)))
    }
    const { owner, words } = neighbour
    expectAnswer(await logIn({ ...owner, client: shared }), '200')
    expectAnswer(await finish(shared, finishBody(owner.email), words), '200')
    expectAnswer(await logIn({ ...victim.owner, client: shared }), '429 auth.rate_limited')
    expectAnswer(await logIn({ ...victim.owner, client: at(newAddress()) }), '200')
  })

  it('count attempts for an unknown e-mail like those for a known one', async () => {
    const stranger = newCredentials(at(newAddress()))
    const tries = MAX_LOGIN_ATTEMPTS + 1
    const answers: string[] = []
    for (let round = 0; round < tries; round += 1) answers.push(answerOf(await logIn(stranger)))
    assert.equal(answers.at(-1), '429 auth.rate_limited')
    assert.ok(answers.slice(0, -1).every((answer) => answer === '401 auth.invalid_credentials'))
  })

  it('answer 429 to a source after ten wrong passphrases for a link, and not to another source', async () => {
    const passphrase_proof = base64(32)
    const link = await newLink(server, { passphrase_verifier: passphrase_proof })
    const [guesser, guest] = [newAddress(), newAddress()]
    // In turn: attempts that are judged at the same time also count against the sessions that the source may open.
    for (let attempt = 0; attempt < MAX_PASSPHRASE_ATTEMPTS; attempt += 1)
      expectAnswer(await declare(link, guesser, { passphrase_proof: base64(32) }), '403 drop.passphrase_required')
    expectAnswer(await declare(link, guesser, { passphrase_proof }), '429 drop.rate_limited')
    expectAnswer(await declare(link, guest, { passphrase_proof }), '201')
  })

  it('answer 429 to more sessions than a source may open over all links, before the link is checked', async () => {
    const [link, other] = [await newLink(server), await newLink(server)]
    const [source, another] = [newAddress(), newAddress()]
    for (let round = 0; round < MAX_SESSIONS_OF_SOURCE; round += 1)
      await cancel(sessionOf(link, FILE, await declare(link, source)))
    for (const target of [link, other, { ...link, opaqueId: newOpaqueId() }])
      expectAnswer(await declare(target, source), '429 drop.rate_limited')
    expectAnswer(await declare(link, another), '201')
  })

  it('answer 429 to a source after 6,000 attempts on any accounts', async () => {
    const source = newAddress()
    const ask = () => post('/v1/auth/kdf', { email: 'nobody@conformance.example' }, source)
    for (let done = 0; done < MAX_ATTEMPTS_OF_SOURCE; done += AT_A_TIME)
      assert.deepEqual(tally(await atOnce(AT_A_TIME, ask)), { 200: AT_A_TIME })
    const newcomer = newCredentials(at(source))
    const { email } = newcomer
    const replies = [
      await ask(),
      await register(newcomer),
      await logIn(newcomer),
      await post('/v1/auth/recover/start', { email }, source),
      await finish(at(source), finishBody(email)),
      await confirmWords({ ...(await signUp(at(newAddress()))), client: at(source) }, newKey()),
    ]
    assert.deepEqual(replies.map(answerOf), Array(replies.length).fill('429 auth.rate_limited'))
    // A refresh token has 256 random bits, so there is no limit that could end an open session.
    expectAnswer(await post('/v1/auth/refresh', { refresh_token: 'x' }, source), '401 auth.session_expired')
    expectAnswer(await register({ ...newcomer, client: at(newAddress()) }), '201')
  })
})

// Covers: Accounts and sessions
describe('new accounts', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const client = await ownServer({ TRUST_PROXY: '127.0.0.1', REGISTRATION: 'open' })

  it('of one network are 1,000 in an hour; then it is answered 429, and another network 201', async () => {
    const [crowded, elsewhere] = [clientFrom(client, '198.51.100.7'), clientFrom(client, '192.0.2.7')]
    for (let made = 0; made < MAX_NEW_ACCOUNTS_OF_NETWORK; made += AT_A_TIME)
      assert.deepEqual(tally(await atOnce(AT_A_TIME, () => register(newCredentials(crowded)))), { 201: AT_A_TIME })
    expectAnswer(await register(newCredentials(crowded)), '429 auth.rate_limited')
    expectAnswer(await register(newCredentials(elsewhere)), '201')
  })
})

// Covers: Limits, passphrase; Creating a drop; Limits, drop link
describe('one guest of a link', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const server = await ownServer({
    TRUST_PROXY: '127.0.0.1',
    REGISTRATION: 'open',
    LINK_SESSIONS_PER_WINDOW: String(MAX_SESSIONS_OF_LINK),
  })
  const declare = (link: Link, address: string, over: object = {}): Promise<Reply> =>
    sendDeclaration(link, declaration(FILE, over), from(address))

  it('holds a quarter of its open sessions; then it is answered 429 with Retry-After, and another guest 201', async () => {
    const link = await newLink(server)
    const [stranger, guest] = [newAddress(), newAddress()]
    const replies = await atOnce(OPEN_SESSIONS_OF_GUEST, () => declare(link, stranger))
    assert.deepEqual(tally(replies), { 201: OPEN_SESSIONS_OF_GUEST })
    for (const reply of replies) expectAnswer(await append(sessionOf(link, FILE, reply), 0, 1), '204')
    const limited = await declare(link, stranger)
    expectAnswer(limited, '429 drop.rate_limited')
    assert.match(String(limited.headers['retry-after']), /^[1-9]\d*$/)
    expectAnswer(await declare(link, guest), '201')
    expectAnswer(await append(sessionOf(link, FILE, replies[0] as Reply), 1), '204')
    expectAnswer(await declare(link, stranger), '201')
  })

  it('gives a place of a full link to a guest who holds fewer; a guest with one session keeps it', async () => {
    const link = await newLink(server)
    const [slow, guest] = [newAddress(), newAddress()]
    const begin = async (address: string) => {
      const session = sessionOf(link, FILE, await declare(link, address))
      expectAnswer(await append(session, 0, 1), '204')
      return session
    }
    const only = await begin(slow)
    const strangers = Array.from({ length: 4 }, newAddress)
    const theirs = []
    for (let count = 0; count < 63; count += 1) theirs.push(await begin(strangers[count % 4] as string))
    expectAnswer(await declare(link, guest), '201')
    const states = await Promise.all(theirs.map(async (session) => (await stateOf(session)).status))
    assert.equal(states.filter((status) => status === 404).length, 1)
    expectAnswer(await append(only, 1), '204')
  })
})
