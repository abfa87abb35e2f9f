import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { notRefused } from '../../testing/guest.ts'
import { deskOf, enroll, guarded, reasonOf, register, WRONG } from '../../testing/secondFactor.ts'
import { EMAIL, KEY, proved } from '../../testing/signInKeys.ts'
import { defined, inWorld } from '../../testing/world.ts'
import { createChallenges, isChallenge, MAX_WAITING } from './challenges.ts'

const countOf = (answers: readonly string[], answer: string) => answers.filter((each) => each === answer).length
const times = <Value>(count: number, make: (index: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

describe('turning a second factor on', () => {
  it(
    'asks for the present sign-in key, replaces an unconfirmed factor, and accepts only a code of the last one',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const account = await register(desk)
      const confirm = async (code: string) => desk.factor.confirm(await desk.account(), { code, source: undefined })
      assert.equal(reasonOf(await confirm(WRONG)), 'totp_not_pending')
      const refused = await desk.factor.enroll(account, { provedKey: proved('not it'), source: undefined })
      assert.equal(reasonOf(refused), 'credentials_wrong')
      const first = await enroll(desk)
      const second = await enroll(desk)
      assert.equal(reasonOf(await confirm(desk.code(first))), 'totp_code_wrong')
      assert.ok(!isChallenge(notRefused(await desk.login())), 'no code is asked for before the factor is confirmed')
      const { backupCodes } = notRefused(await confirm(desk.code(second)))
      assert.equal(new Set(backupCodes).size, 10)
      for (const code of backupCodes) assert.match(code, /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
      assert.equal(reasonOf(await confirm(desk.code(second, 1))), 'totp_not_pending')
      const again = await desk.factor.enroll(await desk.account(), { provedKey: proved(), source: undefined })
      assert.equal(reasonOf(again), 'totp_already_active')
    }),
  )

  it(
    'stores secrets sealed for their account, and backup codes as hashes',
    inWorld(
      async (world) => {
        const desk = deskOf(world)
        const { authenticator, backupCodes } = await guarded(desk, world)
        const { accountId } = await desk.account()
        const row = defined(await world.store.read((tx) => tx.secondFactors.find(accountId)))
        assert.ok(!Buffer.from(row.sealedSecret).includes(authenticator.secret))
        assert.throws(() => world.keyring.open('totp', row.sealedSecret))
        assert.deepEqual(Buffer.from(world.keyring.open(`totp ${accountId}`, row.sealedSecret)), authenticator.secret)
        const database = new DatabaseSync(defined(world.databasePath), { readOnly: true })
        const stored = JSON.stringify(database.prepare('select * from backup_codes').all())
        database.close()
        assert.equal(stored.match(/[0-9a-f]{64}/g)?.length, 10)
        for (const code of backupCodes) assert.ok(!stored.includes(code) && !stored.includes(code.replace('-', '')))
      },
      { isOnDisk: true },
    ),
  )
})

describe('signing in with a second factor', () => {
  it(
    'makes no session before the code, neither by a sign-in nor by registering again',
    inWorld(
      async (world) => {
        const desk = deskOf(world)
        const { authenticator } = await guarded(desk, world)
        const database = new DatabaseSync(defined(world.databasePath), { readOnly: true })
        const sessions = () => Number(database.prepare('select count(*) as count from sessions').get()?.count)
        const before = sessions()
        const mfaToken = await desk.challenged()
        await assert.rejects(register(desk), /email_taken/)
        assert.equal(sessions(), before)
        const pair = notRefused(
          await desk.factor.verify({ mfaToken, code: desk.code(authenticator), source: undefined }),
        )
        assert.equal(sessions(), before + 1)
        database.close()
        const caller = notRefused(await world.rules.sessions.authenticate(pair.accessToken))
        assert.equal(caller.account.email, EMAIL)
      },
      { isOnDisk: true },
    ),
  )

  it(
    'asks for a factor that was turned on while the key was checked, and refuses a key that was changed then',
    inWorld(async (world) => {
      const quiet = deskOf(world)
      await register(quiet)
      const authenticator = await enroll(quiet)
      const confirm = { code: quiet.code(authenticator), source: undefined }
      const turnedOn = deskOf(world, async () => quiet.factor.confirm(await quiet.account(), confirm))
      assert.ok(isChallenge(notRefused(await turnedOn.login())))
      const change = async () => {
        const { accountId, signInKeyHash, ...rest } = await quiet.account()
        await world.store.write([], (tx) =>
          tx.accounts.changeSignInKey(accountId, defined(signInKeyHash), { ...rest, signInKeyHash: proved('other') }),
        )
      }
      assert.equal(reasonOf(await deskOf(world, change).login()), 'credentials_wrong')
    }),
  )

  it(
    'answers a wrong key the same whether a factor is on or not',
    inWorld(async (world) => {
      const desk = deskOf(world)
      await guarded(desk, world)
      assert.deepEqual(await desk.login('wrong'), { refused: 'credentials_wrong' })
    }),
  )

  it(
    'accepts codes of the last, this and the next step, each once, but no code older than a used one',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator } = await guarded(desk, world)
      const verify = async (aside: number) => desk.verify(await desk.challenged(), desk.code(authenticator, aside))
      const answers: string[] = []
      for (const aside of [-2, 2, -1, -1, 1, 0, 1]) answers.push(await verify(aside))
      const wrong = 'totp_code_wrong'
      assert.deepEqual(answers, [wrong, wrong, 'in', wrong, 'in', wrong, wrong])
    }),
  )

  it(
    'refuses the code that turned the factor on',
    inWorld(async (world) => {
      const desk = deskOf(world)
      await register(desk)
      const authenticator = await enroll(desk)
      const code = desk.code(authenticator)
      notRefused(await desk.factor.confirm(await desk.account(), { code, source: undefined }))
      assert.equal(await desk.verify(await desk.challenged(), code), 'totp_code_wrong')
      assert.equal(await desk.verify(await desk.challenged(), desk.code(authenticator, 1)), 'in')
    }),
  )

  it(
    'accepts a code with spaces, dashes, lowercase or look-alike letters',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator, backupCodes } = await guarded(desk, world)
      const [first = '', second = ''] = backupCodes
      const digits = desk.code(authenticator)
      const looksAlike = first.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')
      const typings = [
        `${digits.slice(0, 3)} ${digits.slice(3)}`,
        ` ${looksAlike.replace('-', ' – ')}\n`,
        second.replace('-', ''),
      ]
      for (const typed of typings) assert.equal(await desk.verify(await desk.challenged(), typed), 'in')
    }),
  )

  it(
    'ends a challenge after five minutes, five attempts or a right code, and refuses an unknown token',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { backupCodes } = await guarded(desk, world)
      const [first = '', second = '', third = ''] = backupCodes
      assert.equal(await desk.verify('an unknown token', first), 'challenge_over')
      const late = await desk.challenged()
      world.clock.advance(300)
      assert.equal(await desk.verify(late, first), 'challenge_over')
      const tried = await desk.challenged()
      for (let count = 0; count < 4; count += 1) assert.equal(await desk.verify(tried, WRONG), 'totp_code_wrong')
      assert.equal(await desk.verify(tried, first), 'in')
      assert.equal(await desk.verify(tried, second), 'challenge_over')
      const spent = await desk.challenged()
      for (let count = 0; count < 5; count += 1) assert.equal(await desk.verify(spent, first), 'totp_code_wrong')
      assert.equal(await desk.verify(spent, second), 'challenge_over')
      world.clock.advance(299)
      const fresh = await desk.challenged()
      world.clock.advance(299)
      assert.equal(await desk.verify(fresh, second), 'in')
      assert.equal(await desk.verify(fresh, third), 'challenge_over')
    }),
  )

  it(
    'leaves no challenge behind: the sweep removes expired challenges only',
    inWorld(async (world) => {
      const desk = deskOf(world)
      await guarded(desk, world)
      const old = await desk.challenged()
      world.clock.advance(299)
      const young = await desk.challenged()
      const isKnown = (mfaToken: string) => {
        const tokenHash = createHash('sha256').update(mfaToken).digest('hex')
        return world.store.read(async (tx) => (await tx.challenges.find(tokenHash)) !== undefined)
      }
      await world.rules.sweep.sweep()
      assert.deepEqual([await isKnown(old), await isKnown(young)], [true, true])
      world.clock.advance(1)
      await world.rules.sweep.sweep()
      assert.deepEqual([await isKnown(old), await isKnown(young)], [false, true])
    }),
  )

  it(
    'counts wrong codes over all challenges of an account, and still accepts a backup code then',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator, backupCodes } = await guarded(desk, world)
      const guess = async (source: string) => desk.verify(await desk.challenged(source), WRONG, source)
      for (let count = 0; count < 10; count += 1) assert.equal(await guess('a'), 'totp_code_wrong')
      assert.equal(await guess('a'), 'attempts_limited')
      for (let count = 0; count < 90; count += 1) assert.equal(await guess(`source ${count}`), 'totp_code_wrong')
      assert.equal(await guess('b'), 'attempts_limited')
      world.clock.advance(900)
      assert.equal(await desk.verify(await desk.challenged('a'), desk.code(authenticator), 'a'), 'attempts_limited')
      assert.equal(await desk.verify(await desk.challenged('a'), defined(backupCodes[0]), 'a'), 'in')
      world.clock.advance(86_400)
      assert.equal(await desk.verify(await desk.challenged('a'), desk.code(authenticator), 'a'), 'in')
    }),
  )

  it(
    'ends a challenge when the key is changed',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { backupCodes } = await guarded(desk, world)
      const mfaToken = await desk.challenged()
      const { accountId } = await desk.account()
      await world.store.write([], (tx) => tx.challenges.removeOf(accountId))
      assert.equal(await desk.verify(mfaToken, defined(backupCodes[0])), 'challenge_over')
    }),
  )
})

