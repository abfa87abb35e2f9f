/** A malicious server wants a passkey's key, another account in its place, or a proof that is valid elsewhere. */
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { changeBody, flipInBase64, isRequest } from '../../../testing/maliciousServer.ts'
import { AccountError, type AccountFault } from './account/accountError.ts'
import { PasswordWrong } from './account/passwordWrong.ts'
import { registerOwner } from './account.ts'
import { AddressError } from './http/errors.ts'
import type { Owner } from './owner.ts'
import { logInWithPasskey, PASSKEY_INPUT } from './passkey.ts'
import { hasCode } from './testing/expectations.ts'
import { HONEST, MALICIOUS, serverInfoWith, startTwoServers } from './testing/twoServers.ts'

const { honest, malicious, environment } = await startTwoServers()
const PASSWORD = 'one password for everything'
const atList = isRequest('GET', /^\/v1\/passkeys$/)
const atLogin = isRequest('POST', /^\/v1\/auth\/passkey\/login$/)
const hasReason = (reason: AccountFault) => (error: unknown) => error instanceof AccountError && error.reason === reason

/** A browser evaluates for whatever page of the host asks it: the same for two servers. */
const output = new Uint8Array(createHmac('sha256', randomBytes(32)).update(PASSKEY_INPUT).digest())

interface Person {
  readonly owner: Owner
  readonly userHandle: Uint8Array
}

async function newPerson(name: string): Promise<Person> {
  const signIn = { baseUrl: HONEST, email: `${name}@example.org`, password: PASSWORD, environment }
  const owner = await registerOwner(signIn)
  const { userHandle, add } = await owner.preparePasskey({ password: PASSWORD })
  await add({ credentialId: randomBytes(16), output, name: `of ${name}` })
  return { owner, userHandle }
}

async function signIn({ userHandle }: Pick<Person, 'userHandle'>, baseUrl = HONEST, kept: string[] = []) {
  const onTokens = ({ accessToken }: { readonly accessToken: string }) => void kept.push(accessToken)
  return logInWithPasskey({ baseUrl, userHandle, output, environment, onTokens })
}

type Row = Record<string, unknown>

const changedList = (change: (rows: Row[]) => Row[]) => ({
  matches: atList,
  answer: changeBody((body) => {
    assert.ok(Array.isArray(body.passkeys))
    body.passkeys = change(body.passkeys)
  }),
})

let ada: Person
let bob: Person
before(async () => {
  ada = await newPerson('ada')
  bob = await newPerson('bob')
})

/** What the server has of the account’s passkey. */
async function rowOf({ owner }: Person): Promise<Row> {
  const headers = { Authorization: `Bearer ${owner.tokens().accessToken}` }
  const answer = await fetch(`${honest.url}/v1/passkeys`, { headers })
  return (await answer.json()).passkeys[0]
}

