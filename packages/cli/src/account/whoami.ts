/** `whoami`, `logout`, `quota`. */
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { EXIT, type Exit } from '../ground/exits.ts'
import { createReport, type Report } from '../ground/report.ts'
import { VaultLocked } from '../home/vault.ts'
import { tellRoom } from './inboxRoom.ts'
import {
  DEFAULT_PROFILE,
  type KeptAccount,
  type KeptDevice,
  namesOf,
  type OwnerFlags,
  openProfile,
  type Profile,
} from './profile.ts'
import { tellUnconfirmed } from './recoveryWords.ts'
import { isSessionOver, notSignedIn, signedIn } from './session.ts'

export async function whoami(flags: OwnerFlags): Promise<Exit> {
  const { owner, profile, server, report } = await signedIn(flags)
  const { createdAt, hasSecondFactor, isSuspended, recoveryWords } = await owner.account()
  const device = await profile.device()
  report.result(`${owner.email} on ${server}${isSuspended ? ', suspended: you can read and delete only' : ''}`, {
    email: owner.email,
    account_id: owner.accountId,
    server,
    profile: profile.name,
    device_id: device?.deviceId,
    created_at: createdAt,
    has_second_factor: hasSecondFactor,
    is_suspended: isSuspended,
    recovery_words: recoveryWords,
  })
  if (recoveryWords === 'unconfirmed') tellUnconfirmed(report)
  return EXIT.done
}

/** Ends the session, and forgets it and the account's key here, whatever the server answers. */
export async function logout(flags: OwnerFlags): Promise<Exit> {
  const report = createReport(flags)
  const profile = await openProfile(flags)
  let account: KeptAccount | undefined
  let device: KeptDevice | undefined
  try {
    account = await profile.account()
    // It stays after a sign-out, and may be all that cannot be opened.
    device = await profile.device()
  } catch (error) {
    if (!(error instanceof VaultLocked)) throw error
    return await forgetSealed(profile, report)
  }
  if (account === undefined) {
    // A name that was never used is mistyped.
    if (device === undefined && profile.name !== DEFAULT_PROFILE) throw await notSignedIn(profile)
    report.result('No account is signed in.', { event: 'signed_out' })
    return EXIT.done
  }
  const { email } = account
  // The last call may bring new tokens, which are forgotten below.
  const isHeard = await endedAtServer(flags)
  await forgetSession(profile)
  const text = isHeard
    ? `${email} is signed out.`
    : `${email} is signed out here. The server did not confirm it: the session ends there when it has been unused for long, or with: blindkeep sessions end`
  report.result(text, { event: 'signed_out', email, heard_by_server: isHeard })
  return EXIT.done
}

/** False also for a server that has moved, whose old address gets no token. */
async function endedAtServer(flags: OwnerFlags): Promise<boolean> {
  try {
    await (await signedIn(flags)).owner.logOut()
    return true
  } catch (error) {
    return isSessionOver(error)
  }
}

/** The account goes first: without it the profile counts as signed out. */
export async function forgetSession(profile: Profile): Promise<void> {
  await profile.alone(async () => {
    const account = await profile.account().catch(() => undefined)
    if (account !== undefined) await profile.vault.remove(namesOf(account.accountId))
    await profile.vault.remove('account')
    await profile.vault.remove('tokens')
  })
}

/** Without the keyring's key no call is possible: the session is sealed too. What only it opens is useless. */
async function forgetSealed(profile: Profile, report: Report): Promise<Exit> {
  await profile.alone(() => profile.vault.removeSealed())
  report.result(
    'You are signed out here, without the keyring: what was sealed under its key is removed. The server was not told: the session ends there when it has been unused for long, or with: blindkeep sessions end',
    { event: 'signed_out', heard_by_server: false },
  )
  return EXIT.done
}

const STATES = {
  ok: '',
  soft_warning: ' Soon nothing more will be taken: make room.',
  hard_exceeded: ' Nothing more is taken until there is room.',
  grace_expired: ' Nothing more is taken until there is room.',
} as const

export async function quota(flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { used, softLimit, hardLimit, state } = await owner.quota()
  const of = hardLimit === undefined ? ', without a limit' : ` of ${sizeText(hardLimit)}`
  report.result(`${sizeText(used)} are used${of}.${STATES[state]}`, {
    used,
    soft_limit: softLimit,
    hard_limit: hardLimit,
    state,
  })
  await tellRoom(owner, report)
  return EXIT.done
}
