/** `register`, `login`, `recover`: what begins a session, and keeps it in the profile. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import { logIn, registerOwner, type SessionListener, type SignedIn } from '@blindkeep/client/account'
import { createCalls } from '@blindkeep/client/call'
import { type Device, newDevice, sealDevice } from '@blindkeep/client/device'
import { AddressError, MovedAway, mayBeDone, ProblemError } from '@blindkeep/client/errors'
import { nodeEnvironment as environment } from '@blindkeep/client/node'
import type { Owner, TokenPair } from '@blindkeep/client/owner'
import { auditServer } from '@blindkeep/client/receipts'
import { newRecoveryWords, recover } from '@blindkeep/client/recovery'
import { toBase64 } from '@blindkeep/protocol/bytes'
import type { DeviceId } from '@blindkeep/protocol/ids'
import { inviteOf } from '@blindkeep/protocol/inviteLink'
import { askEmail, givenSecret, tellExposed } from '../ground/ask.ts'
import { EXIT, type Exit, LocalError } from '../ground/exits.ts'
import { createReport } from '../ground/report.ts'
import { shown } from '../ground/texts.ts'
import { othersMayRead } from '../home/files.ts'
import { isPinned, pin, pinsOf, refuseMoved } from '../home/pins.ts'
import { isSealed } from '../home/vault.ts'
import { isMoved } from '../outcomes/failures.ts'
import { type KeptDevice, type OwnerFlags, openProfile, type Profile } from './profile.ts'
import { remindOfWords, tellOutcome, wordsFile } from './recoveryWords.ts'
import { askCode, askNewPassword, askPassword, askWords, canAskCodeAgain, type SecretFlags } from './secrets.ts'
import { isSessionOver, openedDevice, signedIn } from './session.ts'

interface SignInFlags extends OwnerFlags, Pick<SecretFlags, 'passwordFile'> {
  readonly email?: string
  readonly name?: string
  readonly keyring?: boolean
}

type LoginFlags = SignInFlags & Pick<SecretFlags, 'codeFile'>

interface RegisterFlags extends SignInFlags {
  readonly inviteFile?: string
  readonly wordsTo?: string
}

type RecoverFlags = SignInFlags & SecretFlags

export async function register(address: string, flags: RegisterFlags): Promise<Exit> {
  const report = createReport(flags)
  const profile = await freeProfile(flags, address)
  const email = flags.email ?? (await askEmail())
  const password = await askNewPassword('Password', flags)
  const given = await givenSecret({ file: flags.inviteFile, variable: 'BLINDKEEP_INVITE' })
  const { code: invite, isExposed = false } = given === undefined ? {} : inviteOf(given)
  if (isExposed) tellExposed(report, 'They can register with the invite too. It works once.')
  const file = await wordsFile(flags.wordsTo)
  const recovery = newRecoveryWords(environment)
  const session = newSession()
  // Shown as soon as they exist, whatever fails afterwards: nothing else knows them.
  const tellWords = async (account: { readonly email: string; readonly accountId?: string }) => {
    const words = (await recovery.confirm()).join(' ')
    await file?.write(`${words}\n`)
    const fact = { event: 'registered', account_id: account.accountId, email: account.email, server: serverOf(address) }
    report.aside(
      `${account.email} is registered. 24 words are the only way back in without the password. Keep them safe, and away from this machine. Then: blindkeep account confirm-words`,
    )
    if (file === undefined) report.answer(words, { ...fact, recovery_words: words })
    else report.result(`They are in ${shown(file.path)}.`, { ...fact, recovery_words_file: file.path })
  }
  try {
    const asked = { baseUrl: address, email, password, invite, recovery, environment }
    const owner = await registerOwner({ ...session.listener, ...asked })
    await tellWords(owner)
    await keep({ profile, server: serverOf(address), owner, tokens: session.tokens, flags })
    return EXIT.done
  } catch (error) {
    if (mayBeDone(error) && (await isDone(() => tellWords({ email }))))
      throw new LocalError('The account exists, but the connection broke. Sign in: blindkeep login', { cause: error })
    if (session.hasBegun())
      tellOutcome(report, {
        is: 'account_exists',
        message:
          'The account exists. Sign in: blindkeep login. If you have no recovery words, make new ones then: blindkeep account recovery-words',
      })
    await file?.removeEmpty()
    if (invite !== undefined || !isInviteMissing(error)) throw error
    throw new LocalError(
      'The server registers people by invite only. Ask its operator for an invite, and give it with --invite-file or BLINDKEEP_INVITE.',
      { cause: error },
    )
  }
}

async function isDone(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch {
    return false
  }
}

export async function login(address: string | undefined, flags: LoginFlags): Promise<Exit> {
  const profile = await freeProfile(flags, address)
  const before = await profile.device()
  const server = address ?? before?.server
  if (server === undefined) throw new LocalError('Which server? Call: blindkeep login SERVER')
  const email = flags.email ?? (await askEmail())
  const password = await askPassword(flags)
  const session = newSession()
  const signIn = (deviceId?: DeviceId) =>
    logIn({ ...session.listener, baseUrl: server, email, password, deviceId, environment })
  const result = await signIn(before?.deviceId).catch(async (error: unknown) => {
    // The device of an earlier session was revoked, or belongs to another account: this session gets a new one.
    if (error instanceof ProblemError && error.code === 'error.device.not_authorized') return await signIn()
    throw error
  })
  return await begin({ profile, server: serverOf(server), result, tokens: session.tokens, flags })
}

export async function recoverAccount(address: string, flags: RecoverFlags): Promise<Exit> {
  const profile = await freeProfile(flags, address)
  const email = flags.email ?? (await askEmail())
  const words = await askWords(flags)
  const password = await askNewPassword('New password', flags)
  const session = newSession()
  const asked = { baseUrl: address, email, words, newPassword: password, environment }
  try {
    const result = await recover({ ...session.listener, ...asked })
    return await begin({ profile, server: serverOf(address), result, tokens: session.tokens, flags })
  } catch (error) {
    const report = createReport(flags)
    if (session.hasBegun())
      tellOutcome(report, { is: 'password_set', message: 'The new password is set. Sign in with it: blindkeep login' })
    else if (mayBeDone(error))
      tellOutcome(report, {
        is: 'password_unsure',
        message:
          'The new password is set if the server got the request: sign in with it to find out, or call this again. The words stay valid.',
      })
    throw error
  }
}

interface Begin {
  readonly profile: Profile
  readonly server: string
  readonly result: SignedIn
  readonly tokens: () => TokenPair
  readonly flags: LoginFlags
}

async function begin({ profile, server, result, tokens, flags }: Begin): Promise<Exit> {
  const owner = result.owner ?? (await answered(result.challenge, flags))
  await keep({ profile, server, owner, tokens, flags })
  const report = createReport(flags)
  report.result(`${owner.email} is signed in.`, {
    event: 'signed_in',
    account_id: owner.accountId,
    email: owner.email,
    server,
  })
  await remindOfWords(owner, report)
  return EXIT.done
}

/** Asks again for as long as the server takes another code. */
async function answered(challenge: NonNullable<SignedIn['challenge']>, flags: LoginFlags): Promise<Owner> {
  for (;;) {
    const code = await askCode(flags)
    try {
      return await challenge.answer(code)
    } catch (error) {
      const isWrong = error instanceof ProblemError && error.code === 'error.auth.totp_invalid_code'
      if (!isWrong || !canAskCodeAgain(flags)) throw error
      process.stderr.write('blindkeep: this code is wrong, or was used before.\n')
    }
  }
}

