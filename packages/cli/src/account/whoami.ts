/** `whoami`, `logout`, `quota`. */
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { EXIT, type Exit } from '../exits.ts'
import { createReport } from '../report.ts'
import { type OwnerFlags, openProfile } from './profile.ts'
import { isSessionOver, signedIn } from './session.ts'

export async function whoami(flags: OwnerFlags): Promise<Exit> {
  const { owner, profile, server, report } = await signedIn(flags)
  const { createdAt, hasSecondFactor, isSuspended } = await owner.account()
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
  })
  return EXIT.done
}

/** Ends the session on the server, and forgets it and the account's key here, whatever the server answers, or if it is not reached. */
export async function logout(flags: OwnerFlags): Promise<Exit> {
  const report = createReport(flags)
  const profile = await openProfile(flags)
  if ((await profile.account()) === undefined) {
    report.result('No account is signed in.', { event: 'signed_out' })
    return EXIT.done
  }
  const { owner } = await signedIn(flags)
  // The last call may bring new tokens, which are forgotten below.
  const isHeard = await owner.logOut().then(() => true, isSessionOver)
  await profile.alone(async () => {
    await profile.vault.remove('account')
    await profile.vault.remove('tokens')
  })
  const text = isHeard
    ? `${owner.email} is signed out.`
    : `${owner.email} is signed out here. The server did not confirm it: the session ends there when it has been unused for long, or with: blindkeep sessions end`
  report.result(text, { event: 'signed_out', email: owner.email, heard_by_server: isHeard })
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
  return EXIT.done
}
