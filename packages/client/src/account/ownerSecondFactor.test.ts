/** The second factor at a real server, with an authenticator that shares no code with it. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAuthenticator } from '../../../../testing/authenticator.ts'
import { quickEnvironment as environment } from '../../../../testing/people.ts'
import { logIn, registerOwner, type SecondStep } from '../account.ts'
import { hasCode } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { PasswordWrong } from './passwordWrong.ts'

const { proxy } = await sharedServer()

describe('a second factor', () => {
  it('can be enabled, answered with either kind of code, and disabled', async () => {
    const password = 'a long sentence that only Olga knows'
    const signIn = { baseUrl: proxy.url, email: 'olga@example.org', password, environment }
    const owner = await registerOwner(signIn)
    await assert.rejects(owner.enrollSecondFactor({ password: 'wrong' }), PasswordWrong)
    const authenticator = createAuthenticator(await owner.enrollSecondFactor({ password }))
    assert.deepEqual([authenticator.issuer, authenticator.label], ['127.0.0.1', '127.0.0.1:olga@example.org'])
    assert.equal(await owner.hasSecondFactor(), false)
    const [first = '', second = '', ...others] = await owner.confirmSecondFactor(authenticator.next())
    assert.equal(others.length, 8)
    assert.equal(await owner.hasSecondFactor(), true)
    const { email, createdAt, isSuspended, hasSecondFactor } = await owner.account()
    assert.deepEqual([email, isSuspended, hasSecondFactor], ['olga@example.org', false, true])
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)

    const kept: string[] = []
    const challenged = async (): Promise<SecondStep> => {
      const onTokens = ({ accessToken }: { readonly accessToken: string }) => void kept.push(accessToken)
      const { owner: nobody, challenge } = await logIn({ ...signIn, onTokens })
      assert.ok(nobody === undefined && challenge !== undefined)
      return challenge
    }
    const step = await challenged()
    assert.ok(Date.parse(step.expiresAt) > Date.now() + 240_000)
    await assert.rejects(step.answer(second.replace(/^./, 'U')), hasCode('error.auth.totp_invalid_code'))
    assert.deepEqual(kept, [], 'no token before the code')
    const again = await step.answer(authenticator.next())
    assert.deepEqual(again.accountKey, owner.accountKey)
    assert.deepEqual(kept, [again.tokens().accessToken])
    const byBackup = await (await challenged()).answer(first.toLowerCase().replace('-', ' '))
    assert.deepEqual(byBackup.accountKey, owner.accountKey)
    await assert.rejects((await challenged()).answer(first), hasCode('error.auth.totp_invalid_code'))

    await assert.rejects(
      byBackup.disableSecondFactor({ password, code: first }),
      hasCode('error.auth.totp_invalid_code'),
    )
    await assert.rejects(byBackup.disableSecondFactor({ password: 'wrong', code: second }), PasswordWrong)
    await assert.rejects(byBackup.renewBackupCodes({ password: 'wrong', code: second }), PasswordWrong)
    const [renewed = '', ...rest] = await byBackup.renewBackupCodes({ password, code: second })
    assert.equal(rest.length, 9)
    const [third = ''] = rest
    const isCodeWrong = hasCode('error.auth.totp_invalid_code')
    await assert.rejects(byBackup.disableSecondFactor({ password, code: second }), isCodeWrong)
    await assert.rejects(byBackup.changePassword({ present: password, next: `${password}!` }), isCodeWrong)
    await byBackup.changePassword({ present: password, next: `${password}!`, code: third })
    await assert.rejects(byBackup.deleteAccount({ password: `${password}!`, code: third }), isCodeWrong)
    await byBackup.changePassword({ present: `${password}!`, next: password, code: rest[1] })
    await byBackup.disableSecondFactor({ password, code: renewed })
    assert.equal(await byBackup.hasSecondFactor(), false)
    assert.ok((await logIn(signIn)).owner)
  })

  it('sends a code once: parallel and repeated answers after a broken connection resume with the same session', async () => {
    const password = 'a long sentence that only Paul knows'
    let isCut = false
    const cutting: typeof fetch = (input, init) => {
      if (isCut && String(input).endsWith('/v1/account')) return Promise.reject(new TypeError('fetch failed'))
      return environment.fetch(input, init)
    }
    const email = 'paul@example.org'
    const signIn = { baseUrl: proxy.url, email, password, environment: { ...environment, fetch: cutting } }
    const owner = await registerOwner(signIn)
    const authenticator = createAuthenticator(await owner.enrollSecondFactor({ password }))
    await owner.confirmSecondFactor(authenticator.next())
    const { challenge } = await logIn(signIn)
    assert.ok(challenge)
    const code = authenticator.next()
    isCut = true
    const both = await Promise.allSettled([challenge.answer(code), challenge.answer(code)])
    assert.deepEqual(
      both.map((outcome) => outcome.status === 'rejected' && outcome.reason.name),
      ['NetworkError', 'NetworkError'],
    )
    isCut = false
    assert.deepEqual((await challenge.answer(code)).accountKey, owner.accountKey)
  })
})