describe('challenges of one account', () => {
  it(
    'are at most a thousand: the oldest ends, and a new one is never refused',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator } = await guarded(desk, world)
      const [oldest, next] = [await desk.challenged(), await desk.challenged()]
      world.clock.advance(1)
      for (let count = 2; count <= MAX_WAITING; count += 1) await desk.challenged()
      const code = desk.code(authenticator)
      const answers = [await desk.verify(oldest, code), await desk.verify(next, code)]
      assert.deepEqual(answers.toSorted(), ['challenge_over', 'in'])
    }),
  )

  it(
    'of sign-ins end none of a recovery',
    inWorld(async (world) => {
      const desk = deskOf(world)
      await guarded(desk, world)
      const { accountId } = await desk.account()
      const challenges = createChallenges(world, world.settings)
      const create = (recovery: string | undefined) =>
        world.store.write([], (tx) => challenges.create(tx, { accountId, deviceId: undefined, recovery }))
      const { mfaToken } = await create('{}')
      world.clock.advance(1)
      for (let count = 0; count <= MAX_WAITING; count += 1) await create(undefined)
      assert.ok(await world.store.read((tx) => challenges.find(tx, mfaToken)))
    }),
  )
})

describe('64 concurrent attempts', () => {
  it(
    'use a code once, with 64 challenges or with one',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator, backupCodes } = await guarded(desk, world)
      for (const backupCode of backupCodes.slice(0, 3)) {
        world.clock.advance(86_400)
        for (const code of [desk.code(authenticator), backupCode]) {
          const tokens = await times(64, () => desk.challenged())
          const answers = await times(64, (index) => desk.verify(defined(tokens[index]), code))
          assert.deepEqual([countOf(answers, 'in'), countOf(answers, 'totp_code_wrong')], [1, 63])
        }
        world.clock.advance(86_400)
        for (const code of [desk.code(authenticator), defined(backupCodes[9])]) {
          const mfaToken = await desk.challenged()
          const answers = await times(64, () => desk.verify(mfaToken, code))
          const isNew = code.length === 6 || backupCode === backupCodes[0]
          const tried = isNew ? { in: 1, challenge_over: 63 } : { totp_code_wrong: 5, challenge_over: 59 }
          for (const [answer, count] of Object.entries(tried)) assert.equal(countOf(answers, answer), count)
        }
      }
    }),
  )

  it(
    'check five wrong codes of a challenge, and turn the factor on or off once',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const account = await register(desk)
      const authenticator = await enroll(desk)
      const code = desk.code(authenticator)
      const confirmed = await times(64, async () =>
        reasonOf(await desk.factor.confirm(account, { code, source: undefined })),
      )
      assert.deepEqual([countOf(confirmed, 'in'), countOf(confirmed, 'totp_not_pending')], [1, 63])
      const mfaToken = await desk.challenged()
      const guesses = await times(64, () => desk.verify(mfaToken, WRONG))
      assert.deepEqual([countOf(guesses, 'totp_code_wrong'), countOf(guesses, 'challenge_over')], [5, 59])
      const next = { provedKey: proved(), code: desk.code(authenticator, 1), source: undefined }
      const disabled = await times(64, async () => reasonOf(await desk.factor.disable(account, next)))
      assert.deepEqual([countOf(disabled, 'done'), countOf(disabled, 'totp_not_enrolled')], [1, 63])
    }),
  )
})

