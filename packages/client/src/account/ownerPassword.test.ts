/** Sessions, a new password and account deletion at a real server. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { quickEnvironment as environment, sendFile } from '../../../../testing/people.ts'
import type { Message } from '../../../../testing/tamperingProxy.ts'
import { logIn, registerOwner } from '../account.ts'
import { openLink } from '../guest.ts'
import { mayBeDone } from '../http/lostAnswer.ts'
import type { Owner } from '../owner.ts'
import { hasCode } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { PasswordWrong } from './passwordWrong.ts'

const { proxy } = await sharedServer()

const isOver = hasCode('error.auth.session_expired')

const person = (name: string) => ({
  baseUrl: proxy.url,
  email: `${name}@example.org`,
  password: `a long sentence that only ${name} knows`,
  environment,
})

async function signedIn(signIn: Parameters<typeof logIn>[0]): Promise<Owner> {
  const { owner } = await logIn(signIn)
  assert.ok(owner)
  return owner
}

describe('the sessions of an account', () => {
  it('are listed, and can be ended by another session', async () => {
    const zoe = person('zoe')
    const [first, second] = [await registerOwner(zoe), await signedIn(zoe)]
    const [one, other, ...more] = await first.sessions()
    assert.deepEqual([one?.isCurrent, other?.isCurrent, more], [true, false, []])
    assert.ok(one && other && Date.parse(one.createdAt) <= Date.parse(other.lastUsedAt))
    await first.endSession(other.sessionId)
    await first.endSession(other.sessionId)
    await assert.rejects(second.quota(), isOver)
    assert.deepEqual(
      (await first.sessions()).map(({ sessionId }) => sessionId),
      [one.sessionId],
    )
  })
})

describe('a device of an account', () => {
  it('ends the sessions that are tied to it when it is revoked, and no other', async () => {
    const vera = person('vera')
    const owner = await registerOwner(vera)
    const { deviceId } = await owner.addDevice(undefined, { tie: false })
    const elsewhere = await signedIn({ ...vera, deviceId })
    assert.deepEqual(
      (await owner.sessions()).map((session) => session.deviceId),
      [undefined, deviceId],
    )
    await owner.revokeDevice(deviceId)
    await assert.rejects(elsewhere.quota(), isOver)
    await owner.quota()
  })
})

describe('a password', () => {
  it('is changed only with the current one; the account key stays, and other clients are signed out', async () => {
    const shares: number[] = []
    const halfway: typeof environment.masterOfPassword = (text, salt, { onProgress } = {}) => {
      onProgress?.(0.5)
      return environment.masterOfPassword(text, salt)
    }
    const yves = { ...person('yves'), environment: { ...environment, masterOfPassword: halfway } }
    const [owner, elsewhere] = [await registerOwner(yves), await signedIn(yves)]
    const password = 'another long sentence of his'
    await assert.rejects(owner.changePassword({ present: 'wrong', next: password }), PasswordWrong)
    await elsewhere.quota()
    const onProgress = (share: number) => void shares.push(share)
    await owner.changePassword({ present: yves.password, next: password, onProgress })
    assert.deepEqual(shares, [0.25, 0.75])
    await owner.quota()
    await assert.rejects(elsewhere.quota(), isOver)
    assert.deepEqual((await signedIn({ ...yves, password })).accountKey, owner.accountKey)
  })

  it('is changed once when the answer is lost, and the repeat has a nonce of its own', async () => {
    const nonces = new Set<string>()
    const losing: typeof fetch = async (input, init) => {
      const answer = await environment.fetch(input, init)
      if (!String(input).endsWith('/v1/auth/password')) return answer
      nonces.add(JSON.parse(String(init?.body)).proof.nonce)
      if (nonces.size > 1) return answer
      throw new TypeError('fetch failed')
    }
    const xena = { ...person('xena'), environment: { ...environment, fetch: losing } }
    const owner = await registerOwner(xena)
    const password = 'another long sentence of hers'
    await owner.changePassword({ present: xena.password, next: password })
    assert.equal(nonces.size, 2)
    await signedIn({ ...xena, password })
  })
})

describe('a password whose change was answered by a proxy', () => {
  const atChange = { matches: isRequest('POST', /^\/v1\/auth\/password$/), times: 1 }
  const page = (status: number, code?: string) => () => ({
    headers: { 'content-type': code === undefined ? 'text/html' : 'application/problem+json' },
    body: Buffer.from(code === undefined ? '<h1>Gateway</h1>' : JSON.stringify({ code })),
    status,
  })

  it('is changed although the page of the proxy says that it failed', async () => {
    for (const status of [502, 504]) {
      const una = person(`una${status}`)
      const owner = await registerOwner(una)
      proxy.tamper({ ...atChange, answer: page(status) })
      await owner.changePassword({ present: una.password, next: 'another long sentence of hers' })
      await signedIn({ ...una, password: 'another long sentence of hers' })
    }
  })

  it('may be changed when the repeat comes too soon, which is not told as a refusal', async () => {
    const [uli, next] = [person('uli'), 'another long sentence of his']
    const owner = await registerOwner(uli)
    proxy.tamper({ ...atChange, lose: 'answer' }, { ...atChange, answer: page(429, 'error.auth.rate_limited') })
    const failure = await owner.changePassword({ present: uli.password, next }).catch((error: unknown) => error)
    assert.ok(mayBeDone(failure), String(failure))
    await signedIn({ ...uli, password: next })
  })
})

describe('a password whose change was answered and not made', () => {
  it('is not called changed', async () => {
    const [tilo, next] = [person('tilo'), 'another long sentence of his']
    const swallowed = { matches: isRequest('POST', /^\/v1\/auth\/password$/), request: emptied, answer: told }
    const owner = await registerOwner(tilo)
    proxy.tamper(swallowed)
    await assert.rejects(owner.changePassword({ present: tilo.password, next }), { reason: 'account_key_unreadable' })
    await signedIn(tilo)
  })

  const emptied = (message: Message) => ({ ...message, body: Buffer.from('{}') })
  const told = () => ({ headers: {}, body: Buffer.alloc(0), status: 204 })
})

describe('a password that its owner only checks', () => {
  it('opens the account or is wrong, and nothing that follows from it is sent', async () => {
    const sent: string[] = []
    const noting: typeof fetch = (input, init) => {
      sent.push(`${init?.method} ${new URL(String(input)).pathname} ${init?.body ?? ''}`)
      return environment.fetch(input, init)
    }
    const vito = { ...person('vito'), environment: { ...environment, fetch: noting } }
    const owner = await registerOwner(vito)
    sent.length = 0
    await owner.checkPassword(vito.password)
    await assert.rejects(owner.checkPassword('wrong'), PasswordWrong)
    const asked = ['GET /.well-known/service/server-info ', `POST /v1/auth/kdf {"email":"${vito.email}"}`]
    assert.deepEqual(new Set(sent), new Set([...asked, 'GET /v1/account ']))
    assert.equal((await owner.sessions()).length, 1)
  })
})

describe('an account', () => {
  it('is deleted with everything in it, and its e-mail becomes free', async () => {
    const walt = person('walt')
    const owner = await registerOwner(walt)
    const { url } = await owner.createLink()
    await sendFile(url, new Uint8Array(10))
    await assert.rejects(owner.deleteAccount({ password: 'wrong' }), PasswordWrong)
    assert.equal((await owner.inbox()).length, 1)
    await owner.deleteAccount({ password: walt.password })
    await assert.rejects(owner.inbox(), isOver)
    await assert.rejects(openLink(url), hasCode('error.drop.link_not_found'))
    const again = await registerOwner(walt)
    assert.notEqual(again.accountId, owner.accountId)
    assert.deepEqual([(await again.quota()).used, await again.listLinks(), await again.inbox()], [0, [], []])
  })
})
