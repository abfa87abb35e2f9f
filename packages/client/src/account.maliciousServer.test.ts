/** A malicious server tampers with the account data; a proxy in front of a real server plays it. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { changeBody, flipInBase64, isRequest } from '../../../testing/maliciousServer.ts'
import { quickEnvironment as environment, newOwner } from '../../../testing/people.ts'
import { AccountError } from './account/accountError.ts'
import { logIn, registerOwner, resumeOwner } from './account.ts'
import { AnswerError } from './http/errors.ts'
import type { CreatedLink, Owner } from './owner.ts'
import { sharedServer } from './testing/sharedServer.ts'

const { proxy } = await sharedServer()
let owner: Owner
let link: CreatedLink

before(async () => {
  owner = await newOwner(proxy.url)
  link = await owner.createLink({ label: 'for tests' })
})

describe('the account data of a malicious server', () => {
  const password = 'correct horse battery staple'
  const person = { baseUrl: proxy.url, email: 'tampered@example.org', environment }
  before(async () => {
    await registerOwner({ ...person, password })
  })

  it('is detected when the account key was altered, and the session ends', async () => {
    const kept: string[] = []
    const onTokens = ({ accessToken }: { readonly accessToken: string }) => void kept.push(accessToken)
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/account$/),
      answer: changeBody((body) => {
        body.sealed_account_key = flipInBase64(body.sealed_account_key, 60)
      }),
    })
    await assert.rejects(
      logIn({ ...person, password, onTokens }),
      (error) => error instanceof AccountError && error.reason === 'account_key_unreadable',
    )
    assert.equal(kept.length, 1)
    const { status } = await fetch(`${proxy.url}/v1/quota`, { headers: { Authorization: `Bearer ${kept[0]}` } })
    assert.equal(status, 401)
  })

  it('is not used with the e-mail address that the server names: the password is proven for the owner’s own', async () => {
    const named: unknown[] = []
    const recording: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/v1/auth/kdf')) named.push(JSON.parse(String(init?.body)).email)
      return environment.fetch(input, init)
    }
    const mira = { ...person, email: 'Mira@Example.org', environment: { ...environment, fetch: recording } }
    const registered = await registerOwner({ ...mira, password })
    const { accountKey } = registered
    const resumed = resumeOwner({ ...mira, accountKey, tokens: registered.tokens() })
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/account$/),
      answer: changeBody((body) => {
        body.email = 'somebody.else@example.org'
      }),
    })
    const next = 'another long sentence of hers'
    await resumed.changePassword({ present: password, next })
    await resumed.enrollSecondFactor({ password: next })
    const differs = (error: unknown) => error instanceof AccountError && error.reason === 'email_differs'
    await assert.rejects(resumed.account(), differs)
    await assert.rejects(logIn({ ...mira, password: next }), differs)
    await registered.deleteAccount({ password: next })
    assert.deepEqual(new Set(named), new Set(['mira@example.org']))
  })

  it('has one id: a session that is renewed for another account is refused', async () => {
    const tokens = { ...owner.tokens(), accessToken: 'spent' }
    const { email, accountKey } = owner
    const stored: unknown[] = []
    const resumed = resumeOwner({
      ...{ baseUrl: proxy.url, email, accountKey, tokens, environment },
      onTokens: (pair) => void stored.push(pair),
    })
    proxy.tamper({
      matches: isRequest('POST', /^\/v1\/auth\/refresh$/),
      answer: changeBody((body) => {
        body.account_id = '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f'
      }),
    })
    await assert.rejects(resumed.quota(), (error) => error instanceof AnswerError && error.operation === 'refresh')
    assert.deepEqual([stored, resumed.tokens()], [[], tokens])
  })

  it('is not requested when the server chooses another key derivation', async () => {
    proxy.tamper({
      matches: isRequest('POST', /^\/v1\/auth\/kdf$/),
      answer: changeBody((body) => {
        body.kdf_version = 2
      }),
    })
    const asked = proxy.seen.length
    await assert.rejects(
      logIn({ ...person, password }),
      (error) => error instanceof AccountError && error.reason === 'kdf_unknown',
    )
    assert.deepEqual(
      proxy.seen.slice(asked).map(({ path }) => path),
      ['/.well-known/service/server-info', '/v1/auth/kdf'],
    )
  })

  it('lists a link with a fault when its label was altered', async () => {
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/drops\/links(\?|$)/),
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.links))
        for (const entry of body.links) entry.sealed_label = flipInBase64(entry.sealed_label, 70)
      }),
    })
    const [listed] = await owner.listLinks()
    assert.equal(listed?.url, link.url)
    assert.equal(listed?.label, undefined)
    assert.ok(listed?.labelFault)
  })
})
