import { createHmac } from 'node:crypto'
import { type DeviceId, parseAccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Random } from '../../ports/random.ts'
import type { SecretHasher } from '../../ports/secrets.ts'
import type { Account, Store } from '../../ports/store.ts'
import { newId } from '../newId.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import { isSame } from '../sameBytes.ts'
import { sha256 } from '../sha256.ts'
import { createAttemptLimits } from './attemptLimits.ts'
import { createChallenges, type GivenChallenge, isChallenge } from './challenges.ts'
import { findInvite } from './invites.ts'
import type { Sessions, TokenPair } from './sessions.ts'

/** Accounts. The server learns a secret that the client derived from the password, and keeps a slow hash of it. */
export interface AccountSettings {
  readonly registration: 'open' | 'invite' | 'closed'
  /** Nobody asked for it to be open: then it is so to this machine and its network, not to whom a proxy lets in. */
  readonly isRegistrationDefault: boolean
  readonly loginTriesPerWindow: number
}

export interface Registration {
  readonly email: string
  readonly secret: string
  readonly kdfVersion: number | undefined
  readonly salt: Uint8Array | undefined
  readonly sealedAccountKey: Uint8Array | undefined
  readonly sealedRecoveryKey: Uint8Array | undefined
  readonly recoveryProof: Uint8Array | undefined
  /** What the operator has given out to somebody, where that is asked for. */
  readonly invite: string | undefined
  /** Whether a proxy says that the request came from elsewhere. */
  readonly isForwarded: boolean
  readonly source: string | undefined
}

export interface Credentials {
  readonly email: string
  readonly secret: string
  readonly deviceId: DeviceId | undefined
  readonly source: string | undefined
}

export const KDF_VERSION = 1
const SALT_BYTES = 16