describe('new backup codes', () => {
  it(
    'ask for the sign-in key and a code of either kind, and replace the former ones',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator, backupCodes } = await guarded(desk, world)
      const renew = async (key: string, code: string) =>
        desk.factor.renewBackupCodes(await desk.account(), { provedKey: proved(key), code, source: undefined })
      assert.equal(reasonOf(await renew('wrong', desk.code(authenticator))), 'credentials_wrong')
      assert.equal(reasonOf(await renew(KEY, WRONG)), 'totp_code_wrong')
      const byApp = notRefused(await renew(KEY, desk.code(authenticator))).backupCodes
      const renewed = notRefused(await renew(KEY, defined(byApp[0]))).backupCodes
      assert.equal(new Set([...backupCodes, ...byApp, ...renewed]).size, 30)
      for (const former of [...backupCodes, ...byApp]) {
        world.clock.advance(3600)
        assert.equal(reasonOf(await renew(KEY, former)), 'totp_code_wrong')
      }
      assert.equal(await desk.verify(await desk.challenged(), defined(renewed[0])), 'in')
      assert.equal(
        reasonOf(
          await desk.factor.disable(await desk.account(), {
            provedKey: proved(),
            code: defined(renewed[1]),
            source: undefined,
          }),
        ),
        'done',
      )
      assert.equal(reasonOf(await renew(KEY, defined(renewed[2]))), 'totp_not_enrolled')
    }),
  )
})

