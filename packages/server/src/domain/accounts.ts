import { createHmac, timingSafeEqual } from 'node:crypto'
import { type DeviceId, parseAccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../ports/clock.ts'
import type { Limit, Limiter } from '../ports/limiter.ts'
import type { Random } from '../ports/random.ts'
import type { SecretHasher } from '../ports/secrets.ts'
import type { Account, Store } from '../ports/store.ts'
import { newId } from './newId.ts'
import { isRefusal, type Refuses } from './refusals.ts'
import type { Sessions, TokenPair } from './sessions.ts'
import { sha256 } from './sha256.ts'

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
const WINDOW_SECONDS = 900
const TRIES_OF_ACCOUNT = 100
const ATTEMPTS_OF_SOURCE = 6000

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
  async function attempt(source: string | undefined): Promise<Refuses<'attempts_limited'> | undefined> {
    if (source === undefined) return undefined
    const limit = { rule: 'attempts-of-source', key: source, most: ATTEMPTS_OF_SOURCE, windowSeconds: WINDOW_SECONDS }
    const retryAfterSeconds = await limiter.take([limit])
    return retryAfterSeconds === undefined ? undefined : { refused: 'attempts_limited', retryAfterSeconds }
  }

  function isOpenTo({ isForwarded }: Registration): boolean {
    return settings.registration === 'open' && !(settings.isRegistrationDefault && isForwarded)
  }

  /** A source that is not known is shared by many: the account alone counts then. */
  function triesOf(email: string, source: string | undefined): readonly Limit[] {
    const ofAccount = { rule: 'secrets-of-account', key: email, most: TRIES_OF_ACCOUNT, windowSeconds: WINDOW_SECONDS }
    if (source === undefined) return [ofAccount]
    const most = settings.loginTriesPerWindow
    return [
      { rule: 'secrets-of-account-and-source', key: `${source} ${email}`, most, windowSeconds: WINDOW_SECONDS },
      ofAccount,
    ]
  }

  /**
   * Tries are counted before the secret is judged, so that guessing in parallel gains nothing, and given back when it is right,
   * or when it was never judged because the hasher was busy: an honest owner must not be locked out by somebody else's flood.
   */
  async function judged(
    { email, source }: { readonly email: string; readonly source: string | undefined },
    judge: () => Promise<boolean>,
  ): Promise<boolean | Refuses<'attempts_limited'>> {
    const tries = triesOf(email, source)
    const retryAfterSeconds = await limiter.take(tries)
    if (retryAfterSeconds !== undefined) return { refused: 'attempts_limited', retryAfterSeconds }
    let isWrong = false
    try {
      const isRight = await judge()
      isWrong = !isRight
      return isRight
    } finally {
      if (!isWrong) await limiter.giveBack(tries)
    }
  }

  /** Undefined when the e-mail is taken. */
  async function create(request: Registration, email: string): Promise<Account | undefined> {
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
      return inserted ? tx.accounts.find(accountId) : undefined
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
      if (!isOpenTo(request)) return { refused: 'registration_closed' }
      const limited = await attempt(request.source)
      if (limited !== undefined) return limited
      const created = (await findByEmail(email)) === undefined ? await create(request, email) : undefined
      if (created !== undefined) return sessions.open(created.accountId, undefined)
      const present = await findByEmail(email)
      if (present === undefined) return { refused: 'email_taken' }
      // A repeat proves the secret as a login does, so it counts as one: registering must not be a way to guess without limits.
      const isSame = await judged({ email, source: request.source }, () => isRepeat(present, request))
      if (isRefusal(isSame)) return isSame
      return isSame ? sessions.open(present.accountId, undefined) : { refused: 'email_taken' }
    },

    /** What the client derives its secret with. An unknown e-mail gets a made-up salt that stays the same. */
    async kdf(
      email: string,
      source: string | undefined,
    ): Promise<{ kdfVersion: number; salt: Uint8Array } | Refuses<'attempts_limited'>> {
      const limited = await attempt(source)
      if (limited !== undefined) return limited
      const canonical = canonicalEmail(email)
      const madeUp = createHmac('sha256', serverSecret)
        .update('salt\0')
        .update(canonical)
        .digest()
        .subarray(0, SALT_BYTES)
      const account = await findByEmail(canonical)
      return { kdfVersion: account?.kdfVersion ?? KDF_VERSION, salt: account?.salt ?? madeUp }
    },

    async logIn({
      email,
      secret,
      deviceId,
      source,
    }: Credentials): Promise<TokenPair | Refuses<'credentials_wrong' | 'attempts_limited'>> {
      const limited = await attempt(source)
      if (limited !== undefined) return limited
      const canonical = canonicalEmail(email)
      const account = await findByEmail(canonical)
      const isRight = await judged({ email: canonical, source }, () => hasher.verify(account?.secretHash, secret))
      if (isRefusal(isRight)) return isRight
      return account === undefined || !isRight
        ? { refused: 'credentials_wrong' }
        : sessions.open(account.accountId, deviceId)
    },
  }
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

function isSame(known: Uint8Array | undefined, given: Uint8Array | undefined): boolean {
  if (known === undefined || given === undefined) return known === given
  return known.length === given.length && timingSafeEqual(known, given)
}
