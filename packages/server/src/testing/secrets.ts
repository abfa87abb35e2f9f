import type { AccountId } from '@blindkeep/protocol/ids'
import { createAccounts } from '../domain/accounts.ts'
import { createDeparture } from '../domain/departure.ts'
import { createChangePassword } from '../domain/password.ts'
import type { SecretHasher } from '../ports/secrets.ts'
import { accountRow } from './guest.ts'
import { newAccount, type World } from './world.ts'

export const SECRET = 'a secret of enough length'

/** What asks for an account's secret, with a hasher that costs nothing, for tests that do not care what a hash is. */
export function quickly(world: World) {
  const { store, clock, random, limiter, keys, rules, settings } = world
  const hasher: SecretHasher = {
    hash: async (secret) => `hash of ${secret}`,
    verify: async (hash, secret) => hash === `hash of ${secret}`,
  }
  const { sessions, inbox, assets, ending } = rules
  const { serverSecret } = keys
  const accounts = createAccounts({ store, clock, random, limiter, hasher, sessions, serverSecret }, settings)
  let departed = 0
  const onDeparted = () => {
    departed += 1
  }
  const departure = createDeparture({ store, clock, accounts, inbox, assets, ending, onDeparted })
  return {
    accounts,
    changePassword: createChangePassword({ store, clock, hasher, accounts }),
    departure,
    departedCalls: () => departed,

    /** Somebody who keeps files here, and whose secret is `SECRET`. */
    async newAccount(): Promise<AccountId> {
      const accountId = await newAccount(world)
      const secretHash = await hasher.hash(SECRET)
      const secret = { secretHash, kdfVersion: 1, salt: new Uint8Array(16), sealedAccountKey: new Uint8Array(60) }
      await store.write((tx) => tx.accounts.changeSecret(accountId, '-', secret))
      return accountId
    },

    leave: async (accountId: AccountId) => departure.leave(await accountRow(world, accountId), SECRET, undefined),
  }
}
