import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accountsOf, registration } from '../../testing/signInKeys.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { createOperator } from '../closing/operator.ts'
import { isRefusal, type Refusal } from '../ground/refusals.ts'
import { createQuota } from '../quota/quota.ts'

const ADA = 'ada@example.org'
/** Typed by a person, all of them the same address. */
const SPELLINGS = [' Ada@Example.ORG ', 'ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ', '\u00a0ADA@example.org']
/** To the eye the same address, or one with white space, control or other letters inside. */
const NOT_PLAIN = [
  'ada\u200b@example.org',
  'ada@example.org\u200b',
  '\ufeffada@example.org',
  '\u202eada@example.org',
  'ada@exa\u2060mple.org',
  'a\u00adda@example.org',
  '\u0430da@example.org',
  'ad\u0430@example.org',
  'ada@ex\u0430mple.org',
  'ad\u0101@example.org',
  'a da@example.org',
  'ada@@example.org',
  'ada\n@example.org',
  '',
]

const reasonOf = (answer: object | Refusal): string => (isRefusal(answer) ? answer.refused : 'in')

/** Everything that takes an e-mail, with what it answers to the owner's. */
function doors(world: World) {
  const accounts = accountsOf(world)
  const { provedKey } = registration()
  const { recovery } = world.rules
  const finish = {
    recoveryKey: new Uint8Array(32),
    provedKey,
    kdfVersion: 1,
    salt: undefined,
    sealedAccountKey: undefined,
  }
  return {
    register: async (email: string) => reasonOf(await accounts.register(registration({ email }))),
    logIn: async (email: string) =>
      reasonOf(await accounts.logIn({ email, provedKey, deviceId: undefined, source: undefined })),
    kdf: async (email: string) => reasonOf(await accounts.kdf(email, undefined)),
    startRecovery: async (email: string) => reasonOf(await recovery.start(email, undefined)),
    finishRecovery: async (email: string) =>
      reasonOf(await recovery.finish({ ...finish, email, sealedRecoveryKey: undefined, source: undefined } as never)),
  }
}

describe('an e-mail address', () => {
  it(
    'is refused everywhere when it is not plain, before anything is counted or looked up',
    inWorld(async (world) => {
      const { register, ...others } = doors(world)
      assert.equal(isRefusal(await accountsOf(world).register(registration({ email: ADA }))), false)
      for (const email of NOT_PLAIN) {
        assert.equal(await register(email), 'registration_invalid', JSON.stringify(email))
        for (const [door, ask] of Object.entries(others))
          assert.equal(await ask(email), 'request_malformed', `${door} ${JSON.stringify(email)}`)
      }
      assert.equal((await world.store.read((tx) => tx.accounts.list({ afterEmail: undefined, max: 10 }))).length, 1)
    }),
  )

  it(
    'is one account in every spelling, for its owner and for the operator',
    inWorld(async (world) => {
      const { register, logIn, finishRecovery } = doors(world)
      assert.equal(await register(ADA), 'in')
      const operator = createOperator({
        ...world,
        ending: world.rules.ending,
        quota: createQuota({ softBytes: undefined, hardBytes: undefined, graceDays: 14 }),
      })
      const accountId = defined(await operator.find(ADA)).account.accountId
      for (const email of SPELLINGS) {
        assert.equal(await register(email), 'in', 'a repeat of the registration')
        assert.equal(await logIn(email), 'in')
        assert.equal(await finishRecovery(email), 'recovery_invalid')
        assert.equal((await operator.find(email))?.account.accountId, accountId)
        const salts = await Promise.all([ADA, email].map((each) => world.rules.accounts.kdf(each, undefined)))
        assert.deepEqual(salts[0], salts[1])
      }
      for (const email of NOT_PLAIN) assert.equal(await operator.find(email), undefined)
    }),
  )
})
