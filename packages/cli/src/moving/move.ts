/** `blindkeep move`. */
import { MoveError } from '@blindkeep/client/errors'
import { formerNames } from '@blindkeep/client/move'
import { nodeEnvironment as environment } from '@blindkeep/client/node'
import { type OwnerFlags, openProfile, type Profile } from '../account/profile.ts'
import { forgetSession } from '../account/whoami.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit, LocalError, UsageError } from '../ground/exits.ts'
import { createReport, type Report } from '../ground/report.ts'
import { forgetPins, isPinned, lastFollowed, pinsOf } from '../home/pins.ts'
import { forgetReceipts } from '../receipts/seenReceipts.ts'
import { prepareFollowing } from './following.ts'

interface MoveFlags extends OwnerFlags {
  readonly forget?: string
}

export async function move(given: string | undefined, flags: MoveFlags): Promise<Exit> {
  const { forget } = flags
  if ((given === undefined) === (forget === undefined))
    throw new UsageError('give the new address of the server, or --forget and an old one.')
  const report = createReport(flags)
  if (forget !== undefined) return await forgetServer(originOf(forget), { flags, report })
  const to = addressOf(given ?? '')
  const profile = await openProfile(flags)
  const { home } = profile
  const before = (await profile.account())?.server ?? (await profile.device())?.server
  // Another profile may have followed the server of this one already.
  const from = before === undefined ? await knownName(home, to) : await lastFollowed(home, before)
  if (originOf(from) !== originOf(to)) {
    const { question, fact, follow } = await prepareFollowing({ home, from, to })
    const then = before === undefined ? '' : ' You will have to sign in again.'
    if (!(await agrees(`${question}${then} Follow it?`, flags))) return EXIT.failed
    await follow()
    report.result(`This machine has followed ${originOf(from)} to ${to}.`, { event: 'followed', ...fact })
  } else if (before !== undefined && originOf(before) === originOf(to)) {
    const text = `This profile uses ${originOf(to)} already. If only its path has changed, sign out and in: blindkeep logout, blindkeep login ${to}`
    report.result(text, { event: 'followed_before', to })
    return EXIT.done
  }
  if (before !== undefined) await moveProfile(profile, to, report)
  return EXIT.done
}

/** Of a guest, who has no profile: the newest of its former names that this machine knows. */
async function knownName(home: string, to: string): Promise<string> {
  for (const name of await formerNames({ to, environment })) {
    const pins = await pinsOf(home, name)
    if (pins !== undefined && pins.movedTo === undefined) return name
  }
  throw new MoveError('not_known', `this machine knows no key of a server that has moved to ${originOf(to)}`)
}

/** Keys of the account and tokens are forgotten, not sent. The device stays, and so does what was uploaded. */
async function moveProfile(profile: Profile, to: string, report: Report): Promise<void> {
  await profile.alone(async () => {
    const device = await profile.device()
    if (device !== undefined)
      await profile.vault.write('device', { ...device, server: to, firstServer: device.firstServer ?? device.server })
  })
  await forgetSession(profile)
  report.result(`Nothing was sent. Sign in at the new address: blindkeep login ${to}`, {
    event: 'signed_out',
    server: to,
    heard_by_server: false,
  })
}

interface Forgetting {
  readonly flags: MoveFlags
  readonly report: Report
}

async function forgetServer(serverId: string, { flags, report }: Forgetting): Promise<Exit> {
  const { home } = await openProfile(flags)
  if (!isPinned(home, serverId)) throw new LocalError(`This machine knows nothing of ${serverId}.`)
  const question = `This machine will forget ${serverId}: its keys, which receipts it has shown, and that it has moved, if it has. Whatever answers there next is a new server. Forget it?`
  if (!(await agrees(question, flags))) return EXIT.failed
  await forgetReceipts(home, serverId)
  await forgetPins(home, serverId)
  report.result(`${serverId} is forgotten.`, { event: 'forgotten', server: serverId })
  return EXIT.done
}

/** Origin and path. Throws `UsageError`. */
function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new UsageError('write the address of the server as in https://keep.example.org')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

const originOf = (text: string) => new URL(addressOf(text)).origin
