import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, notRefused } from '../../testing/guest.ts'
import { type Desk, deskOf, WRONG as FALSE_CODE, guarded, reasonOf } from '../../testing/secondFactor.ts'
import { EMAIL, KEY, keyHash, keyPorts, keyRules, proved, publicKey, registration } from '../../testing/signInKeys.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { isChallenge } from './challenges.ts'
import { createRecovery } from './recovery.ts'
import type { WordsChange } from './recoveryWords.ts'

const [OLD, NEW] = ['the old words', 'the new words']

const changing = ({ clock }: World, overrides: Partial<WordsChange> = {}): WordsChange => ({
  provedKey: proved(),
  askedAt: clock.now(),
  code: undefined,
  recoveryKey: publicKey(NEW),
  sealedRecoveryKey: bytes(60),
  source: undefined,
  ...overrides,
})

/** An account with the words `OLD`, and what its owner can do with words. */
async function withWords(world: World, desk: Desk = deskOf(world)) {
  const words = { sealedRecoveryKey: bytes(60), recoveryKey: publicKey(OLD) }
  notRefused(await desk.accounts.register(registration(words)))
  return { desk, ...wordsOf(world, desk) }
}

function wordsOf(world: World, { account }: Desk) {
  const { recoveryWords } = keyRules(world)
  const recovery = createRecovery(keyPorts(world), world.settings)
  return {
    change: async (over: Partial<WordsChange> = {}) =>
      reasonOf(await recoveryWords.change(await account(), changing(world, over))),
    confirm: async (words: string, source?: string) =>
      reasonOf(await recoveryWords.confirm(await account(), { provedKey: proved(words), source })),
    recover: async (words: string, key = KEY) =>
      recovery.finish({
        email: EMAIL,
        provedKey: proved(words),
        signInKey: publicKey(key),
        kdfVersion: undefined,
        salt: undefined,
        sealedAccountKey: undefined,
        source: undefined,
      }),
  }
}

