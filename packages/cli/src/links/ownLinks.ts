/** `link list`, `link show`, `link revoke`. */
import type { Owner, OwnLink } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { agrees } from '../ask.ts'
import { EXIT, type Exit } from '../exits.ts'
import { pick } from '../pick.ts'
import { type QrFlags, tellQrCode } from '../qrCode.ts'
import type { Report } from '../report.ts'
import { shrinking } from '../table.ts'
import { filesText, shortId, shown, timeText } from '../texts.ts'
import { limitsText, linkFacts, nameText } from './linkTexts.ts'

export interface ListLinksFlags extends OwnerFlags {
  readonly all?: boolean
}

const STATES = { live: 'takes files', expired: 'has expired', spent: 'is used up', revoked: 'is revoked' } as const

export async function listLinks(flags: ListLinksFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { all = false } = flags
  const links = (await owner.listLinks()).filter(({ state }) => all || state === 'live')
  const headings = ['ID', ...(all ? ['STATE'] : []), 'FILES', 'SIZE', 'PENDING', 'EXPIRES', shrinking('LABEL')]
  const rows = links.map((link) => ({ cells: cellsOf(link, all), fact: linkFacts(link) }))
  const none = all ? 'There are no links.' : 'No link takes files.'
  report.list(headings, rows, `${none} Create one: blindkeep link create`)
  return tellFaults(links, report)
}

function cellsOf(link: OwnLink, all: boolean): readonly string[] {
  const { opaqueId, state, caps, singleUse, landedFiles, landedBytes, pending, expiresAt, label = '' } = link
  const files = singleUse ? 1 : caps.maxFileCount
  return [
    shortId(opaqueId),
    ...(all ? [state] : []),
    files === undefined ? String(landedFiles) : `${landedFiles} of ${files}`,
    caps.maxTotalBytes === undefined
      ? sizeText(landedBytes)
      : `${sizeText(landedBytes)} of ${sizeText(caps.maxTotalBytes)}`,
    String(pending),
    expiresAt === undefined ? 'never' : timeText(expiresAt),
    shown(label),
  ]
}

export async function showLink(given: string, flags: OwnerFlags & QrFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const link = await linkOf(owner, given)
  const { opaqueId, url, state, label, createdAt, landedFiles, landedBytes, openSessions, openBytes, pending } = link
  const lines = [
    url,
    ...(label === undefined ? [] : [`Label:    ${shown(label)}`]),
    `Id:       ${opaqueId}`,
    `State:    ${STATES[state]}`,
    `Created:  ${timeText(createdAt)}`,
    `Takes:    ${limitsText(link)}`,
    `Landed:   ${filesText(landedFiles)}, ${sizeText(landedBytes)}; ${pending} in the inbox`,
    `Arriving: ${filesText(openSessions)}, ${sizeText(openBytes)}`,
  ]
  report.answer(lines.join('\n'), { url, ...linkFacts(link) })
  if (state === 'live') tellQrCode(url, report, flags)
  return tellFaults([link], report)
}

export async function revokeLink(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const link = await linkOf(owner, given)
  const { opaqueId, state, openSessions, pending } = link
  if (state !== 'live') {
    const fact = { event: 'ended_before', link_id: opaqueId, state }
    report.result(`The link ${nameText(link)} takes no files already: it ${STATES[state]}.`, fact)
    return EXIT.done
  }
  const question = `Revoke the link ${nameText(link)}? ${fateText(link)} It cannot be undone.`
  if (!(await agrees(question, flags))) return EXIT.failed
  await owner.revokeLink(opaqueId)
  const fact = { event: 'revoked', link_id: opaqueId, ended_uploads: openSessions, pending }
  report.result(`The link ${nameText(link)} is revoked.`, fact)
  return EXIT.done
}

/** What becomes of files under way and of those that wait. */
function fateText({ openSessions, pending }: OwnLink): string {
  const open = {
    0: 'No file is on its way.',
    1: 'The file on its way ends at once, and nothing of it arrives.',
  }[openSessions]
  const many = `The ${openSessions} files on their way end at once, and nothing of them arrives.`
  const stays = pending === 0 ? '' : ` ${filesText(pending)} in the inbox ${pending === 1 ? 'stays' : 'stay'}.`
  return `${open ?? many}${stays}`
}

async function linkOf(owner: Owner, given: string): Promise<OwnLink> {
  const name = ({ label }: OwnLink) => label
  return pick(await owner.listLinks(), given, {
    what: 'link',
    listedBy: 'link list --all',
    id: ({ opaqueId }) => opaqueId,
    name,
  })
}

function tellFaults(links: readonly OwnLink[], report: Report): Exit {
  const faulty = links.filter(({ labelFault }) => labelFault !== undefined)
  for (const { opaqueId } of faulty) {
    const message = `The label of the link ${shortId(opaqueId)} was not written with this account: the server, or something in front of it, changed it. If you do not know the link, revoke it.`
    report.problem(message, { event: 'failed', reason: 'label_unreadable', link_id: opaqueId, message })
  }
  return faulty.length === 0 ? EXIT.done : EXIT.untrusted
}
