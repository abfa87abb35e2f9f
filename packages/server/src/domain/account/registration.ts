import { parseAccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import { type Account, accountLock, type Store } from '../../ports/store.ts'
import { recordServerId } from '../discovery/serverId.ts'
import { newId } from '../ground/newId.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { isSame } from '../ground/sameBytes.ts'
import { sha256 } from '../ground/sha256.ts'
import { type AttemptLimits, newAccountLimits } from './attemptLimits.ts'
import { isChallenge } from './challenges.ts'
import { emailOf } from './email.ts'
import { findInvite } from './invites.ts'
import { KDF_VERSION, kdfVersionFault } from './kdf.ts'
import { isKey, type KeyHash, weakKey } from './proofs.ts'
import type { Sessions, TokenPair } from './sessions.ts'
import type { SignIn } from './signIn.ts'

export interface RegistrationSettings {
  readonly registration: 'open' | 'invite' | 'closed'
  /** Nothing set `registration`: `open` admits direct connections only, and a proxy's requests need an invite. */
  readonly isRegistrationDefault: boolean
  /** The origin to which the first account binds the server. */
  readonly serverId: string
}

export interface Registration {
  readonly email: string
  /** Becomes the sign-in key of the account. */
  readonly provedKey: KeyHash
  readonly kdfVersion: number | undefined
  readonly salt: Uint8Array | undefined
  readonly sealedAccountKey: Uint8Array | undefined
  readonly sealedRecoveryKey: Uint8Array | undefined
  /** The public half. */
  readonly recoveryKey: Uint8Array | undefined
  /** The code of an invite, as it was typed. */
  readonly invite: string | undefined
  /** A proxy says that the request came from elsewhere. */
  readonly isForwarded: boolean
  readonly source: string | undefined
}

interface RegistrationPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly sessions: Pick<Sessions, 'open'>
  readonly attemptLimits: AttemptLimits
  readonly signIn: SignIn
}

type RegistrationRefusal = Refuses<'registration_invalid' | 'registration_closed' | 'email_taken' | 'attempts_limited'>

export function createRegister(ports: RegistrationPorts, settings: RegistrationSettings) {
  return async function register(request: Registration): Promise<TokenPair | RegistrationRefusal> {
    const email = emailOf(request.email)
    if (isRefusal(email)) return { refused: 'registration_invalid', detail: email.detail }
    const detail = faultOf(request)
    if (detail !== undefined) return { refused: 'registration_invalid', detail }
    const policy = policyFor(request, settings)
    if (policy === 'closed') return { refused: 'registration_closed' }
    const limited = await ports.attemptLimits.countAttempt(request.source)
    if (limited !== undefined) return limited
    const admission = policy === 'open' ? ADMITTED : await admissionOf(ports, request.invite)
    if (isRefusal(admission)) return admission
    const isNew = admission.usedBy === undefined && (await findByEmail(ports, email)) === undefined
    const account = { request, email, codeHash: admission.codeHash, serverId: settings.serverId }
    const created = isNew ? await createWithinLimits(ports, account) : undefined
    if (created === undefined) return repeat(ports, { request, email, admission })
    return isRefusal(created) ? created : ports.sessions.open(created.accountId, undefined)
  }
}

function faultOf(request: Registration): string | undefined {
  const isHalfRecovery = (request.sealedRecoveryKey === undefined) !== (request.recoveryKey === undefined)
  return (
    kdfVersionFault(request.kdfVersion) ??
    (isHalfRecovery ? '/sealed_recovery_key and /recovery_key go together' : undefined) ??
    weakKey('/recovery_key', request.recoveryKey)?.detail
  )
}

type Policy = Pick<RegistrationSettings, 'registration' | 'isRegistrationDefault'>

function policyFor(
  { isForwarded }: Pick<Registration, 'isForwarded'>,
  { registration, isRegistrationDefault }: Policy,
): Policy['registration'] {
  return registration === 'open' && isRegistrationDefault && isForwarded ? 'invite' : registration
}

/** Whether requests that the proxy sends need an invite, although direct ones do not. */
export function isInviteThroughProxy(settings: Policy & { readonly trustedProxies: readonly unknown[] }): boolean {
  const policyOf = (isForwarded: boolean) => policyFor({ isForwarded }, settings)
  return settings.trustedProxies.length > 0 && policyOf(true) !== policyOf(false)
}