describe('changing the recovery words', () => {
  it(
    'sets their key and what they open, unconfirmed, and nothing else: the old ones end, and sessions stay',
    inWorld(async (world) => {
      const { desk, change, confirm, recover } = await withWords(world)
      assert.equal(await confirm(OLD), 'done')
      const before = await desk.account()
      const { accessToken } = await world.rules.sessions.open(before.accountId, undefined)
      const sealedRecoveryKey = bytes(61)
      assert.equal(await change({ sealedRecoveryKey }), 'done')
      const changed = { sealedRecoveryKey, recoveryKeyHash: proved(NEW), recoveryConfirmedAt: undefined }
      assert.deepEqual(await desk.account(), { ...before, ...changed })
      notRefused(await world.rules.sessions.authenticate(accessToken))
      assert.equal(reasonOf(await recover(OLD)), 'recovery_invalid')
      assert.equal(reasonOf(await recover(NEW)), 'in')
    }),
  )

  it(
    'asks for the present sign-in key, also in the place of a repeat, and counts a wrong one like a sign-in',
    inWorld(async (world) => {
      const { desk, change } = await withWords(world)
      const before = await desk.account()
      const asRepeat = { recoveryKey: publicKey(OLD), sealedRecoveryKey: defined(before.sealedRecoveryKey) }
      assert.equal(await change({ recoveryKey: new Uint8Array(32), source: 'a' }), 'request_malformed')
      for (let count = 0; count < 5; count += 1) {
        assert.equal(await change({ provedKey: proved('wrong'), source: 'a' }), 'credentials_wrong')
        assert.equal(await change({ provedKey: proved(OLD), source: 'a', ...asRepeat }), 'credentials_wrong')
      }
      assert.equal(await change({ source: 'a' }), 'attempts_limited')
      assert.deepEqual(await desk.account(), before)
      assert.equal(await change({ source: 'b' }), 'done')
    }),
  )

  it(
    'asks for a code where a second factor is on, uses it up with the change alone, and ends recoveries that wait',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator, backupCodes } = await guarded(desk, world)
      const { change, recover } = wordsOf(world, desk)
      for (const code of [undefined, FALSE_CODE]) assert.equal(await change({ code }), 'totp_code_wrong')
      const code = desk.code(authenticator)
      assert.equal(await change({ code, provedKey: proved('wrong') }), 'credentials_wrong')
      const first = changing(world, { code, recoveryKey: publicKey(OLD) })
      assert.deepEqual(await Promise.all([change(first), change(first)]), ['done', 'done'])
      assert.equal(await change(first), 'done', 'a lost answer')
      assert.equal(await change({ code }), 'totp_code_wrong', 'a replay for other words')

      const signingIn = await desk.challenged()
      const waiting = notRefused(await recover(OLD, 'of a thief'))
      assert.ok(isChallenge(waiting))
      assert.equal(await change({ code: defined(backupCodes[0]) }), 'done')
      world.clock.advance(30)
      assert.equal(await desk.verify(waiting.mfaToken, desk.code(authenticator)), 'challenge_over')
      assert.equal(await desk.verify(signingIn, desk.code(authenticator)), 'in')
    }),
  )

  it(
    'replaces no words that were confirmed since it began, unless the clock was set back',
    inWorld(async (world) => {
      const { change, confirm, recover } = await withWords(world)
      const askedAt = world.clock.now()
      world.clock.advance(1)
      const first = { askedAt, sealedRecoveryKey: bytes(61) }
      assert.equal(await change(first), 'done')
      assert.equal(await confirm(NEW), 'done')
      assert.equal(await change(first), 'done', 'a lost answer')
      const late = { recoveryKey: publicKey('nowhere') }
      assert.equal(await change({ ...late, askedAt }), 'proof_invalid')
      assert.equal(reasonOf(await recover(NEW)), 'in')
      world.clock.advance(-3600)
      assert.equal(await change(late), 'done')
    }),
  )

  it(
    'lets the last of concurrent changes stand as a whole: one of the words is confirmed, and recovers',
    inWorld(async (world) => {
      const { desk, change, confirm, recover } = await withWords(world)
      const made = Array.from({ length: 8 }, (_, at) => ({ words: `words ${at}`, sealedRecoveryKey: bytes(70 + at) }))
      const changes = made.map(({ words, ...rest }) => change({ recoveryKey: publicKey(words), ...rest }))
      assert.deepEqual(new Set(await Promise.all(changes)), new Set(['done']))
      const answers = await Promise.all(made.map(({ words }) => confirm(words)))
      assert.deepEqual(answers.toSorted(), ['done', ...Array.from({ length: 7 }, () => 'recovery_invalid')])
      const stands = defined(made[answers.indexOf('done')])
      assert.deepEqual((await desk.account()).sealedRecoveryKey, stands.sealedRecoveryKey)
      assert.equal(reasonOf(await recover(stands.words)), 'in')
    }),
  )
})

describe('confirming the recovery words', () => {
  it(
    'takes the key of the present words alone, within the limits of a recovery, and keeps the first time',
    inWorld(async (world) => {
      const { desk, confirm } = await withWords(world)
      const wrong = ['wrong', KEY]
      for (let count = 0; count < 5; count += 1)
        for (const words of wrong) assert.equal(await confirm(words, 'a'), 'recovery_invalid')
      assert.equal(await confirm(OLD, 'a'), 'attempts_limited')
      assert.equal((await desk.account()).recoveryConfirmedAt, undefined)
      const at = world.clock.now()
      assert.equal(await confirm(OLD, 'b'), 'done')
      world.clock.advance(1)
      assert.equal(await confirm(OLD, 'b'), 'done')
      assert.equal((await desk.account()).recoveryConfirmedAt, at)
    }),
  )

  it(
    'is done by a recovery, and impossible without words',
    inWorld(async (world) => {
      const { desk, recover } = await withWords(world)
      notRefused(await recover(OLD))
      assert.equal((await desk.account()).recoveryConfirmedAt, world.clock.now())
      const { recoveryWords, newAccount } = keyRules(world)
      const bare = { accountId: await newAccount(), email: 'bare@example.org' }
      for (const provedKey of [proved(OLD), new Uint8Array(32), keyHash(proved(OLD))])
        assert.equal(reasonOf(await recoveryWords.confirm(bare, { provedKey, source: undefined })), 'recovery_invalid')
    }),
  )
})
