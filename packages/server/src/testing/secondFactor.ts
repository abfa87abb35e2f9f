import assert from 'node:assert/strict'
import { type Authenticator, createAuthenticator, stepAt } from '../../../../testing/authenticator.ts'
import { createAccounts } from '../domain/account/accounts.ts'
import { isChallenge } from '../domain/account/challenges.ts'
import { createSecondFactor } from '../domain/account/secondFactor.ts'
import type { SecretHasher } from '../ports/secrets.ts'
import type { Account } from '../ports/store.ts'
import { notRefused } from './guest.ts'
import { EMAIL, quickHasher, quickPorts, registration, SECRET } from './secrets.ts'
import { defined, type World } from './world.ts'

/** Taken for a wrong code: it is right with a chance of three in a million. */
export const WRONG = '000000'

export const reasonOf = (answer: object | undefined) =>
  answer === undefined ? 'done' : 'refused' in answer ? String(answer.refused) : 'in'

export type Desk = ReturnType<typeof deskOf>

/** The rules with a hasher that costs nothing. `meanwhile` runs while a secret is checked. */
export function deskOf(world: World, meanwhile: () => Promise<unknown> = async () => undefined) {
  const { store, clock, rules, settings } = world
  const hasher: SecretHasher = {
    hash: quickHasher.hash,
    async verify(hash, secret) {
      await meanwhile()
      return quickHasher.verify(hash, secret)
    },
  }
  const ports = { ...quickPorts(world), hasher }
  const accounts = createAccounts(ports, settings)
  const factor = createSecondFactor({ ...ports, accounts, applyRecovery: rules.recovery.apply }, settings)
  const login = (secret = SECRET, source?: string) =>
    accounts.logIn({ email: EMAIL, secret, deviceId: undefined, source })
  return {
    accounts,
    factor,
    login,
    account: async () => defined(await store.read((tx) => tx.accounts.findByEmail(EMAIL))),
    async challenged(source?: string): Promise<string> {
      const answer = notRefused(await login(SECRET, source))
      assert.ok(isChallenge(answer))
      return answer.mfaToken
    },
    verify: async (mfaToken: string, code: string, source?: string) =>
      reasonOf(await factor.verify({ mfaToken, code, source })),
    code: (authenticator: Authenticator, aside = 0) => authenticator.codeOf(stepAt(clock.now()) + aside),
  }
}

export async function register({ accounts, account }: Desk): Promise<Account> {
  notRefused(await accounts.register(registration()))
  return account()
}

export async function enroll({ factor, account }: Desk): Promise<Authenticator> {
  const enrolled = notRefused(await factor.enroll(await account(), { secret: SECRET, source: undefined }))
  return createAuthenticator(enrolled.provisioningUri)
}

export interface Guarded {
  readonly authenticator: Authenticator
  readonly backupCodes: readonly string[]
}

/** An account whose factor is on, at a time whose codes are all unused. */
export async function guarded(desk: Desk, { clock }: World): Promise<Guarded> {
  await register(desk)
  const authenticator = await enroll(desk)
  const code = desk.code(authenticator)
  const { backupCodes } = notRefused(await desk.factor.confirm(await desk.account(), { code, source: undefined }))
  clock.advance(60)
  return { authenticator, backupCodes }
}