interface AccountPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly limiter: Limiter
  readonly hasher: SecretHasher
  readonly sessions: Sessions
  /** Keeps made-up salts the same from one start to the next. */
  readonly serverSecret: Uint8Array
}

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(
  { store, clock, random, limiter, hasher, sessions, serverSecret }: AccountPorts,
  settings: AccountSettings,
) {
  const tries = createAttemptLimits({ limiter }, settings)
  const challenges = createChallenges({ clock, random })
  const { attempt } = tries

  /** What the deployment asks of whoever would register. */
  function registrationFor({ isForwarded }: Registration): AccountSettings['registration'] {
    const isOpenedByNobody = settings.isRegistrationDefault && isForwarded
    return settings.registration === 'open' && isOpenedByNobody ? 'invite' : settings.registration
  }

  /** A code that is good, or was: its account's owner may repeat a registration whose answer was lost. */
  async function admit(request: Registration): Promise<Admission | Refuses<'registration_closed'>> {
    if (registrationFor(request) === 'open') return { codeHash: undefined, usedBy: undefined }
    const invite = await store.read((tx) => findInvite(tx, request.invite, clock.now()))
    return invite ?? { refused: 'registration_closed' }
  }

  function judged(
    { email, source }: { readonly email: string; readonly source: string | undefined },
    judge: () => Promise<boolean>,
  ): Promise<boolean | Refuses<'attempts_limited'>> {
    return tries.judged(tries.ofSecrets(email, source), judge, (isRight) => !isRight)
  }

  /**
   * A session for whoever has proved the secret that the account had, or a challenge where a second factor is on (specification, Authentication, 3).
   * One transaction sees which: neither a secret that was changed nor a factor that was confirmed meanwhile is passed by.
   */
  async function letIn(
    { accountId, secretHash }: Account,
    deviceId: DeviceId | undefined,
  ): Promise<TokenPair | GivenChallenge | Refuses<'credentials_wrong'>> {
    const session = sessions.begin(accountId, deviceId)
    const answer = await store.write(async (tx) => {
      const present = await tx.accounts.find(accountId)
      if (present?.secretHash !== secretHash) return { refused: 'credentials_wrong' } as const
      if (present.totpConfirmedAt !== undefined)
        return challenges.create(tx, { accountId, deviceId, recovery: undefined })
      await session.insert(tx)
      return undefined
    })
    return answer ?? session.pair()
  }

  /** Undefined when the e-mail is taken. The invite is used up in the transaction that makes the account, so that of many who come with it one gets in. */
  async function create(
    request: Registration,
    email: string,
    codeHash: string | undefined,
  ): Promise<Account | undefined | Refuses<'registration_closed'>> {
    const secretHash = await hasher.hash(request.secret)
    const accountId = newId(random, parseAccountId)
    const { kdfVersion = KDF_VERSION, salt, sealedAccountKey, sealedRecoveryKey, recoveryProof } = request
    const recoveryProofHash = recoveryProof && sha256(recoveryProof)
    const sealed = { salt, sealedAccountKey, sealedRecoveryKey, recoveryProofHash }
    return store.write(async (tx) => {
      const inserted = await tx.accounts.insert({
        accountId,
        email,
        secretHash,
        kdfVersion,
        ...sealed,
        createdAt: clock.now(),
      })
      if (!inserted) return undefined
      if (codeHash !== undefined && !(await tx.invites.use(codeHash, accountId, clock.now())))
        return { refused: 'registration_closed' } as const
      return tx.accounts.find(accountId)
    })
  }

  /** A lost answer must not lock its owner out: the same values again are the same success. */
  async function isRepeat(account: Account, request: Registration): Promise<boolean> {
    const proofHash = request.recoveryProof && sha256(request.recoveryProof)
    const pairs = [
      [account.salt, request.salt],
      [account.sealedAccountKey, request.sealedAccountKey],
      [account.sealedRecoveryKey, request.sealedRecoveryKey],
      [account.recoveryProofHash, proofHash],
    ] as const
    const hasSameValues = pairs.every(([known, given]) => isSame(known, given))
    return (await hasher.verify(account.secretHash, request.secret)) && hasSameValues
  }

  function findByEmail(email: string): Promise<Account | undefined> {
    return store.read((tx) => tx.accounts.findByEmail(email))
  }

  return {
    async register(
      request: Registration,
    ): Promise<
      TokenPair | Refuses<'registration_invalid' | 'registration_closed' | 'email_taken' | 'attempts_limited'>
    > {
      const email = canonicalEmail(request.email)
      const fault = registrationFault(request, email)
      if (fault !== undefined) return { refused: 'registration_invalid', detail: fault }
      if (registrationFor(request) === 'closed') return { refused: 'registration_closed' }
      const limited = await attempt(request.source)
      if (limited !== undefined) return limited
      const admission = await admit(request)
      if (isRefusal(admission)) return admission
      const { codeHash, usedBy } = admission
      const isNew = usedBy === undefined && (await findByEmail(email)) === undefined
      const created = isNew ? await create(request, email, codeHash) : undefined
      if (created !== undefined) return isRefusal(created) ? created : sessions.open(created.accountId, undefined)
      const present = await findByEmail(email)
      // To a used code the answer is the same as to none, whoever's the e-mail is.
      const taken = { refused: usedBy === undefined ? 'email_taken' : 'registration_closed' } as const
      if (present === undefined || (usedBy !== undefined && usedBy !== present.accountId)) return taken
      // A repeat proves the secret as a login does, so it counts as one: registering must not be a way to guess without limits.
      const isAgain = await judged({ email, source: request.source }, () => isRepeat(present, request))
      if (isRefusal(isAgain)) return isAgain
      if (!isAgain) return taken
      // Registering is no way round a second factor. Whoever has turned one on has long had the answer.
      const entry = await letIn(present, undefined)
      return isRefusal(entry) || isChallenge(entry) ? taken : entry
    },

    /**
     * Asks somebody who is signed in for the present secret again, before what a stolen token alone must not do. Counted as a login's
     * tries are. What it lets through is judged by the row as it was read: whoever then changes the secret compares it in the statement.
     */
    async requireSecret(
      { email, secretHash }: Pick<Account, 'email' | 'secretHash'>,
      secret: string,
      source: string | undefined,
    ): Promise<Refuses<'credentials_wrong' | 'attempts_limited'> | undefined> {
      const limited = await attempt(source)
      if (limited !== undefined) return limited
      const isRight = await judged({ email, source }, () => hasher.verify(secretHash, secret))
      if (isRefusal(isRight)) return isRight
      return isRight ? undefined : { refused: 'credentials_wrong' }
    },

    /** What the client derives its secret with. An unknown e-mail gets a made-up salt that stays the same. */
    async kdf(
      email: string,
      source: string | undefined,
    ): Promise<{ kdfVersion: number; salt: Uint8Array } | Refuses<'attempts_limited'>> {
      const limited = await attempt(source)
      if (limited !== undefined) return limited
      const canonical = canonicalEmail(email)
      const decoy = createHmac('sha256', serverSecret)
        .update('salt\0')
        .update(canonical)
        .digest()
        .subarray(0, SALT_BYTES)
      const account = await findByEmail(canonical)
      return { kdfVersion: account?.kdfVersion ?? KDF_VERSION, salt: account?.salt ?? decoy }
    },

    async logIn({
      email,
      secret,
      deviceId,
      source,
    }: Credentials): Promise<TokenPair | GivenChallenge | Refuses<'credentials_wrong' | 'attempts_limited'>> {
      const limited = await attempt(source)
      if (limited !== undefined) return limited
      const canonical = canonicalEmail(email)
      const account = await findByEmail(canonical)
      const isRight = await judged({ email: canonical, source }, () => hasher.verify(account?.secretHash, secret))
      if (isRefusal(isRight)) return isRight
      return account === undefined || !isRight ? { refused: 'credentials_wrong' } : letIn(account, deviceId)
    },
  }
}

/** By which invite somebody may register, and what it was used for before; neither where none is asked for. */
interface Admission {
  readonly codeHash: string | undefined
  readonly usedBy: Account['accountId'] | undefined
}

/** As it is kept and compared. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase()
}

function registrationFault(request: Registration, email: string): string | undefined {
  if (!/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) return '/email must be an e-mail address'
  if (request.kdfVersion !== undefined && request.kdfVersion !== KDF_VERSION)
    return `/kdf_version must be ${KDF_VERSION}`
  if ((request.sealedRecoveryKey === undefined) !== (request.recoveryProof === undefined)) {
    return '/sealed_recovery_key and /recovery_proof go together'
  }
  return undefined
}
