/** `devices list`, `devices name`, `devices revoke`. */
import { mayBeDone } from '@blindkeep/client/errors'
import type { ListedDevice, Owner, SignedLately } from '@blindkeep/client/owner'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { forgetSession } from '../account/whoami.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit, LocalError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { type Picking, pick } from '../ground/pick.ts'
import type { Report } from '../ground/report.ts'
import { shrinking } from '../ground/table.ts'
import { filesText, namedText, shortId, shown, timeText } from '../ground/texts.ts'
import { tellNameFaults } from './named.ts'
import { sessionFacts } from './sessions.ts'

/** Files in a text; programs get all. */
const MAX_SHOWN = 10

export async function listDevices(flags: OwnerFlags): Promise<Exit> {
  const { owner, report, profile } = await signedIn(flags)
  const here = (await profile.device())?.deviceId
  const devices = await owner.devices()
  const rows = devices.map((device) => ({
    cells: [shortId(device.deviceId), shown(device.name ?? ''), timeText(device.createdAt), stateText(device, here)],
    fact: deviceFacts(device, here),
  }))
  report.list(['ID', shrinking('NAME'), 'ADDED', 'STATE'], rows, 'There are no devices.')
  const altered = devices.filter(({ isOwn, nameFault }) => isOwn && nameFault !== undefined)
  const faults = tellNameFaults(
    altered.map(({ deviceId }) => deviceId),
    { what: 'device', report },
  )
  return tellLies(devices, { here, report }) || faults
}

type DeviceState = 'live' | 'revoked' | 'invented' | 'revocation_denied'

function stateOf({ isOwn, revokedAt, isRevocationDenied }: ListedDevice): DeviceState {
  if (isRevocationDenied) return 'revocation_denied'
  if (revokedAt !== undefined) return 'revoked'
  return isOwn ? 'live' : 'invented'
}

function stateText(device: ListedDevice, here: string | undefined): string {
  const { deviceId, isOwn, revokedAt } = device
  const since = revokedAt === undefined ? '' : timeText(revokedAt)
  const state = {
    live: 'may sign',
    revoked: `revoked ${since}${isOwn ? '' : ', not shown to be yours'}`,
    invented: 'not shown to be yours',
    revocation_denied: `revoked ${since}, which the server denies`,
  }[stateOf(device)]
  return deviceId === here ? `${state}, this profile` : state
}

function deviceFacts(device: ListedDevice, here: string | undefined) {
  const { deviceId, name, createdAt, revokedAt, isOwn } = device
  return {
    device_id: deviceId,
    name,
    state: stateOf(device),
    is_own: isOwn,
    created_at: createdAt,
    revoked_at: revokedAt,
    is_this_profile: deviceId === here,
  }
}

const LIES: Readonly<Partial<Record<DeviceState, string>>> = {
  invented:
    'is not shown to be yours, and its signatures are not accepted. If you do not know it, the server added it, or a person who knows your password and no more: revoke it, and change your password. If it is yours, the server lies: revoking it would only mark your files.',
  revocation_denied:
    'is revoked, but the server lists it as live: it lies, or its operator has restored an old backup. For this profile it stays revoked. Revoke it again; if this comes back, do not trust the server.',
}

const HIDDEN =
  'signs for this profile, and the server hides that you added it, or has altered its key: it lies. Do not revoke it because of that: it would only mark your files.'

interface TellLies {
  /** The device of this profile. */
  readonly here: string | undefined
  readonly report: Report
}

function tellLies(devices: readonly ListedDevice[], { here, report }: TellLies): Exit {
  let exit: Exit = EXIT.done
  for (const device of devices) {
    const state = stateOf(device)
    const words = state === 'invented' && device.deviceId === here ? HIDDEN : LIES[state]
    if (words === undefined) continue
    exit = EXIT.untrusted
    const message = `The device ${shortId(device.deviceId)} ${words}`
    report.problem(message, { event: 'failed', reason: `device_${state}`, device_id: device.deviceId, message })
  }
  return exit
}

