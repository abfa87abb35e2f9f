/** Recovery words at a real server and at a malicious one. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { createAuthenticator } from '../../../testing/authenticator.ts'
import { changeBody, flipInBase64, isRequest } from '../../../testing/maliciousServer.ts'
import { PasswordWrong } from './account/passwordWrong.ts'
import { RecoveryError } from './account/recoveryError.ts'
import { wordsOfSecret } from './account/recoveryWords.ts'
import { WordsError } from './account/wordsError.ts'
import { logIn, registerOwner } from './account.ts'
import { type Environment, systemEnvironment } from './ground/environment.ts'
import { ProblemError } from './http/errors.ts'
import type { Owner } from './owner.ts'
import { checkRecoveryWords, newRecoveryWords, recover } from './recovery.ts'
import { hasCode } from './testing/expectations.ts'
import { sharedServer } from './testing/sharedServer.ts'

const OLD = 'a long sentence that was forgotten'
const NEW = 'another long sentence, on paper'

/** A fast derivation: these tests are not about its cost. */
const environment: Environment = {
  ...systemEnvironment,
  masterOfPassword: async (password, salt) =>
    new Uint8Array(createHash('sha256').update(salt).update(password).digest()),
}

const { proxy } = await sharedServer()

const person = (name: string) => ({ baseUrl: proxy.url, email: `${name}@example.org`, environment })
const isUnreadable = (error: unknown) => error instanceof RecoveryError && error.reason === 'recovery_key_unreadable'
const atStart = isRequest('POST', /^\/v1\/auth\/recover\/start$/)
const atRegistration = isRequest('POST', /^\/v1\/auth\/register$/)

async function registered(name: string): Promise<{ readonly owner: Owner; readonly words: readonly string[] }> {
  const recovery = newRecoveryWords()
  const owner = await registerOwner({ ...person(name), password: OLD, recovery })
  return { owner, words: await recovery.confirm() }
}

