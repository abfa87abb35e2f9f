import assert from 'node:assert/strict'
import { type Authenticator, createAuthenticator, stepAt } from '../../../../testing/authenticator.ts'
import { createAccounts } from '../domain/account/accounts.ts'
import { isChallenge } from '../domain/account/challenges.ts'
import { createSecondFactor } from '../domain/account/secondFactor.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Account } from '../ports/store.ts'
import { notRefused } from './guest.ts'
import { EMAIL, KEY, keyPorts, proved, registration } from './signInKeys.ts'
import { defined, type World } from './world.ts'

/** Taken for a wrong code: it is right with a chance of three in a million. */
export const WRONG = '000000'

export const reasonOf = (answer: object | undefined) =>
  answer === undefined ? 'done' : 'refused' in answer ? String(answer.refused) : 'in'

export type Desk = ReturnType<typeof deskOf>

/** The rules. `meanwhile` runs when a key was found right, before what it lets in. */
export function deskOf(world: World, meanwhile: () => Promise<unknown> = async () => undefined) {
  const { store, clock, rules, settings } = world
  const ports = keyPorts(world)
  const limiter: Limiter = {
    ...ports.limiter,
    async giveBack(limits) {
      await meanwhile()
      return ports.limiter.giveBack(limits)
    },
  }
  const accounts = createAccounts({ ...ports, limiter }, settings)
  const factor = createSecondFactor({ ...ports, accounts, applyRecovery: rules.recovery.apply }, settings)
  const login = (key = KEY, source?: string) =>
    accounts.logIn({ email: EMAIL, provedKey: proved(key), deviceId: undefined, source })
  return {
    accounts,
    factor,
    login,
    account: async () => defined(await store.read((tx) => tx.accounts.findByEmail(EMAIL))),
    async challenged(source?: string): Promise<string> {
      const answer = notRefused(await login(KEY, source))
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
  const enrolled = notRefused(await factor.enroll(await account(), { provedKey: proved(), source: undefined }))
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