/** The tokens are kept in the profile only together with the account's key. */
function newSession(): { readonly listener: SessionListener; hasBegun(): boolean; tokens(): TokenPair } {
  let latest: TokenPair | undefined
  return {
    listener: {
      onTokens(tokens) {
        latest = tokens
      },
    },
    hasBegun: () => latest !== undefined,
    tokens() {
      if (latest === undefined) throw new Error('an owner has tokens')
      return latest
    },
  }
}

interface Keep {
  readonly profile: Profile
  readonly server: string
  readonly owner: Owner
  readonly tokens: () => TokenPair
  readonly flags: SignInFlags
}

/** The account comes last: with it the profile counts as signed in. */
export async function keep({ profile, server, owner, tokens, flags }: Keep): Promise<void> {
  const { accountId, accountKey, email } = owner
  owner.keepRevocations(profile.revocations)
  const before = await profile.device()
  const device = await deviceFor(before, owner)
  const { firstServer } = before?.accountId === accountId && before.server === server ? before : {}
  const sealed = toBase64(await sealDevice(device, accountKey))
  await profile.alone(async () => {
    await profile.vault.write('device', { server, accountId, deviceId: device.deviceId, firstServer, sealed })
    await profile.vault.write('tokens', tokens())
    await profile.vault.write('account', { server, email, accountId, accountKey: toBase64(accountKey) })
  })
  await tellOpenProfile(profile, flags)
  await pinAtFirst(profile.home, server)
  await nameHere(owner, device, flags)
}

async function tellOpenProfile({ directory }: Profile, flags: SignInFlags): Promise<void> {
  if ((await isSealed({ directory }, 'account')) || !(await othersMayRead(join(directory, 'account.json')))) return
  createReport(flags).aside(
    `The disk of ${directory} has no rights: other users of this machine may read the keys of this profile. Use --keyring, or set BLINDKEEP_HOME to a folder of another disk.`,
  )
}

