/** Limits per source. The server trusts the test as its proxy, so that the test can use any source address. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Reply } from './call.ts'
import { clientFrom } from './client.ts'
import { answerOf, atOnce, expectAnswer, tally } from './expect.ts'
import { newKey } from './proving.ts'
import { finish, finishBody, newRecoverable } from './recovering.ts'
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
  sendDeclaration,
  sessionOf,
  signUp,
  stateOf,
} from './world.ts'

const MAX_LOGIN_ATTEMPTS = 10
const MAX_PASSPHRASE_ATTEMPTS = 10
/** One guest of a link opens most of them. */
const MAX_SESSIONS_OF_SOURCE = 20
const MAX_SESSIONS_OF_LINK = 80
const OPEN_SESSIONS_OF_GUEST = 16
const FILE = Buffer.from('a small file')
const LIMITED = {
  TRUST_PROXY: '127.0.0.1',
  REGISTRATION: 'open',
  SOURCE_SESSIONS_PER_WINDOW: String(MAX_SESSIONS_OF_SOURCE),
  LINK_SESSIONS_PER_WINDOW: String(MAX_SESSIONS_OF_LINK),
}

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
  const server = await ownServer(LIMITED)
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
})

// Covers: Limits, passphrase; Creating a drop; Limits, drop link
describe('one guest of a link', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const server = await ownServer(LIMITED)
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
