/** Passkeys at a real server. The authenticator is a keyed hash, as its PRF is; browsers are in the stories. */

import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { createAuthenticator } from '../../../../testing/authenticator.ts'
import { quickEnvironment as environment } from '../../../../testing/people.ts'
import { registerOwner } from '../account.ts'
import { NetworkError } from '../http/errors.ts'
import type { Owner, PreparedPasskey } from '../owner.ts'
import { logInWithPasskey, PASSKEY_INPUT } from '../passkey.ts'
import { newRecoveryWords, recover } from '../recovery.ts'
import { hasCode } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { AccountError } from './accountError.ts'
import { PasswordWrong } from './passwordWrong.ts'

const { proxy } = await sharedServer()
const baseUrl = proxy.url
const password = 'a long sentence for passkeys'

/** Makes passkeys, and answers for each as WebAuthn does. */
function createPasskey({ userHandle }: PreparedPasskey) {
  const secret = randomBytes(32)
  const output = new Uint8Array(createHmac('sha256', secret).update(PASSKEY_INPUT).digest())
  return {
    made: { credentialId: new Uint8Array(randomBytes(16)), output },
    signIn: (): Promise<Owner> => logInWithPasskey({ baseUrl, userHandle, output, environment }),
  }
}

async function addPasskey(owner: Owner, name?: string) {
  const prepared = await owner.preparePasskey({ password })
  const passkey = createPasskey(prepared)
  return { ...passkey, passkeyId: await prepared.add({ ...passkey.made, name }) }
}

const isRefused = (error: unknown) => error instanceof AccountError && error.reason === 'passkey_refused'

describe('a passkey', () => {
  it('signs in without address and password, opens the account key, and knows the owner’s address', async () => {
    const owner = await registerOwner({ baseUrl, email: 'Nora@Example.org', password, environment })
    const { createdAt } = await owner.account()
    const { signIn, passkeyId } = await addPasskey(owner, 'My phone')
    const [fresh] = await owner.passkeys()
    assert.deepEqual([fresh?.passkeyId, fresh?.name, fresh?.lastUsedAt], [passkeyId, 'My phone', undefined])
    assert.ok((fresh?.createdAt ?? '') >= createdAt)
    const again = await signIn()
    assert.deepEqual(
      [again.accountKey, again.email, again.accountId],
      [owner.accountKey, 'nora@example.org', owner.accountId],
    )
    assert.ok((await again.passkeys())[0]?.lastUsedAt)
    // The address is good for the password, too.
    await again.changePassword({ present: password, next: 'another long sentence' })
    assert.deepEqual((await signIn()).accountKey, owner.accountKey, 'a password change keeps it')
  })

  it('is made only after the right password, and says which passkeys there are', async () => {
    const owner = await registerOwner({ baseUrl, email: 'omar@example.org', password, environment })
    const asked = proxy.seen.length
    await assert.rejects(owner.preparePasskey({ password: 'wrong' }), PasswordWrong)
    assert.ok(proxy.seen.slice(asked).every(({ path }) => !path.startsWith('/v1/passkeys')))
    const first = await addPasskey(owner)
    const prepared = await owner.preparePasskey({ password })
    assert.deepEqual(prepared.present, [first.made.credentialId])
    assert.deepEqual([prepared.needsCode, prepared.userHandle.length], [false, 16])
  })

  it('is named and removed; then it opens nothing, and its sessions have ended', async () => {
    const owner = await registerOwner({ baseUrl, email: 'pia@example.org', password, environment })
    const { signIn, passkeyId } = await addPasskey(owner, 'Old')
    await owner.namePasskey(passkeyId, 'Security key')
    assert.equal((await owner.passkeys())[0]?.name, 'Security key')
    await owner.namePasskey(passkeyId, '')
    assert.equal((await owner.passkeys())[0]?.name, undefined)
    const opened = await signIn()
    await owner.removePasskey(passkeyId)
    await owner.removePasskey(passkeyId)
    assert.deepEqual(await owner.passkeys(), [])
    await assert.rejects(opened.quota(), hasCode('error.auth.session_expired'))
    await assert.rejects(signIn(), isRefused)
    await assert.rejects(owner.namePasskey(passkeyId, 'x'), hasCode('error.passkey.not_found'))
  })

  it('needs a code to be added where a second factor is on, and none to sign in', async () => {
    const owner = await registerOwner({ baseUrl, email: 'quinn@example.org', password, environment })
    const authenticator = createAuthenticator(await owner.enrollSecondFactor({ password }))
    await owner.confirmSecondFactor(authenticator.next())
    const prepared = await owner.preparePasskey({ password })
    assert.ok(prepared.needsCode)
    const { made, signIn } = createPasskey(prepared)
    await assert.rejects(prepared.add(made), hasCode('error.auth.totp_invalid_code'))
    await assert.rejects(prepared.add({ ...made, code: '000000' }), hasCode('error.auth.totp_invalid_code'))
    await assert.rejects(signIn(), isRefused)
    await prepared.add({ ...made, code: authenticator.next() })
    assert.deepEqual((await signIn()).accountKey, owner.accountKey)
  })

  /** Registers. The first two answers to adding a passkey are lost. */
  async function behindBrokenLine(email: string): Promise<Owner> {
    let losses = 2
    const losing: typeof fetch = async (input, init) => {
      const answer = await environment.fetch(input, init)
      if (!String(input).endsWith('/v1/passkeys') || init?.method !== 'POST' || losses-- <= 0) return answer
      throw new TypeError('the line was cut')
    }
    return registerOwner({ baseUrl, email, password, environment: { ...environment, fetch: losing } })
  }

  it('is the same passkey when its answers were lost and the owner tries again', async () => {
    const owner = await behindBrokenLine('sven@example.org')
    const prepared = await owner.preparePasskey({ password })
    const { made, signIn } = createPasskey(prepared)
    await assert.rejects(prepared.add(made), NetworkError)
    await prepared.add(made)
    assert.equal((await owner.passkeys()).length, 1)
    assert.deepEqual((await signIn()).accountKey, owner.accountKey)
  })

  it('is not left at the server when its answers were lost and the owner gives it up', async () => {
    const owner = await behindBrokenLine('tess@example.org')
    const prepared = await owner.preparePasskey({ password })
    const { made, signIn } = createPasskey(prepared)
    await assert.rejects(prepared.add(made), NetworkError)
    assert.equal((await owner.passkeys()).length, 1)
    await prepared.discard()
    assert.deepEqual(await owner.passkeys(), [])
    await assert.rejects(signIn(), isRefused)
  })

  it('is removed by a recovery', async () => {
    const recovery = newRecoveryWords()
    const person = { baseUrl, email: 'rosa@example.org', environment }
    const owner = await registerOwner({ ...person, password, recovery })
    const words = (await recovery.confirm()).join(' ')
    const { signIn } = await addPasskey(owner, 'A thief’s')
    const recovered = await recover({ ...person, words, newPassword: 'another long sentence' })
    assert.deepEqual(await recovered.owner?.passkeys(), [])
    await assert.rejects(signIn(), isRefused)
  })

  it('of another application at the same host is refused before anything is sent', async () => {
    const asked = proxy.seen.length
    for (const length of [0, 15, 17, 64]) {
      const userHandle = new Uint8Array(length)
      await assert.rejects(
        logInWithPasskey({ baseUrl, userHandle, output: new Uint8Array(32), environment }),
        isRefused,
      )
    }
    assert.equal(proxy.seen.length, asked)
  })
})