/** The invite of a request, and the account that was made with it before. */
interface Admission {
  readonly codeHash: string | undefined
  readonly usedBy: Account['accountId'] | undefined
}

const ADMITTED: Admission = { codeHash: undefined, usedBy: undefined }

/** Admits a used code too: its owner may repeat a registration whose answer was lost. */
async function admissionOf(
  { store, clock }: RegistrationPorts,
  invite: string | undefined,
): Promise<Admission | Refuses<'registration_closed'>> {
  return (await store.read((tx) => findInvite(tx, invite, clock.now()))) ?? { refused: 'registration_closed' }
}

function findByEmail({ store }: RegistrationPorts, email: string): Promise<Account | undefined> {
  return store.read((tx) => tx.accounts.findByEmail(email))
}

interface NewAccount {
  readonly request: Registration
  /** Canonical. */
  readonly email: string
  readonly codeHash: string | undefined
  readonly serverId: string
}

function createWithinLimits(ports: RegistrationPorts, account: NewAccount) {
  if (account.codeHash !== undefined) return create(ports, account)
  return ports.attemptLimits.check(
    newAccountLimits(account.request.source),
    () => create(ports, account),
    (created) => created !== undefined && !isRefusal(created),
  )
}

/** Undefined when the e-mail is taken. Uses up the invite in the same transaction: one concurrent request succeeds. */
async function create(
  { store, clock, random }: RegistrationPorts,
  { request, email, codeHash, serverId }: NewAccount,
): Promise<Account | undefined | Refuses<'registration_closed'>> {
  const accountId = newId(random, parseAccountId)
  const { kdfVersion = KDF_VERSION, salt, sealedAccountKey, sealedRecoveryKey } = request
  const hashes = { signInKeyHash: request.provedKey, recoveryKeyHash: recoveryKeyHashOf(request) }
  const sealed = { salt, sealedAccountKey, sealedRecoveryKey }
  return store.write(['server', accountLock(accountId)], async (tx) => {
    const createdAt = clock.now()
    if (!(await tx.accounts.insert({ accountId, email, kdfVersion, ...hashes, ...sealed, createdAt }))) return undefined
    await recordServerId(tx, serverId)
    if (codeHash !== undefined && !(await tx.invites.use(codeHash, accountId, clock.now())))
      return { refused: 'registration_closed' } as const
    return tx.accounts.find(accountId)
  })
}

function recoveryKeyHashOf({ recoveryKey }: Registration): KeyHash | undefined {
  return recoveryKey && sha256(recoveryKey)
}

interface Repeat {
  readonly request: Registration
  /** Canonical. */
  readonly email: string
  readonly admission: Admission
}

/** For a used e-mail or invite: its owner gets the same success again, as the first answer may be lost. */
async function repeat(
  ports: RegistrationPorts,
  { request, email, admission: { usedBy } }: Repeat,
): Promise<TokenPair | RegistrationRefusal> {
  const { attemptLimits, signIn } = ports
  const account = await findByEmail(ports, email)
  // A used code gets the answer of no code, whether the e-mail has an account or not.
  const taken = { refused: usedBy === undefined ? 'email_taken' : 'registration_closed' } as const
  if (account === undefined || (usedBy !== undefined && usedBy !== account.accountId)) return taken
  // A repeat proves the key, so it counts as a sign-in: registering must not be a way to guess without limits.
  const isRepeat = await attemptLimits.check(
    attemptLimits.forSignInKeys(email, request.source),
    async () => isSameRegistration(account, request),
    (isSameValues) => !isSameValues,
  )
  if (isRefusal(isRepeat)) return isRepeat
  if (!isRepeat) return taken
  // Registering must not bypass a second factor. An owner who has turned one on got the first answer.
  const entry = await signIn(account, request.provedKey, undefined)
  return isRefusal(entry) || isChallenge(entry) ? taken : entry
}

function isSameRegistration(account: Account, request: Registration): boolean {
  const pairs = [
    [account.salt, request.salt],
    [account.sealedAccountKey, request.sealedAccountKey],
    [account.sealedRecoveryKey, request.sealedRecoveryKey],
    [account.recoveryKeyHash, recoveryKeyHashOf(request)],
  ] as const
  const isSameValues = pairs.every(([known, given]) => isSame(known, given))
  return isKey(account.signInKeyHash, request.provedKey) && isSameValues
}
