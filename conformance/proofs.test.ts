/** Proofs, which requests carry in place of secrets. A request may sign nothing but itself, here, and now. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Call, json, type Reply } from './call.ts'
import { clientFrom } from './client.ts'
import { answerOf, expectAnswer, fingerprint } from './expect.ts'
import { answerTo, MATRIX } from './matrix.ts'
import { personFrom, prepare } from './matrixCalls.ts'
import { newPasskey, sendPasskey } from './passkeying.ts'
import {
  type Key,
  messageOf,
  newKey,
  newNonce,
  type Parts,
  type Proof,
  partsOf,
  proofOf,
  proved,
  sendProved,
} from './proving.ts'
import { changeWords, finish, finishBody, newRecoverable, wordsBody } from './recovering.ts'
import { connect, FEW_TRIES, NAMED, NEEDS_OWN_CLOCK, NEEDS_OWN_SERVER, newServer, ownServer } from './server.ts'
import { forgedSignature, isForgedFor, WEAK_KEYS, withLargerS } from './weakKeys.ts'
import {
  base64,
  type Credentials,
  changeKey,
  logIn,
  newCredentials,
  newEmail,
  type Owner,
  register,
  signUp,
  type Tokens,
} from './world.ts'

const NONCE_LIFE_MS = 5 * 60_000
const MAX_WRONG_OF_SOURCE = Number(FEW_TRIES.LOGIN_TRIES_PER_WINDOW)
const INVALID = '401 auth.proof_invalid'
/** In the order of the matrix: what changes or deletes the account comes last. */
const PROVING = [
  'POST /v1/auth/register',
  'POST /v1/auth/login',
  'POST /v1/auth/passkey/login',
  'POST /v1/auth/recover/finish',
  'POST /v1/passkeys',
  'POST /v1/auth/totp/disable',
  'POST /v1/auth/totp/enroll',
  'POST /v1/auth/totp/backup-codes',
  'POST /v1/auth/recovery-words',
  'POST /v1/auth/recovery-words/confirm',
  'POST /v1/auth/password',
  'DELETE /v1/account',
]

const server = await connect()
const LOGIN = { method: 'POST', path: '/v1/auth/login' }
const sendLogin = (body: object): Promise<Reply> => server.send({ ...LOGIN, json: body })
const loginParts = ({ email }: Credentials) => partsOf(server, { ...LOGIN, json: { email } })

/** A login of the owner whose proof has these members. */
async function expectRefused(owner: Owner, over: Partial<Proof>, answer = INVALID, what?: string): Promise<void> {
  const proof = { ...proofOf(owner.key, await loginParts(owner)), ...over }
  expectAnswer(await sendLogin({ email: owner.email, proof }), answer, what)
}

interface Asked {
  readonly call: Call & { readonly json: { readonly proof: Proof } }
  readonly key: Key
  readonly parts: Parts
}

/** A request that an operation grants, and what its proof signs. */
async function askedOf(name: string, person: Awaited<ReturnType<typeof personFrom>>): Promise<Asked> {
  const { call, provedBy, token = person.owner.token } = await prepare(name, person)
  assert.ok(provedBy !== undefined, `matrixCalls.ts proves nothing for ${name}`)
  const { proof, ...members } = call.json as { readonly proof: Proof }
  const { method, path } = call
  const parts = await partsOf(person.owner.client, { method, path, json: members })
  return { call: { ...call, token, json: { ...members, proof } }, key: provedBy, parts }
}