describe('recovery words', () => {
  it('recover an account with a new password, end all sessions, and stay valid', async () => {
    const { owner, words } = await registered('ada')
    assert.equal(words.length, 24)
    const typed = ` ${words.join('\n').toUpperCase()} `
    const { owner: back, challenge } = await recover({ ...person('ada'), words: typed, newPassword: NEW })
    assert.ok(back !== undefined && challenge === undefined)
    assert.deepEqual(back.accountKey, owner.accountKey)
    assert.equal((await back.quota()).used, 0)
    await assert.rejects(owner.quota(), hasCode('error.auth.session_expired'))
    await assert.rejects(logIn({ ...person('ada'), password: OLD }), hasCode('error.auth.invalid_credentials'))
    const { owner: signedIn } = await logIn({ ...person('ada'), password: NEW })
    assert.deepEqual(signedIn?.accountKey, owner.accountKey)
    assert.ok((await recover({ ...person('ada'), words: typed, newPassword: OLD })).owner)
  })

  it('can be checked at any time without a change', async () => {
    const { owner, words } = await registered('cleo')
    const { words: others } = await registered('carl')
    const { accountKey } = owner
    const check = (typed: readonly string[], name = 'cleo') =>
      checkRecoveryWords({ ...person(name), words: typed.join(' '), accountKey })
    await check(words)
    await assert.rejects(check(others), isUnreadable)
    await assert.rejects(check(others, 'carl'), isUnreadable, 'they open another account')
    await assert.rejects(check(words.slice(1)), WordsError)
    assert.equal((await owner.quota()).used, 0)
    assert.ok((await logIn({ ...person('cleo'), password: OLD })).owner)
  })

  it('stay hidden until the server returns what they open', async () => {
    const recovery = newRecoveryWords()
    await assert.rejects(recovery.confirm(), { reason: 'not_registered' })
    assert.equal(JSON.stringify(recovery), '{}')
    assert.doesNotMatch(inspect(recovery, { depth: 9, showHidden: true, getters: true }), /secret|[0-9], [0-9]/)
    await registerOwner({ ...person('bea'), password: OLD, recovery })
    proxy.tamper({ matches: atStart, instead: 500, times: 1 })
    await assert.rejects(recovery.confirm(), ProblemError)
    assert.equal((await recovery.confirm()).length, 24)
    await assert.rejects(registerOwner({ ...person('bob'), password: OLD, recovery }), TypeError)
  })

  it('survive a lost answer to the registration: the request is repeated once, and after a second loss they can still be confirmed', async () => {
    const recovery = newRecoveryWords()
    proxy.tamper({ matches: atRegistration, lose: 'answer', times: 1 })
    const owner = await registerOwner({ ...person('ida'), password: OLD, recovery })
    assert.equal((await owner.quota()).used, 0)
    const words = await recovery.confirm()

    const other = newRecoveryWords()
    const jon = { ...person('jon'), password: OLD, recovery: other }
    proxy.tamper({ matches: atRegistration, lose: 'answer', times: 2 })
    await assert.rejects(registerOwner(jon), { name: 'NetworkError' })
    const wanted = await other.confirm()
    await assert.rejects(registerOwner(jon), hasCode('error.auth.user_already_exists'))
    assert.deepEqual(await other.confirm(), wanted)
    assert.notDeepEqual(wanted, words)
    const { owner: back } = await recover({ ...person('jon'), words: wanted.join(' '), newPassword: NEW })
    const { owner: again } = await logIn({ ...person('jon'), password: NEW })
    assert.deepEqual(again?.accountKey, back?.accountKey)
  })

  it('serve a second registration when the first never reached the server', async () => {
    const recovery = newRecoveryWords()
    proxy.tamper({ matches: atRegistration, lose: 'request', times: 2 })
    const kim = { ...person('kim'), password: OLD, recovery }
    await assert.rejects(registerOwner(kim), { name: 'NetworkError' })
    await assert.rejects(recovery.confirm(), isUnreadable)
    await registerOwner(kim)
    assert.equal((await recovery.confirm()).length, 24)
  })

  it('are refused when a malicious server stored other data or none, and cannot be altered on their way to it', async () => {
    const altered = changeBody((body) => {
      body.sealed_recovery_key = flipInBase64(body.sealed_recovery_key, 1100)
    })
    const none = changeBody((body) => {
      body.email = 'nobody@example.org'
    })
    for (const [index, tampering] of [{ answer: altered }, { request: none }].entries()) {
      proxy.tamper({ matches: atStart, ...tampering })
      const recovery = newRecoveryWords()
      await registerOwner({ ...person(`cleo${index}`), password: OLD, recovery })
      await assert.rejects(recovery.confirm(), isUnreadable)
    }
    proxy.tamper({ matches: atRegistration, request: altered })
    const attempt = registerOwner({ ...person('cleo2'), password: OLD, recovery: newRecoveryWords() })
    await assert.rejects(attempt, hasCode('error.auth.proof_invalid'))
  })

  it('do not open another account, an unknown e-mail or a malicious server’s answer, and no proof is sent then', async () => {
    const [{ words }] = [await registered('dora'), await registerOwner({ ...person('eve'), password: OLD })]
    const asked = proxy.seen.length
    const tries = ['eve', 'nobody']
    for (const name of tries)
      await assert.rejects(recover({ ...person(name), words: words.join(' '), newPassword: NEW }), isUnreadable)
    proxy.tamper({
      matches: atStart,
      answer: changeBody((body) => {
        body.sealed_recovery_key = flipInBase64(body.sealed_recovery_key, 30)
      }),
    })
    await assert.rejects(recover({ ...person('dora'), words: words.join(' '), newPassword: NEW }), isUnreadable)
    assert.deepEqual(
      proxy.seen.slice(asked).map(({ path }) => path),
      Array.from({ length: 3 }, () => ['/.well-known/service/server-info', '/v1/auth/recover/start']).flat(),
    )
  })

  it('set no password that the server only says is set', async () => {
    const { words } = await registered('dina')
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/account$/),
      answer: changeBody((body) => {
        body.sealed_account_key = flipInBase64(body.sealed_account_key, 30)
      }),
    })
    const attempt = recover({ ...person('dina'), words: words.join(' '), newPassword: NEW })
    await assert.rejects(attempt, { reason: 'account_key_unreadable' })
  })

  it('are checked before any request, with the wrong word reported', async () => {
    const words = await wordsOfSecret(new Uint8Array(32))
    const asked = proxy.seen.length
    const typed = [words.with(6, 'abondon'), words.slice(1), words.with(23, 'zoo')]
    const faults: unknown[] = []
    for (const wrong of typed)
      await recover({ ...person('fay'), words: wrong.join(' '), newPassword: NEW }).catch((error) => {
        assert.ok(error instanceof WordsError)
        faults.push(error.unknown ?? error.reason)
      })
    assert.deepEqual(faults, [{ place: 7, word: 'abondon' }, 'count', 'checksum'])
    assert.equal(proxy.seen.length, asked)
  })

  it('replace the password but not the second factor: nothing is changed before its code', async () => {
    const { owner, words } = await registered('gil')
    const authenticator = createAuthenticator(await owner.enrollSecondFactor({ password: OLD }))
    await owner.confirmSecondFactor(authenticator.next())
    const { owner: nobody, challenge } = await recover({ ...person('gil'), words: words.join(' '), newPassword: NEW })
    assert.ok(nobody === undefined && challenge !== undefined)
    assert.equal((await owner.quota()).used, 0)
    await assert.rejects(logIn({ ...person('gil'), password: NEW }), hasCode('error.auth.invalid_credentials'))
    const back = await challenge.answer(authenticator.next())
    assert.deepEqual(back.accountKey, owner.accountKey)
    await assert.rejects(owner.quota(), hasCode('error.auth.session_expired'))
    await assert.rejects(logIn({ ...person('gil'), password: OLD }), hasCode('error.auth.invalid_credentials'))
    assert.ok((await logIn({ ...person('gil'), password: NEW })).challenge)
  })

  it('are replaced with the password: the old ones end, the new ones are confirmed by their owner', async () => {
    const { owner, words: old } = await registered('ivo')
    const state = async () => (await owner.account()).recoveryWords
    assert.equal(await state(), 'unconfirmed')
    await owner.confirmRecoveryWords(old.join(' '))
    assert.equal(await state(), 'confirmed')
    const words = newRecoveryWords()
    await assert.rejects(owner.confirmRecoveryWords(words), { reason: 'not_registered' })
    await assert.rejects(owner.changeRecoveryWords({ password: 'wrong', words }), PasswordWrong)
    await assert.rejects(words.confirm(), isUnreadable)
    await owner.changeRecoveryWords({ password: OLD, words })
    assert.equal(await state(), 'unconfirmed')
    await assert.rejects(owner.confirmRecoveryWords(old.join(' ')), isUnreadable)
    await assert.rejects(recover({ ...person('ivo'), words: old.join(' '), newPassword: NEW }), isUnreadable)
    const shown = await words.confirm()
    await owner.confirmRecoveryWords(words)
    assert.equal(await state(), 'confirmed')
    const { owner: back } = await recover({ ...person('ivo'), words: shown.join(' '), newPassword: NEW })
    assert.deepEqual(back?.accountKey, owner.accountKey)
    const { owner: other } = await registered('ivan')
    await assert.rejects(other.changeRecoveryWords({ password: OLD, words }), TypeError)
  })

  it('say after each lost answer to a change whether they or the old ones are valid', async () => {
    const { owner, words: old } = await registered('jana')
    const atChange = isRequest('POST', /^\/v1\/auth\/recovery-words$/)
    const words = newRecoveryWords()
    const change = () => owner.changeRecoveryWords({ password: OLD, words })
    proxy.tamper({ matches: atChange, lose: 'request', times: 2 })
    await assert.rejects(change(), { name: 'NetworkError' })
    await assert.rejects(words.confirm(), isUnreadable)
    await owner.confirmRecoveryWords(old.join(' '))
    proxy.tamper({ matches: atChange, lose: 'answer', times: 2 })
    await assert.rejects(change(), { name: 'NetworkError' })
    const shown = await words.confirm()
    assert.equal((await owner.account()).recoveryWords, 'unconfirmed')
    await assert.rejects(owner.confirmRecoveryWords(old.join(' ')), isUnreadable)
    await change()
    const atConfirmation = isRequest('POST', /^\/v1\/auth\/recovery-words\/confirm$/)
    proxy.tamper({ matches: atConfirmation, lose: 'answer', times: 1 })
    await owner.confirmRecoveryWords(shown.join(' '))
    assert.equal((await owner.account()).recoveryWords, 'confirmed')
  })

  it('are replaced although the repeat after a lost answer, or a proxy in place of the server, is answered with an error', async () => {
    const { owner, words: old } = await registered('jara')
    const words = newRecoveryWords()
    const at = { matches: isRequest('POST', /^\/v1\/auth\/recovery-words$/), times: 1 }
    const change = () => owner.changeRecoveryWords({ password: OLD, words })
    proxy.tamper({ ...at, instead: 500, times: 2 })
    await assert.rejects(change(), ProblemError)
    await owner.confirmRecoveryWords(old.join(' '))
    proxy.tamper({ ...at, lose: 'answer' }, { ...at, instead: 500 })
    await change()
    assert.equal((await words.confirm()).length, 24)
  })

  it('are not asked for when only the password was wrong, which would count as wrong words', async () => {
    const { owner } = await registered('jil')
    const words = newRecoveryWords()
    const seen = proxy.seen.length
    for (const _ of [1, 2]) await assert.rejects(owner.changeRecoveryWords({ password: 'wrong', words }), PasswordWrong)
    assert.deepEqual(
      proxy.seen.slice(seen).filter(({ path }) => path.startsWith('/v1/auth/recover/')),
      [],
    )
    await owner.changeRecoveryWords({ password: OLD, words })
    assert.equal((await words.confirm()).length, 24)
  })

  it('of two pages at once are those of the later one, and the other page learns it', async () => {
    const { owner } = await registered('jule')
    const [first, second] = [newRecoveryWords(), newRecoveryWords()]
    await owner.changeRecoveryWords({ password: OLD, words: first })
    await first.confirm()
    await owner.changeRecoveryWords({ password: OLD, words: second })
    await assert.rejects(owner.confirmRecoveryWords(first), isUnreadable)
    await owner.confirmRecoveryWords(second)
  })

  it('that are confirmed stay, whatever request for others was still on its way', async () => {
    const late: (() => Promise<Response>)[] = []
    const holding: typeof fetch = (input, init) => {
      const isHeld = String(input).endsWith('/v1/auth/recovery-words') && late.length < 2
      if (!isHeld) return environment.fetch(input, init)
      late.push(() => environment.fetch(input, { ...init, signal: null }))
      throw new TypeError('fetch failed')
    }
    const owner = await registerOwner({
      ...{ ...person('jost'), password: OLD },
      environment: { ...environment, fetch: holding },
    })
    const [lost, kept] = [newRecoveryWords(), newRecoveryWords()]
    await assert.rejects(owner.changeRecoveryWords({ password: OLD, words: lost }), { name: 'NetworkError' })
    await owner.changeRecoveryWords({ password: OLD, words: kept })
    await owner.confirmRecoveryWords(kept)
    const statuses = []
    for (const send of late) statuses.push((await send()).status)
    assert.equal((await owner.account()).recoveryWords, 'confirmed')
    const shown = (await kept.confirm()).join(' ')
    assert.ok((await recover({ ...person('jost'), words: shown, newPassword: NEW })).owner)
    assert.deepEqual(statuses, [401, 401])
  })

  it('are proved to the server, which accepts no other proof, and no other password than the one that was signed', async () => {
    const { words } = await registered('hal')
    const changes: readonly ((body: Record<string, unknown>) => void)[] = [
      (body) => {
        body.sign_in_key = flipInBase64(body.sign_in_key, 3)
      },
      (body) => {
        body.salt = flipInBase64(body.salt, 3)
      },
    ]
    for (const change of changes) {
      proxy.tamper({ matches: isRequest('POST', /^\/v1\/auth\/recover\/finish$/), request: changeBody(change) })
      const attempt = recover({ ...person('hal'), words: words.join(' '), newPassword: NEW })
      await assert.rejects(attempt, hasCode('error.auth.proof_invalid'))
    }
    assert.ok((await logIn({ ...person('hal'), password: OLD })).owner)
  })
})
