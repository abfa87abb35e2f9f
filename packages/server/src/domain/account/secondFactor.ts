import type { AccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Random } from '../../ports/random.ts'
import type { Account, Challenge, SecondFactor, Store, WriteTx } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import type { Accounts } from './accounts.ts'
import { type AttemptSettings, createAttemptLimits } from './attemptLimits.ts'
import { backupCodeHash, newBackupCodes } from './backupCodes.ts'
import { createChallenges } from './challenges.ts'
import { canonicalCode } from './crockford.ts'
import type { NewSession, Sessions, TokenPair } from './sessions.ts'
import { provisioningUri, stepsOf, TOTP_SECRET_BYTES } from './totp.ts'

/**
 * The second factor (specification, Authentication, 3): a code of an authenticator, or one of ten backup codes. Each is good once, whoever tries it at the
 * same time: it is used up by one conditional statement, in the transaction that does what it allows.
 */
interface SecondFactorSettings extends AttemptSettings {
  readonly publicUrl: string
}

interface SecondFactorPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly limiter: Limiter
  readonly keyring: Pick<Keyring, 'seal' | 'open'>
  readonly serverSecret: Uint8Array
  readonly accounts: Pick<Accounts, 'requireSecret'>
  readonly sessions: Pick<Sessions, 'begin'>
  /** Does in this transaction what a recovery was to do, when its challenge is met. */
  readonly applyRecovery: (tx: WriteTx, account: Account, recovery: string) => Promise<void>
}

interface GivenCode {
  readonly code: string
  readonly source: string | undefined
}

/** Not a refusal: what was counted or used up on the way to it has to stay so. */
type Verdict = 'in' | 'wrong' | 'over'

export type SecondFactors = ReturnType<typeof createSecondFactor>

