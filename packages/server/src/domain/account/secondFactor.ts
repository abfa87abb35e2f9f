/** The second factor (specification, Authentication, 3): a code of an authenticator, or one of ten backup codes. */
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import { type Account, accountLock, type Challenge, type Store, type WriteTx } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { Accounts } from './accounts.ts'
import { createChallenges } from './challenges.ts'
import { confirmedFactor, type FactorCodes, type GivenCode } from './factorCodes.ts'
import { createFactorSetup } from './factorSetup.ts'
import { judgeNamedDevice } from './sessionDevice.ts'
import type { NewSession, Sessions, TokenPair } from './sessions.ts'

interface SecondFactorPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly accounts: Pick<Accounts, 'requireSignInKey'>
  readonly codes: FactorCodes
  readonly sessions: Pick<Sessions, 'begin'>
  /** Applies a recovery after its challenge has been passed, in the same transaction. */
  readonly applyRecovery: (tx: WriteTx, account: Account, recovery: string) => Promise<void>
}

/**
 * A refusal would roll back the transaction. A verdict keeps the counted attempt and the used code. `expired` also
 * means that the challenge was consumed, has no attempts left, or names a device that was revoked since.
 */
type Verdict = 'passed' | 'wrong' | 'expired'

export type SecondFactors = ReturnType<typeof createSecondFactor>

export function createSecondFactor(
  ports: SecondFactorPorts,
  settings: { readonly publicUrl: string; readonly serverId: string },
) {
  const { store, codes, sessions, applyRecovery } = ports
  const challenges = createChallenges(ports, settings)

  /** The attempt is counted before the code is checked, and stays counted when the code is wrong. */
  async function passChallenge(
    tx: WriteTx,
    challenge: Challenge,
    { code, session }: { readonly code: string; readonly session: NewSession },
  ): Promise<Verdict> {
    if (!(await challenges.countAttempt(tx, challenge))) return 'expired'
    // Before the code is used: a challenge ends with its device.
    if ((await judgeNamedDevice(tx, challenge)) !== undefined) return 'expired'
    const account = await tx.accounts.find(challenge.accountId)
    const factor = await confirmedFactor(tx, challenge.accountId)
    if (account === undefined || factor === undefined) return 'expired'
    if (!(await codes.use(tx, account.accountId, { factor, code }))) return 'wrong'
    if (!(await challenges.consume(tx, challenge))) return 'expired'
    if (challenge.recovery !== undefined) await applyRecovery(tx, account, challenge.recovery)
    await session.insert(tx)
    return 'passed'
  }

  return {
    ...createFactorSetup(ports, settings),

    /** The second step of a sign-in or a recovery. Only this function turns a challenge into a session. */
    async verify({
      mfaToken,
      ...request
    }: GivenCode & { readonly mfaToken: string }): Promise<
      TokenPair | Refuses<'attempts_limited' | 'challenge_over' | 'totp_code_wrong'>
    > {
      const limited = await codes.countAttempt(request.source)
      if (limited !== undefined) return limited
      const challenge = await store.read((tx) => challenges.find(tx, mfaToken))
      if (challenge === undefined) return { refused: 'challenge_over' }
      const session = sessions.begin(challenge.accountId, challenge.deviceId)
      const answer = await codes.check(challenge.accountId, request, (code) =>
        store.write([accountLock(challenge.accountId)], (tx) => passChallenge(tx, challenge, { code, session })),
      )
      if (answer === 'passed') return session.pair()
      if (isRefusal(answer)) return answer
      return { refused: answer === 'wrong' ? 'totp_code_wrong' : 'challenge_over' }
    },
  }
}