/** Everything that can be signed in place of a request, one part changed in each. */
async function otherParts(parts: Parts): Promise<readonly (Partial<Parts> & { readonly what: string })[]> {
  const members = Object.entries(parts.members).filter(([, value]) => value !== undefined && value !== null)
  const without = (name: string) => Object.fromEntries(members.filter(([each]) => each !== name))
  const [[first, value] = ['', ''], [second, other] = ['', '']] = members
  return [
    ...['service/proof/2', 'service/proof', ''].map((label) => ({ what: 'label', label })),
    { what: 'method', method: parts.method === 'POST' ? 'DELETE' : 'POST' },
    ...PROVING.map((name) => name.split(' ')[1] ?? '')
      .filter((path) => path !== parts.path)
      .map((path) => ({ what: `operation ${path}`, path })),
    { what: 'base path', path: `/below${parts.path}` },
    ...['https://other.example', `${parts.serverId}/`, parts.serverId.toUpperCase(), ''].map((serverId) => ({
      what: `server ${serverId}`,
      serverId,
    })),
    { what: 'nonce', nonce: await newNonce(server) },
    ...members.flatMap(([name]) => [
      { what: `another ${name}`, members: { ...parts.members, [name]: base64(32) } },
      { what: `no ${name}`, members: without(name) },
      {
        what: `${name} by another name`,
        members: { ...without(name), [`${name}_`]: Reflect.get(parts.members, name) },
      },
    ]),
    { what: 'one member more', members: { ...parts.members, more: 'x' } },
    ...(members.length < 2
      ? []
      : [{ what: 'exchanged', members: { ...parts.members, [first]: other, [second]: value } }]),
  ]
}

/** Proofs that are not of this key, this nonce and this message, one member changed in each. */
function otherProofs({ key, nonce, signature }: Proof): readonly (Proof & { readonly what: string })[] {
  const flipped = (text: string, at: number) => {
    const bytes = Buffer.from(text, 'base64')
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes.toString('base64')
  }
  return [
    { what: 'another key', key: newKey().shown, nonce, signature },
    { what: 'no point of the curve', key: Buffer.alloc(32, 2).toString('base64'), nonce, signature },
    { what: 'signature of zeros', key, nonce, signature: Buffer.alloc(64).toString('base64') },
    { what: 'larger S', key, nonce, signature: withLargerS(signature) },
    ...[0, 31, 32, 63].map((at) => ({ what: `signature at ${at}`, key, nonce, signature: flipped(signature, at) })),
    ...[0, 7, 8, 23, 24, 55].map((at) => ({ what: `nonce at ${at}`, key, nonce: flipped(nonce, at), signature })),
  ]
}

