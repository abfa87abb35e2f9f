import type { DeviceId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import { type Account, accountLock, type Store } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import type { AttemptLimits } from './attemptLimits.ts'
import { createChallenges, type GivenChallenge } from './challenges.ts'
import { isKey, type KeyHash } from './proofs.ts'
import { judgeNamedDevice } from './sessionDevice.ts'
import type { Sessions, TokenPair } from './sessions.ts'

interface SignInPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly sessions: Pick<Sessions, 'begin'>
  readonly attemptLimits: Pick<AttemptLimits, 'countSignIn'>
}

export type SignIn = ReturnType<typeof createSignIn>

export function createSignIn(
  { store, clock, random, sessions, attemptLimits }: SignInPorts,
  settings: { readonly serverId: string },
) {
  const challenges = createChallenges({ clock, random }, settings)

  /**
   * Signs in a caller who has proved the key of the given row: with a session, or with a challenge when a second
   * factor is on (specification, Authentication, 3). Refuses when the key has changed since, or the named device is
   * revoked. One transaction checks all of them, so a change of any counts.
   */
  return async function signIn(
    account: Account,
    provedKey: KeyHash,
    deviceId: DeviceId | undefined,
  ): Promise<TokenPair | GivenChallenge | Refuses<'credentials_wrong' | 'attempts_limited' | 'device_not_authorized'>> {
    const { accountId } = account
    const limited = await attemptLimits.countSignIn(account, 'password')
    if (limited !== undefined) return limited
    const session = sessions.begin(accountId, deviceId)
    const answer = await store.write([accountLock(accountId)], async (tx) => {
      const present = await tx.accounts.find(accountId)
      if (present === undefined || !isKey(present.signInKeyHash, provedKey))
        return { refused: 'credentials_wrong' } as const
      const refused = await judgeNamedDevice(tx, { accountId, deviceId })
      if (refused !== undefined) return refused
      if (present.totpConfirmedAt !== undefined)
        return challenges.create(tx, { accountId, deviceId, recovery: undefined })
      await session.insert(tx)
      return undefined
    })
    return answer ?? session.pair()
  }
}
