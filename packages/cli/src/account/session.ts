/** The signed-in owner of a profile. */
import { resumeOwner, type SessionListener } from '@blindkeep/client/account'
import { type Device, openSealedDevice } from '@blindkeep/client/device'
import { ProblemError } from '@blindkeep/client/errors'
import { nodeEnvironment as environment } from '@blindkeep/client/node'
import type { Owner } from '@blindkeep/client/owner'
import { type Bytes, fromBase64 } from '@blindkeep/protocol/bytes'
import { LocalError } from '../ground/exits.ts'
import { nearestFirst } from '../ground/nearest.ts'
import { createReport, type Report } from '../ground/report.ts'
import { namesText } from '../ground/texts.ts'
import { refuseMoved } from '../home/pins.ts'
import {
  DEFAULT_PROFILE,
  type KeptAccount,
  type KeptDevice,
  type OwnerFlags,
  openProfile,
  type Profile,
  signedInProfiles,
} from './profile.ts'

export interface SignedIn {
  readonly owner: Owner
  readonly profile: Profile
  /** The origin and path of the server. */
  readonly server: string
  /** The address under which this profile has remembered its uploads: the first one, if the server was followed. */
  readonly recordsOf: string
  readonly report: Report
  /** The device that signs for this profile. Throws `LocalError` if it cannot be used any more. */
  device(): Promise<Device>
}

/** Throws `LocalError` if no account is signed in. Sends no request. */
export async function signedIn(flags: OwnerFlags): Promise<SignedIn> {
  const profile = await openProfile(flags)
  const [account, tokens] = [await profile.account(), await profile.tokens()]
  if (account === undefined || tokens === undefined) throw await notSignedIn(profile)
  const { server, email } = account
  await refuseMoved(profile.home, server)
  const accountKey = fromBase64(account.accountKey)
  const owner = resumeOwner({ baseUrl: server, email, accountKey, tokens, environment, ...sessionOf(profile) })
  owner.keepRevocations(profile.revocations)
  owner.keepPrefixes(profile.prefixes)
  const kept = await profile.device()
  const recordsOf = (kept?.accountId === account.accountId ? kept.firstServer : undefined) ?? server
  return { owner, profile, server, recordsOf, report: createReport(flags), device: () => deviceOf(profile, account) }
}

/** Keeps the tokens of the profile's session. All processes of the profile use the same pair. */
export function sessionOf(profile: Profile): SessionListener {
  return {
    onTokens: (tokens) => profile.vault.write('tokens', tokens),
    shared: {
      alone: profile.alone,
      async stored() {
        const tokens = await profile.tokens()
        if (tokens === undefined) throw await notSignedIn(profile)
        return tokens
      },
    },
  }
}

/** With the profiles that may have been meant. */
export async function notSignedIn({ name, home }: Profile): Promise<LocalError> {
  const [where, which] = name === DEFAULT_PROFILE ? ['', ''] : [` in the profile ${name}`, ` --profile ${name}`]
  const others = (await signedInProfiles(home)).filter((other) => other !== name)
  const meant = others.length === 0 ? '' : ` Profiles with one: ${namesText(nearestFirst(others, name))}.`
  return new LocalError(`No account is signed in${where}.${meant} Call: blindkeep login SERVER${which}`)
}

async function deviceOf(profile: Profile, account: KeptAccount): Promise<Device> {
  const kept = await profile.device()
  if (kept === undefined || kept.accountId !== account.accountId)
    throw new LocalError('This profile has no device to sign with. Sign in again: blindkeep login')
  return await openedDevice(kept, fromBase64(account.accountKey))
}

/** Throws `LocalError` for one that a disk has damaged: no server had a part in it. */
export async function openedDevice({ sealed }: KeptDevice, accountKey: Bytes): Promise<Device> {
  try {
    return await openSealedDevice(fromBase64(sealed), accountKey)
  } catch (cause) {
    throw new LocalError(
      'The key with which this profile signs is damaged on this machine. Get a new one: blindkeep logout, blindkeep login',
      { cause },
    )
  }
}

/** Whether the server says that the session is over. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.auth.session_expired'
}