// Covers: Accounts and sessions; Requests
describe('a proof', () => {
  it('is required by exactly the operations that need one', () => {
    const { operations } = server.document
    assert.deepEqual(operations.flatMap(({ proves, name }) => (proves ? [name] : [])).toSorted(), PROVING.toSorted())
  })

  it('is refused by each operation when one part of what it signs, or one of its members, is another', async () => {
    const person = await personFrom(await signUp(server))
    for (const name of PROVING) {
      const { call, key, parts } = await askedOf(name, person)
      const wrong = [
        ...(await otherParts(parts)).map(({ what, ...over }) => ({
          what,
          proof: { ...proofOf(key, { ...parts, ...over }), nonce: parts.nonce },
        })),
        ...otherProofs(proofOf(key, parts)).map(({ what, ...proof }) => ({ what, proof })),
      ]
      for (const { what, proof } of wrong)
        expectAnswer(await server.send({ ...call, json: { ...call.json, proof } }), INVALID, `${name}: ${what}`)
      const entry = MATRIX[name] ?? assert.fail(name)
      expectAnswer(await server.send(call), answerTo('owner', entry), name)
    }
  })

  it('signs the members as they are, not how the JSON spells them', async () => {
    const { email, key } = newCredentials(server)
    const members = { email: ` ${email.toUpperCase()}`, kdf_version: 1, salt: base64(16) }
    const call = { method: 'POST', path: '/v1/auth/register' }
    const { proof } = (await proved(server, key, { ...call, json: members })).json as { readonly proof: Proof }
    const escaped = members.email.replace(/[A-F]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
    const rest = `"email":"${escaped}","salt":${JSON.stringify(members.salt)}`
    const bodies = ['1', '1.0', '1e0'].map(
      (one) => `\n{ "proof":${JSON.stringify(proof)} , ${rest},"invite":null,"kdf_version" : ${one} } `,
    )
    for (const body of bodies)
      expectAnswer(await server.send({ ...call, body, headers: { 'content-type': 'application/json' } }), '201', body)
  })

  it('is good for repeats of its request, also when the answer was lost', async () => {
    const { email, key } = newCredentials(server)
    const call = await proved(server, key, { method: 'POST', path: '/v1/auth/register', json: { email } })
    const [first, second] = [await server.send(call), await server.send(call)]
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.equal(json<Tokens>(first).account_id, json<Tokens>(second).account_id)
  })

  it('of the own key does not serve beside a token of another account, and counts as an attempt', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const attempt = () => changeKey({ ...other, key: owner.key }, newKey())
    expectAnswer(await attempt(), '401 auth.invalid_credentials')
    const answers: string[] = []
    while (answers.length < 110 && !answers.includes('429 auth.rate_limited')) answers.push(answerOf(await attempt()))
    expectAnswer(await logIn(other), '429 auth.rate_limited')
    expectAnswer(await changeWords(other, wordsBody(newKey())), '429 auth.rate_limited')
    expectAnswer(await logIn(owner), '200')
  })

  it('that is not valid is answered the same with a known and an unknown e-mail, a right and a wrong key', async () => {
    const { owner, words } = await newRecoverable(server)
    const replies: Reply[] = []
    for (const email of [owner.email, newEmail()])
      for (const key of [owner.key, words, newKey()]) {
        const parts = await partsOf(server, { ...LOGIN, json: { email } })
        const proof = proofOf(key, { ...parts, serverId: 'https://other.example' })
        replies.push(await sendLogin({ email, proof }))
        const body = { email, sign_in_key: newKey().shown, proof }
        replies.push(await server.send({ method: 'POST', path: '/v1/auth/recover/finish', json: body }))
      }
    for (const reply of replies) expectAnswer(reply, INVALID)
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
  })

  it('has members of one form each: 400 to another one, 422 to a missing one', async () => {
    const owner = await signUp(server)
    const faults = [
      { key: base64(31) },
      { key: base64(33) },
      { key: '!' },
      { signature: base64(63) },
      { signature: base64(65) },
      { nonce: '' },
      { nonce: 'é' },
      { nonce: base64(97) },
      { unknown: 'x' },
    ]
    for (const over of faults) await expectRefused(owner, over, '400 request.malformed', JSON.stringify(over))
    const proof = proofOf(owner.key, await loginParts(owner))
    for (const name of ['key', 'nonce', 'signature'])
      expectAnswer(
        await sendLogin({ email: owner.email, proof: { ...proof, [name]: undefined } }),
        '422 request.unprocessable',
        name,
      )
    for (const other of ['x', [], null])
      expectAnswer(await sendLogin({ email: owner.email, proof: other }), '422 request.unprocessable')
  })
})

// Covers: Accounts and sessions
describe('a key of small order', () => {
  it('proves nothing, however it is spelled, with a signature that is right for it', async () => {
    let forged = 0
    for (const key of WEAK_KEYS) {
      const nonce = await newNonce(server)
      // The forged signature is right for one message in eight.
      for (let tries = 0; tries < 400; tries += 1) {
        const email = newEmail()
        const call = { method: 'POST', path: '/v1/auth/register' }
        const parts = { label: 'service/proof/1', ...call, serverId: server.serverId, nonce, members: { email } }
        if (!isForgedFor(key, messageOf(parts))) continue
        const proof = { key: key.toString('base64'), nonce, signature: forgedSignature() }
        expectAnswer(await server.send({ ...call, json: { email, proof } }), INVALID, key.toString('hex'))
        forged += 1
        break
      }
    }
    assert.equal(forged, WEAK_KEYS.length, 'with every key, a signature was forged')
  })

  it('is not kept as a key of an account', async () => {
    const { owner, words } = await newRecoverable(server)
    for (const key of WEAK_KEYS) {
      const weak = key.toString('base64')
      const replies = [
        await register(newCredentials(server), { recovery_key: weak }),
        await finish(server, finishBody(owner.email, { sign_in_key: weak }), words),
        await changeKey(owner, { ...newKey(), shown: weak }),
        await sendPasskey(owner, newPasskey({ passkey_key: weak }).body),
      ]
      for (const { status } of replies) assert.equal(status, 400, key.toString('hex'))
    }
    expectAnswer(await logIn(owner), '200')
  })
})

