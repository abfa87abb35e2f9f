import { createHash } from 'node:crypto'
import type { AccountId } from '@blindkeep/protocol/ids'
import { createAccounts } from '../domain/account/accounts.ts'
import { createFactorCodes } from '../domain/account/factorCodes.ts'
import { createChangePassword } from '../domain/account/password.ts'
import type { KeyHash } from '../domain/account/proofs.ts'
import { createRecoveryWords } from '../domain/account/recoveryWords.ts'
import type { Registration } from '../domain/account/registration.ts'
import { createAccountDeletion } from '../domain/closing/accountDeletion.ts'
import { accountRow } from './guest.ts'
import { defined, newAccount, type World } from './world.ts'

export const EMAIL = 'ada@example.org'
/** The name of a key. */
export const KEY = 'the first key'

/** Stands for a public key, another one for each name. */
export const publicKey = (name: string): Uint8Array => keyHash(Buffer.from(name))

/** What the gate of proofs gives a rule for a right proof of `publicKey(name)`. */
export const proved = (name = KEY): KeyHash => keyHash(publicKey(name))

/** As the server stores a public key. */
export function keyHash(bytes: Uint8Array): KeyHash {
  return new Uint8Array(createHash('sha256').update(bytes).digest())
}

export const registration = (overrides: Partial<Registration> = {}): Registration => ({
  email: EMAIL,
  provedKey: proved(),
  kdfVersion: undefined,
  salt: undefined,
  sealedAccountKey: undefined,
  sealedRecoveryKey: undefined,
  recoveryKey: undefined,
  invite: undefined,
  isForwarded: false,
  source: undefined,
  ...overrides,
})

/** The ports of rules that check keys. */
export function keyPorts({ store, clock, random, limiter, keyring, keys, rules, settings }: World) {
  const { serverSecret } = keys
  const codes = createFactorCodes({ clock, limiter, keyring, serverSecret }, settings)
  return { store, clock, random, limiter, sessions: rules.sessions, serverSecret, codes }
}

export function accountsOf(world: World, overrides: Partial<World['settings']> = {}) {
  return createAccounts(keyPorts(world), { ...world.settings, ...overrides })
}

/** The rules that check an account's sign-in key. */
export function keyRules(world: World) {
  const { store, clock, rules } = world
  const { inbox, assets, bin, ending } = rules
  const { codes } = keyPorts(world)
  const accounts = accountsOf(world)
  let deleted = 0
  const onDeleted = () => {
    deleted += 1
  }
  const accountDeletion = createAccountDeletion({
    store,
    clock,
    accounts,
    codes,
    inbox,
    assets,
    bin,
    ending,
    onDeleted,
  })
  return {
    accounts,
    changePassword: createChangePassword({ store, clock, accounts, codes }),
    recoveryWords: createRecoveryWords({ store, clock, limiter: world.limiter, accounts, codes }, world.settings),
    accountDeletion,
    deletedCalls: () => deleted,

    /** An account whose sign-in key is `KEY`. */
    async newAccount(): Promise<AccountId> {
      const accountId = await newAccount(world)
      const from = defined((await accountRow(world, accountId)).signInKeyHash)
      const sealed = { kdfVersion: 1, salt: new Uint8Array(16), sealedAccountKey: new Uint8Array(60) }
      await store.write([], (tx) =>
        tx.accounts.changeSignInKey(accountId, from, { signInKeyHash: proved(), ...sealed }),
      )
      return accountId
    },

    deleteAccount: async (accountId: AccountId) =>
      accountDeletion.begin(await accountRow(world, accountId), {
        provedKey: proved(),
        code: undefined,
        source: undefined,
      }),
  }
}

/** All sign-ins of an account with this kind of key but one, in these 15 minutes. */
export async function useUpSignIns(
  { limiter }: World,
  accountId: AccountId,
  by: 'password' | 'words' | 'passkey' = 'password',
): Promise<void> {
  const rule = `sign-ins-by-${by}-of-account`
  await limiter.take([{ rule, key: accountId, max: 1000, windowSeconds: 900, weight: 999 }])
}