/** So that the server can be followed if it moves. A sign-in does not fail for it. */
async function pinAtFirst(home: string, server: string): Promise<void> {
  if (isPinned(home, new URL(server).origin)) return
  try {
    await pin(home, (await auditServer(createCalls({ baseUrl: server }))).keys)
  } catch {}
}

/** Without a name, the lists of sessions and devices show times and ids: no reason for a sign-in to fail. */
async function nameHere(owner: Owner, { deviceId }: Device, { name, ...flags }: SignInFlags): Promise<void> {
  const isChosen = name !== undefined
  try {
    await owner.nameThisClient(name ?? `blindkeep on ${hostname()}`, { deviceId, isChosen })
  } catch (error) {
    if (!isChosen) return
    const why = error instanceof Error ? error.message : String(error)
    createReport(flags).aside(
      `The name could not be given: ${shown(why)} Give it later: blindkeep sessions name ID NAME`,
    )
  }
}

/** The device of the profile's last session, if it is whole and may still write for this account, or a new one. */
async function deviceFor(kept: KeptDevice | undefined, owner: Owner): Promise<Device> {
  if (kept?.accountId === owner.accountId) {
    try {
      return await added(owner, await openedDevice(kept, owner.accountKey))
    } catch (error) {
      const isRevoked = error instanceof ProblemError && error.code === 'error.device.invalid'
      if (!isRevoked && !(error instanceof LocalError)) throw error
    }
  }
  return await added(owner, newDevice(environment))
}

/** A suspended account can read, and adds no device: the next sign-in after the suspension adds this one. */
async function added(owner: Owner, device: Device): Promise<Device> {
  try {
    return await owner.addDevice(device)
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'error.account.suspended')) throw error
    return device
  }
}

/**
 * A profile has one account at a time. Without `address` the last server is meant. Before a secret is asked for, what
 * answers there is compared with the server that this machine knows. Throws as `auditServer`, but no `AddressError`.
 */
async function freeProfile(flags: SignInFlags, address: string | undefined): Promise<Profile> {
  const profile = await openProfile(flags, flags.keyring)
  const before = (await profile.device())?.server
  const wanted = address ?? before ?? ''
  await refuseMoved(profile.home, wanted)
  const account = await profile.account()
  if (account === undefined || (await isOver(flags, address ?? account.server))) {
    await requireKnownServer(profile.home, wanted)
    if (before !== undefined) tellOtherServer({ profile, before, wanted, flags })
    await profile.vault.prepare()
    return profile
  }
  throw new LocalError(
    `${account.email} is signed in already. Sign out first (blindkeep logout), or use another profile: --profile NAME`,
  )
}

/** Of a server that this machine does not know, nothing is asked. */
async function requireKnownServer(home: string, address: string): Promise<void> {
  const pinned = URL.canParse(address) ? await pinsOf(home, new URL(address).origin) : undefined
  if (pinned === undefined) return
  try {
    await auditServer(createCalls({ baseUrl: address }), pinned)
  } catch (error) {
    // The sign-in itself refuses that, where it matters to a proof.
    if (!(error instanceof AddressError)) throw error
  }
}

interface OtherServer {
  readonly profile: Profile
  /** Addresses. */
  readonly before: string
  readonly wanted: string
  readonly flags: SignInFlags
}

/** A mistyped address may be that of another owner. What is no address is refused later. */
function tellOtherServer({ profile: { name }, before, wanted, flags }: OtherServer): void {
  const [from, to = 'null'] = [before, wanted].map((address) => URL.parse(address)?.origin)
  if (to === 'null' || from === to) return
  createReport(flags).aside(
    `The profile ${name} was signed in at ${before} before, and ${wanted} is another server. If both are yours, another profile keeps them apart: --profile NAME`,
  )
}

/** A session that has ended on the server is no reason to sign out first. */
async function isOver(flags: SignInFlags, wanted: string): Promise<boolean> {
  try {
    await (await signedIn(flags)).owner.account()
    return false
  } catch (error) {
    if (hasMovedAt(error, wanted)) throw error
    return isSessionOver(error)
  }
}

/** Whether it says that the server has moved, and one of its two addresses is wanted. */
function hasMovedAt(error: unknown, wanted: string): boolean {
  if (!(error instanceof MovedAway || isMoved(error))) return false
  const names = error instanceof MovedAway ? [error.from, error.to] : [error.origin, error.movedTo]
  return names.some((name) => name !== undefined && URL.parse(name)?.origin === URL.parse(wanted)?.origin)
}

const serverOf = (address: string) => address.replace(/\/+$/, '')

function isInviteMissing(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.auth.registration_closed'
}
