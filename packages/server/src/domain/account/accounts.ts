/** Accounts. A client derives a key from the password; the server stores the SHA-256 of its public half. */
import type { DeviceId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Random } from '../../ports/random.ts'
import type { Account, Store } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { type AttemptSettings, createAttemptLimits } from './attemptLimits.ts'
import type { GivenChallenge } from './challenges.ts'
import { emailOf } from './email.ts'
import { decoySalt, KDF_VERSION } from './kdf.ts'
import { isKey, type KeyHash } from './proofs.ts'
import { createRegister, type RegistrationSettings } from './registration.ts'
import type { Sessions, TokenPair } from './sessions.ts'
import { createSignIn } from './signIn.ts'

export interface AccountSettings extends RegistrationSettings, AttemptSettings {}

export interface Credentials {
  readonly email: string
  readonly provedKey: KeyHash
  readonly deviceId: DeviceId | undefined
  readonly source: string | undefined
}

interface AccountPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly limiter: Limiter
  readonly sessions: Sessions
  /** Keeps decoy salts the same after a restart. */
  readonly serverSecret: Uint8Array
}

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(ports: AccountPorts, settings: AccountSettings) {
  const { store, serverSecret } = ports
  const attemptLimits = createAttemptLimits(ports, settings)
  const signIn = createSignIn({ ...ports, attemptLimits }, settings)

  async function checkKey(
    { email, source }: { readonly email: string; readonly source: string | undefined },
    signInKeyHash: KeyHash | undefined,
    provedKey: KeyHash,
  ): Promise<Refuses<'credentials_wrong' | 'attempts_limited'> | undefined> {
    const isRight = await attemptLimits.check(
      attemptLimits.forSignInKeys(email, source),
      async () => isKey(signInKeyHash, provedKey),
      (answer) => !answer,
    )
    if (isRefusal(isRight)) return isRight
    return isRight ? undefined : { refused: 'credentials_wrong' }
  }

  function findByEmail(email: string): Promise<Account | undefined> {
    return store.read((tx) => tx.accounts.findByEmail(email))
  }

  return {
    register: createRegister({ ...ports, attemptLimits, signIn }, settings),

    /**
     * Requires that a signed-in caller has proved the present key, before an act for which a stolen token must not be
     * enough. It counts like a sign-in. It checks the given row: a caller that then changes the key must compare it
     * again in its own transaction.
     */
    async requireSignInKey(
      { email, signInKeyHash }: Pick<Account, 'email' | 'signInKeyHash'>,
      provedKey: KeyHash,
      source: string | undefined,
    ): Promise<Refuses<'credentials_wrong' | 'attempts_limited'> | undefined> {
      return (await attemptLimits.countAttempt(source)) ?? checkKey({ email, source }, signInKeyHash, provedKey)
    },

    /** What the client needs to derive its key. An unknown e-mail gets a decoy salt. */
    async kdf(
      email: string,
      source: string | undefined,
    ): Promise<{ kdfVersion: number; salt: Uint8Array } | Refuses<'request_malformed' | 'attempts_limited'>> {
      const canonical = emailOf(email)
      if (isRefusal(canonical)) return canonical
      const limited = await attemptLimits.countAttempt(source)
      if (limited !== undefined) return limited
      const decoy = decoySalt(serverSecret, canonical)
      const account = await findByEmail(canonical)
      return { kdfVersion: account?.kdfVersion ?? KDF_VERSION, salt: account?.salt ?? decoy }
    },

    async logIn(
      credentials: Credentials,
    ): Promise<
      | TokenPair
      | GivenChallenge
      | Refuses<'request_malformed' | 'credentials_wrong' | 'attempts_limited' | 'device_not_authorized'>
    > {
      const { provedKey, deviceId, source } = credentials
      const email = emailOf(credentials.email)
      if (isRefusal(email)) return email
      const limited = await attemptLimits.countAttempt(source)
      if (limited !== undefined) return limited
      const account = await findByEmail(email)
      const refused = await checkKey({ email, source }, account?.signInKeyHash, provedKey)
      if (refused !== undefined) return refused
      return account === undefined ? { refused: 'credentials_wrong' } : signIn(account, provedKey, deviceId)
    },
  }
}