describe('turning a second factor off', () => {
  it(
    'asks for the sign-in key and a code of either kind, and removes the backup codes and open challenges',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator, backupCodes } = await guarded(desk, world)
      const disable = async (key: string, code: string) =>
        reasonOf(await desk.factor.disable(await desk.account(), { provedKey: proved(key), code, source: undefined }))
      assert.equal(await disable('wrong', desk.code(authenticator)), 'credentials_wrong')
      assert.equal(await disable(KEY, WRONG), 'totp_code_wrong')
      const open = await desk.challenged()
      assert.equal(await disable(KEY, defined(backupCodes[0])), 'done')
      assert.equal(await disable(KEY, defined(backupCodes[1])), 'totp_not_enrolled')
      assert.equal(await desk.verify(open, defined(backupCodes[1])), 'challenge_over')
      assert.ok(!isChallenge(notRefused(await desk.login())))
      const second = await enroll(desk)
      notRefused(await desk.factor.confirm(await desk.account(), { code: desk.code(second), source: undefined }))
      assert.equal(await desk.verify(await desk.challenged(), defined(backupCodes[1])), 'totp_code_wrong')
    }),
  )

  it(
    'keeps used steps used for the next factor',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator } = await guarded(desk, world)
      const off = { provedKey: proved(), code: desk.code(authenticator), source: undefined }
      assert.equal(await desk.factor.disable(await desk.account(), off), undefined)
      const second = await enroll(desk)
      const confirm = async (aside: number) =>
        reasonOf(await desk.factor.confirm(await desk.account(), { code: desk.code(second, aside), source: undefined }))
      assert.deepEqual([await confirm(0), await confirm(1)], ['totp_code_wrong', 'in'])
    }),
  )
})
