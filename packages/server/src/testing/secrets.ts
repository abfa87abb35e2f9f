import type { AccountId } from '@blindkeep/protocol/ids'
import { createAccounts } from '../domain/account/accounts.ts'
import { createFactorCodes } from '../domain/account/factorCodes.ts'
import { createChangePassword } from '../domain/account/password.ts'
import type { Registration } from '../domain/account/registration.ts'
import { createAccountDeletion } from '../domain/closing/accountDeletion.ts'
import type { SecretHasher } from '../ports/secrets.ts'
import { accountRow } from './guest.ts'
import { newAccount, type World } from './world.ts'

export const EMAIL = 'ada@example.org'
export const SECRET = 'a secret of enough length'

/** Costs nothing, for tests that need no real hash. */
export const quickHasher: SecretHasher = {
  hash: async (secret) => `hash of ${secret}`,
  verify: async (hash, secret) => hash === `hash of ${secret}`,
}

export const registration = (overrides: Partial<Registration> = {}): Registration => ({
  email: EMAIL,
  secret: SECRET,
  kdfVersion: undefined,
  salt: undefined,
  sealedAccountKey: undefined,
  sealedRecoveryKey: undefined,
  recoveryProof: undefined,
  invite: undefined,
  isForwarded: false,
  source: undefined,
  ...overrides,
})

/** The ports of rules that check secrets, with the quick hasher. */
export function quickPorts({ store, clock, random, limiter, keyring, keys, rules, settings }: World) {
  const { serverSecret } = keys
  const codes = createFactorCodes({ clock, limiter, keyring, serverSecret }, settings)
  return { store, clock, random, limiter, hasher: quickHasher, sessions: rules.sessions, serverSecret, codes }
}

export function quickAccounts(world: World, overrides: Partial<World['settings']> = {}) {
  return createAccounts(quickPorts(world), { ...world.settings, ...overrides })
}

/** The rules that check an account's secret, with the quick hasher. */
export function quickly(world: World) {
  const { store, clock, rules } = world
  const { inbox, assets, ending } = rules
  const { codes } = quickPorts(world)
  const accounts = quickAccounts(world)
  let deleted = 0
  const onDeleted = () => {
    deleted += 1
  }
  const accountDeletion = createAccountDeletion({ store, clock, accounts, codes, inbox, assets, ending, onDeleted })
  return {
    accounts,
    changePassword: createChangePassword({ store, clock, hasher: quickHasher, accounts, codes }),
    accountDeletion,
    deletedCalls: () => deleted,

    /** An account whose secret is `SECRET`. */
    async newAccount(): Promise<AccountId> {
      const accountId = await newAccount(world)
      const signInKeyHash = await quickHasher.hash(SECRET)
      const secret = { signInKeyHash, kdfVersion: 1, salt: new Uint8Array(16), sealedAccountKey: new Uint8Array(60) }
      await store.write([], (tx) => tx.accounts.changeSignInKey(accountId, '-', secret))
      return accountId
    },

    deleteAccount: async (accountId: AccountId) =>
      accountDeletion.begin(await accountRow(world, accountId), { secret: SECRET, code: undefined, source: undefined }),
  }
}
