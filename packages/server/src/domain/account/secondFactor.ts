import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Random } from '../../ports/random.ts'
import type { Account, Challenge, Store, WriteTx } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import type { Accounts } from './accounts.ts'
import type { AttemptSettings } from './attemptLimits.ts'
import { createChallenges } from './challenges.ts'
import { confirmedFactor, createFactorCodes, type GivenCode } from './factorCodes.ts'
import { createFactorSetup } from './factorSetup.ts'
import type { NewSession, Sessions, TokenPair } from './sessions.ts'

/** The second factor (specification, Authentication, 3): a code of an authenticator, or one of ten backup codes. */
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
  /** Sets the values of a recovery whose challenge is met, in the same transaction. */
  readonly applyRecovery: (tx: WriteTx, account: Account, recovery: string) => Promise<void>
}

/** Not a refusal, as a refusal would undo the transaction: what it counted and used up must stay so. */
type Verdict = 'met' | 'wrong' | 'over'

export type SecondFactors = ReturnType<typeof createSecondFactor>

export function createSecondFactor(ports: SecondFactorPorts, settings: SecondFactorSettings) {
  const { store, sessions, applyRecovery } = ports
  const challenges = createChallenges(ports)
  const codes = createFactorCodes(ports, settings)

  /** The try is counted before the code is checked, and stays counted when the code is wrong. */
  async function meet(
    tx: WriteTx,
    challenge: Challenge,
    { code, session }: { readonly code: string; readonly session: NewSession },
  ): Promise<Verdict> {
    if (!(await challenges.countTry(tx, challenge))) return 'over'
    const account = await tx.accounts.find(challenge.accountId)
    const factor = await confirmedFactor(tx, challenge.accountId)
    if (account === undefined || factor === undefined) return 'over'
    if (!(await codes.use(tx, account.accountId, { factor, code }))) return 'wrong'
    if (!(await challenges.take(tx, challenge))) return 'over'
    if (challenge.recovery !== undefined) await applyRecovery(tx, account, challenge.recovery)
    await session.insert(tx)
    return 'met'
  }

  return {
    ...createFactorSetup({ ...ports, codes }, settings),

    /** The second step of a sign-in or a recovery. Here alone a challenge becomes a session. */
    async verify({
      mfaToken,
      ...given
    }: GivenCode & { readonly mfaToken: string }): Promise<
      TokenPair | Refuses<'attempts_limited' | 'challenge_over' | 'totp_code_wrong'>
    > {
      const limited = await codes.countAttempt(given.source)
      if (limited !== undefined) return limited
      const challenge = await store.read((tx) => challenges.find(tx, mfaToken))
      if (challenge === undefined) return { refused: 'challenge_over' }
      const session = sessions.begin(challenge.accountId, challenge.deviceId)
      const answer = await codes.check(challenge.accountId, given, (code) =>
        store.write((tx) => meet(tx, challenge, { code, session })),
      )
      if (answer === 'met') return session.pair()
      if (isRefusal(answer)) return answer
      return { refused: answer === 'wrong' ? 'totp_code_wrong' : 'challenge_over' }
    },
  }
}