const DEVICE: Picking<ListedDevice> = {
  what: 'device',
  listedBy: 'devices list',
  id: ({ deviceId }) => deviceId,
  name: ({ name }) => name,
}

export async function nameDevice(given: string, name: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { deviceId } = pick(await owner.devices(), given, DEVICE)
  await owner.nameDevice(deviceId, name)
  report.result(`The device ${shortId(deviceId)} is now ${shown(name)}.`, { event: 'named', device_id: deviceId, name })
  return EXIT.done
}

export async function revokeDevice(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report, profile } = await signedIn(flags)
  const device = pick(await owner.devices(), given, DEVICE)
  const { deviceId } = device
  const fact = { event: 'revoked', device_id: deviceId }
  if (stateOf(device) === 'revoked') {
    report.result(`The device ${shortId(deviceId)} is revoked already.`, fact)
    return EXIT.done
  }
  const isHere = (await profile.device())?.deviceId === deviceId
  const here = isHere ? ' It is the device of this profile: you are signed out here.' : ''
  const question = `Revoke the device ${namedText(deviceId, device)}? It can add nothing more, and what is signed in with it is signed out at once.${here} It cannot be undone.`
  if (!(await agrees(question, flags))) return EXIT.failed
  await owner.revokeDevice(deviceId).catch((error: unknown) => {
    throw isHere && mayBeDone(error) ? revocationUnsure(error) : error
  })
  report.result(
    `The device ${shortId(deviceId)} is revoked. What it signed before is marked from now on, and opens only with your consent.`,
    fact,
  )
  if (isHere) {
    await forgetSession(profile)
    report.aside('You are signed out here. Sign in again to get a new device: blindkeep login')
  } else await tellRemains(owner, device, report)
  return EXIT.done
}

/** The session ends with the device, so the same call again would not be answered. */
function revocationUnsure(cause: unknown): LocalError {
  return new LocalError(
    'The connection broke, and the device may be revoked. If it is, this profile is signed out: blindkeep whoami',
    { cause },
  )
}

/** What another person who has the device may still do, or may have done. */
async function tellRemains(owner: Owner, { deviceId }: ListedDevice, report: Report): Promise<void> {
  const untied = await owner.untiedSessions()
  for (const session of untied)
    report.result(
      `The session ${namedText(session.sessionId, session)}, last used ${timeText(session.lastUsedAt)}, belongs to no device and goes on.`,
      { event: 'untied_session', ...sessionFacts(session) },
    )
  if (untied.length > 0)
    report.aside(
      'One of them may be on the device that you revoked. End those that you do not know: blindkeep sessions end ID',
    )
  const lately = await interruptible((signal) => owner.signedLately(deviceId, { signal, onProgress: checking(report) }))
  tellSigned(lately, report)
}

function checking(report: Report) {
  return ({ checked, total }: { readonly checked: number; readonly total: number }) =>
    report.progress(() => [`looking for what it signed lately: ${checked} of ${filesText(total)}`])
}

function tellSigned({ signed, unverified }: SignedLately, report: Report): void {
  const lines = signed
    .slice(0, MAX_SHOWN)
    .map(({ asset, signedAt }) => `  ${asset.assetId}, signed ${timeText(signedAt)}`)
  const more = signed.length - lines.length
  const text = [
    signed.length === 0
      ? 'It signed nothing in its last 30 days.'
      : `It signed ${filesText(signed.length)} in its last 30 days. If another person had it, some may not be yours:`,
    ...lines,
    ...(more > 0 ? [`  and ${more} more: --json lists all`] : []),
    ...(unverified.length > 0 ? [`Who signed ${filesText(unverified.length)} of this time cannot be verified.`] : []),
  ]
  report.result(text.join('\n'), {
    event: 'signed_lately',
    signed: signed.map(({ asset, signedAt }) => ({ asset_id: asset.assetId, signed_at: signedAt })),
    unverified: unverified.map(({ assetId }) => assetId),
  })
}