export function createSecondFactor(ports: SecondFactorPorts, settings: SecondFactorSettings) {
  const { store, clock, random, keyring, accounts, sessions, applyRecovery } = ports
  const challenges = createChallenges(ports)
  const tries = createAttemptLimits(ports, settings)

  /** Counted by account, however many challenges there are, and given back unless it was wrong. */
  function judged<Answer>(
    accountId: AccountId,
    { code, source }: GivenCode,
    judge: (canonical: string) => Promise<Answer | 'wrong'>,
  ): Promise<Answer | 'wrong' | Refuses<'attempts_limited'>> {
    const canonical = canonicalCode(code)
    const limits = isDigits(canonical) ? tries.ofCodes(accountId, source) : tries.ofBackupCodes(accountId, source)
    return tries.judged(
      limits,
      () => judge(canonical),
      (answer) => answer === 'wrong',
    )
  }

  /** Whether it is a code of the authenticator that was not used before: it is now. */
  async function useTotp(tx: WriteTx, accountId: AccountId, given: { factor: SecondFactor; code: string }) {
    const secret = keyring.open(sealedAs(accountId), given.factor.sealedSecret)
    for (const step of stepsOf(secret, given.code, clock.now()))
      if (await tx.secondFactors.useStep(accountId, step)) return true
    return false
  }

  function useCode(tx: WriteTx, accountId: AccountId, given: { factor: SecondFactor; code: string }): Promise<boolean> {
    if (isDigits(given.code)) return useTotp(tx, accountId, given)
    return tx.secondFactors.useBackupCode(accountId, hashOf(accountId, given.code), clock.now())
  }

  function hashOf(accountId: AccountId, code: string): string {
    return backupCodeHash(ports.serverSecret, accountId, canonicalCode(code))
  }

  /** The try is counted before the code is judged, and stays counted when it is wrong. */
  async function meet(
    tx: WriteTx,
    challenge: Challenge,
    { code, session }: { readonly code: string; readonly session: NewSession },
  ): Promise<Verdict> {
    if (!(await challenges.countTry(tx, challenge))) return 'over'
    const account = await tx.accounts.find(challenge.accountId)
    const factor = await confirmedFactor(tx, challenge.accountId)
    if (account === undefined || factor === undefined) return 'over'
    if (!(await useCode(tx, account.accountId, { factor, code }))) return 'wrong'
    if (!(await challenges.take(tx, challenge))) return 'over'
    if (challenge.recovery !== undefined) await applyRecovery(tx, account, challenge.recovery)
    await session.insert(tx)
    return 'in'
  }

  async function confirmIn(
    accountId: AccountId,
    { code, hashes }: { readonly code: string; readonly hashes: readonly string[] },
  ): Promise<'in' | 'wrong' | 'not pending'> {
    return store.write(async (tx) => {
      const factor = await tx.secondFactors.find(accountId)
      if (factor === undefined || factor.confirmedAt !== undefined) return 'not pending'
      if (!(await useTotp(tx, accountId, { factor, code }))) return 'wrong'
      if (!(await tx.secondFactors.confirm(accountId, clock.now()))) return 'not pending'
      await tx.secondFactors.setBackupCodes(accountId, hashes)
      return 'in'
    })
  }

  return {
    /** Makes a secret that waits to be confirmed, in the place of one that waited before. */
    async enroll(
      account: Account,
      { secret, source }: { readonly secret: string; readonly source: string | undefined },
    ): Promise<
      { readonly provisioningUri: string } | Refuses<'credentials_wrong' | 'attempts_limited' | 'totp_already_active'>
    > {
      const refusal = await accounts.requireSecret(account, secret, source)
      if (refusal !== undefined) return refusal
      const { accountId, email } = account
      const totpSecret = random.bytes(TOTP_SECRET_BYTES)
      const sealed = keyring.seal(sealedAs(accountId), totpSecret)
      const refused = await store.write(async (tx) => {
        if (!(await isStillSecret(tx, account))) return { refused: 'credentials_wrong' } as const
        const isEnrolled = await tx.secondFactors.enroll(accountId, sealed)
        return isEnrolled ? undefined : ({ refused: 'totp_already_active' } as const)
      })
      if (refused !== undefined) return refused
      return { provisioningUri: provisioningUri({ secret: totpSecret, publicUrl: settings.publicUrl, email }) }
    },

    /** From here on a sign-in asks for it. Other sessions stay: they proved all that was asked of them. The codes are nowhere to be had again. */
    async confirm(
      { accountId }: Account,
      given: GivenCode,
    ): Promise<
      { readonly backupCodes: readonly string[] } | Refuses<'attempts_limited' | 'totp_code_wrong' | 'totp_not_pending'>
    > {
      const backupCodes = newBackupCodes(random)
      const hashes = backupCodes.map((code) => hashOf(accountId, code))
      const code = canonicalCode(given.code)
      const answer = await tries.judged(
        tries.ofFirstCodes(accountId, given.source),
        () => confirmIn(accountId, { code, hashes }),
        (outcome) => outcome === 'wrong',
      )
      if (answer === 'in') return { backupCodes }
      if (isRefusal(answer)) return answer
      return { refused: answer === 'wrong' ? 'totp_code_wrong' : 'totp_not_pending' }
    },

    /** Takes it away with its backup codes. What waits for a code of it is over. */
    async disable(
      account: Account,
      { secret, ...given }: GivenCode & { readonly secret: string },
    ): Promise<
      Refuses<'credentials_wrong' | 'attempts_limited' | 'totp_code_wrong' | 'totp_not_enrolled'> | undefined
    > {
      const refusal = await accounts.requireSecret(account, secret, given.source)
      if (refusal !== undefined) return refusal
      const { accountId } = account
      const answer = await judged(accountId, given, (code) =>
        store.write(async (tx) => {
          if (!(await isStillSecret(tx, account))) return { refused: 'credentials_wrong' } as const
          const factor = await confirmedFactor(tx, accountId)
          if (factor === undefined) return 'not enrolled' as const
          if (!(await useCode(tx, accountId, { factor, code }))) return 'wrong'
          await takeAway(tx, accountId)
          return 'off'
        }),
      )
      if (answer === 'off') return undefined
      if (isRefusal(answer)) return answer
      return { refused: answer === 'wrong' ? 'totp_code_wrong' : 'totp_not_enrolled' }
    },

    /** The second step of a sign-in or a recovery: the one place where a challenge becomes a session. */
    async verify({
      mfaToken,
      ...given
    }: GivenCode & { readonly mfaToken: string }): Promise<
      TokenPair | Refuses<'attempts_limited' | 'challenge_over' | 'totp_code_wrong'>
    > {
      const limited = await tries.attempt(given.source)
      if (limited !== undefined) return limited
      const challenge = await store.read((tx) => challenges.find(tx, mfaToken))
      if (challenge === undefined) return { refused: 'challenge_over' }
      const session = sessions.begin(challenge.accountId, challenge.deviceId)
      const answer = await judged(challenge.accountId, given, (code) =>
        store.write((tx) => meet(tx, challenge, { code, session })),
      )
      if (answer === 'in') return session.pair()
      if (isRefusal(answer)) return answer
      return { refused: answer === 'wrong' ? 'totp_code_wrong' : 'challenge_over' }
    },
  }
}

/** Takes an account's second factor away, whatever its state, with its backup codes and all that waits for a code of it. */
export async function takeAway(tx: WriteTx, accountId: AccountId): Promise<void> {
  await tx.secondFactors.remove(accountId)
  await tx.challenges.removeOf(accountId)
}

/** Whether the secret that was judged is the present one: whoever came with a stolen one is stopped by the change, also while being let in. */
async function isStillSecret(tx: WriteTx, { accountId, secretHash }: Account): Promise<boolean> {
  return (await tx.accounts.find(accountId))?.secretHash === secretHash
}

async function confirmedFactor(tx: WriteTx, accountId: AccountId): Promise<SecondFactor | undefined> {
  const factor = await tx.secondFactors.find(accountId)
  return factor?.confirmedAt === undefined ? undefined : factor
}

/** Bound to the account: a row's secret opens in no other row. Part of what is on the disk, so it never changes. */
function sealedAs(accountId: AccountId): string {
  return `totp ${accountId}`
}

function isDigits(canonical: string): boolean {
  return /^\d{6}$/.test(canonical)
}