// Covers: Accounts and sessions
describe('a nonce', () => {
  it('is another one each time, good for five minutes, and uncached', async () => {
    const before = Date.now()
    const replies = await Promise.all([1, 2].map(() => server.send({ method: 'POST', path: '/v1/auth/nonce' })))
    const given = replies.map((reply) => json<{ nonce: string; expires_at: string }>(reply))
    assert.notEqual(given[0]?.nonce, given[1]?.nonce)
    for (const { expires_at } of given)
      assert.ok(Math.abs(Date.parse(expires_at) - before - NONCE_LIFE_MS) < 60_000, expires_at)
    for (const { headers } of replies) assert.equal(headers['cache-control'], 'no-store')
  })

  it('is refused when this server did not give it', async () => {
    const owner = await signUp(server)
    const good = await newNonce(server)
    const bytes = Buffer.from(good, 'base64')
    const later = Buffer.from(bytes)
    later[5] = (later[5] ?? 0) + 1
    const nonces = [
      base64(bytes.length),
      later.toString('base64'),
      Buffer.concat([bytes, randomBytes(3)]).toString('base64'),
      bytes.subarray(0, -1).toString('base64'),
      Buffer.alloc(bytes.length, 0xff).toString('base64'),
      'AAAA',
    ]
    for (const nonce of nonces) {
      const proof = proofOf(owner.key, { ...(await loginParts(owner)), nonce })
      expectAnswer(await sendLogin({ email: owner.email, proof }), INVALID, nonce)
    }
    const proof = proofOf(owner.key, { ...(await loginParts(owner)), nonce: good })
    expectAnswer(await sendLogin({ email: owner.email, proof }), '200')
  })

  it('of another server is refused', { skip: NEEDS_OWN_SERVER }, async () => {
    const owner = await signUp(server)
    const nonce = await newNonce(await ownServer(FEW_TRIES))
    const proof = proofOf(owner.key, { ...(await loginParts(owner)), nonce })
    expectAnswer(await sendLogin({ email: owner.email, proof }), INVALID)
  })

  it('is over after five minutes, and not good before its time', { skip: NEEDS_OWN_CLOCK }, async () => {
    const { client, restart } = await newServer()
    const owner = await signUp(client)
    const call = { ...LOGIN, json: { email: owner.email } }
    const early = await proved(client, owner.key, call)
    const ahead = async (seconds: number) => {
      const code = `const real = Date.now; Date.now = () => real() + ${seconds * 1000}`
      return restart({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` })
    }
    const soon = await ahead(240)
    expectAnswer(await soon.send(early), '200')
    const late = await ahead(310)
    expectAnswer(await late.send(early), INVALID)
    const fromLater = await proved(late, owner.key, call)
    expectAnswer(await late.send(fromLater), '200')
    expectAnswer(await (await ahead(0)).send(fromLater), INVALID, 'the clock was set back')
  })
})

// Covers: Accounts and sessions
describe('a proof that is not valid', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const own = await ownServer(FEW_TRIES)

  it('does not count as an attempt, so that a stranger does not lock an account', async () => {
    const client = clientFrom(own, '203.0.113.1')
    const owner = await signUp(client)
    const call = { ...LOGIN, json: { email: owner.email } }
    const { json: body } = await proved(client, owner.key, call)
    const { proof } = body as { readonly proof: Proof }
    const invalid = { ...call, json: { ...call.json, proof: { ...proof, key: newKey().shown } } }
    for (let count = 0; count < 2 * MAX_WRONG_OF_SOURCE; count += 1) expectAnswer(await client.send(invalid), INVALID)
    expectAnswer(await sendProved(client, owner.key, call), '200')
  })

  it('names another server than the one that reads it: the Host of the request does not matter', async () => {
    const behind = await ownServer(NAMED)
    const who = newCredentials(behind)
    assert.equal(behind.serverId, 'https://keep.example')
    for (const serverId of [behind.base, new URL(behind.base).origin, 'https://keep.example/below'])
      expectAnswer(await register({ ...who, client: { ...behind, serverId } }), INVALID, serverId)
    expectAnswer(await register(who), '201')
  })
})