describe('a sign-in with a passkey', () => {
  it('opens no sealed key of another account or passkey, no altered and no missing one, and ends its session', async () => {
    const ofBob = await rowOf(bob)
    const answers: readonly ((rows: Row[]) => Row[])[] = [
      (rows) => rows.map((row) => ({ ...row, sealed_passkey_key: ofBob.sealed_passkey_key })),
      (rows) => rows.map((row) => ({ ...ofBob, passkey_id: row.passkey_id })),
      (rows) => rows.map((row) => ({ ...row, sealed_passkey_key: flipInBase64(row.sealed_passkey_key, 60) })),
      (rows) => rows.map((row) => ({ ...row, sealed_passkey_key: toBase64(randomBytes(1200)) })),
      () => [ofBob],
      () => [],
    ]
    for (const change of answers) {
      honest.tamper(changedList(change))
      const kept: string[] = []
      await assert.rejects(signIn(ada, HONEST, kept), hasReason('passkey_key_unreadable'))
      const headers = { Authorization: `Bearer ${kept[0]}` }
      assert.equal((await fetch(`${honest.url}/v1/quota`, { headers })).status, 401)
    }
    honest.tamper()
    assert.deepEqual((await signIn(ada)).accountKey, ada.owner.accountKey)
  })

  it('is refused when the server gives the account another id, or names another address', async () => {
    honest.tamper({
      matches: atLogin,
      answer: changeBody((body) => {
        body.account_id = bob.owner.accountId
      }),
    })
    await assert.rejects(signIn(ada), hasReason('account_id_differs'))
    honest.tamper({
      matches: isRequest('GET', /^\/v1\/account$/),
      answer: changeBody((body) => {
        body.email = 'bob@example.org'
      }),
    })
    await assert.rejects(signIn(ada), hasReason('email_differs'))
  })

  it('gives another server of the same host a proof that is worth nothing at this one', async () => {
    malicious.tamper(serverInfoWith({ server_id: MALICIOUS }))
    await assert.rejects(signIn(ada, MALICIOUS), hasCode('error.auth.proof_invalid'))
    malicious.tamper(serverInfoWith({ server_id: HONEST }))
    const asked = malicious.seen.length
    await assert.rejects(signIn(ada, MALICIOUS), AddressError)
    assert.ok(malicious.seen.slice(asked).every(({ method }) => method === 'GET'))
  })

  it('sends neither what the authenticator gave nor a key', async () => {
    const sent: string[] = []
    const recording: typeof fetch = (input, init) => {
      sent.push(`${String(input)} ${JSON.stringify(init)}`)
      return environment.fetch(input, init)
    }
    const { accountKey } = await logInWithPasskey({
      ...{ baseUrl: HONEST, output, userHandle: ada.userHandle },
      environment: { ...environment, fetch: recording },
    })
    assert.ok(sent.some((request) => request.includes('proof')))
    for (const hidden of [output, accountKey])
      for (const request of sent)
        for (const spelled of [toBase64(hidden), Buffer.from(hidden).toString('hex')])
          assert.ok(!request.includes(spelled))
  })
})

describe('the password before a new passkey', () => {
  const account = isRequest('GET', /^\/v1\/account$/)

  it('is not called wrong when the server takes it and gives another sealed key, and no session is left', async () => {
    const before = await ada.owner.sessions()
    for (const changed of [(key: unknown) => flipInBase64(key, 60), () => toBase64(randomBytes(100))]) {
      const change = changeBody((body) => {
        body.sealed_account_key = changed(body.sealed_account_key)
      })
      honest.tamper({ matches: account, answer: change })
      await assert.rejects(ada.owner.preparePasskey({ password: PASSWORD }), hasReason('account_key_unreadable'))
      await assert.rejects(ada.owner.preparePasskey({ password: 'another one' }), PasswordWrong)
    }
    honest.tamper()
    const idsOf = (sessions: typeof before) => sessions.map(({ sessionId }) => sessionId)
    assert.deepEqual(idsOf(await ada.owner.sessions()), idsOf(before))
  })
})

describe('the list of passkeys', () => {
  it('shows no passkey under the name of another one, and says of an invented one that its name does not open', async () => {
    const ofBob = await rowOf(bob)
    const invented = { ...ofBob, passkey_id: crypto.randomUUID() }
    honest.tamper(changedList((rows) => [...rows.map((row) => ({ ...row, sealed_name: ofBob.sealed_name })), invented]))
    const listed = await ada.owner.passkeys()
    assert.equal(listed.length, 2)
    for (const { name, nameFault } of listed) assert.deepEqual([name, typeof nameFault], [undefined, 'string'])
  })

  it('cannot weaken a new passkey: what it seals does not depend on the list', async () => {
    const invented = {
      passkey_id: crypto.randomUUID(),
      credential_id: toBase64(randomBytes(1023)),
      sealed_passkey_key: toBase64(randomBytes(1200)),
      created_at: '2026-03-01T10:20:30.456Z',
    }
    honest.tamper(changedList(() => [invented]))
    const other = await ada.owner.preparePasskey({ password: PASSWORD })
    assert.equal(other.present.length, 1)
    await other.add({ credentialId: randomBytes(16), output })
    honest.tamper()
    assert.deepEqual((await signIn(other)).accountKey, ada.owner.accountKey)
  })
})
