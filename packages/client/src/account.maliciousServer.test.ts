/** A server that lies about what it keeps for an account: each lie is told by a proxy in front of the real one. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { flipInBase64, is, lie } from '../../../testing/maliciousServer.ts'
import { newOwner } from '../../../testing/people.ts'
import { AccountError } from './account/accountError.ts'
import { logIn, registerOwner } from './account.ts'
import { ProblemError } from './http/errors.ts'
import { nodeEnvironment as environment } from './node/nodeEnvironment.ts'
import type { CreatedLink, Owner } from './owner.ts'
import { sharedServer } from './testing/sharedServer.ts'

const { proxy } = await sharedServer()
let owner: Owner
let link: CreatedLink

before(async () => {
  owner = await newOwner(proxy.url)
  link = await owner.createLink({ label: 'for tests' })
})

describe('what the server keeps for an account', () => {
  const password = 'correct horse battery staple'
  const person = { baseUrl: proxy.url, email: 'caught@example.org', environment }
  before(async () => {
    await registerOwner({ ...person, password })
  })

  it('opens with the password', async () => {
    const { owner: again } = await logIn({ ...person, password })
    assert.equal(again?.accountKey.length, 32)
  })

  it('is refused with another password', async () => {
    await assert.rejects(
      logIn({ ...person, password: 'wrong horse' }),
      (error) => error instanceof ProblemError && error.code === 'error.auth.invalid_credentials',
    )
  })

  it('is caught when the account key was altered, and nobody stays signed in', async () => {
    const kept: string[] = []
    const onTokens = ({ accessToken }: { readonly accessToken: string }) => void kept.push(accessToken)
    proxy.tamper({
      matches: is('GET', /^\/v1\/account$/),
      answer: lie((body) => {
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

  it('is not asked for with a key derivation that the server chose', async () => {
    proxy.tamper({
      matches: is('POST', /^\/v1\/auth\/kdf$/),
      answer: lie((body) => {
        body.kdf_version = 2
      }),
    })
    const asked = proxy.seen.length
    await assert.rejects(
      logIn({ ...person, password }),
      (error) => error instanceof AccountError && error.reason === 'kdf_unknown',
    )
    assert.equal(proxy.seen.length, asked + 1)
  })

  it('is a label that was altered: the link is listed, and the label said to be a fault', async () => {
    proxy.tamper({
      matches: is('GET', /^\/v1\/drops\/links$/),
      answer: lie((body) => {
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
