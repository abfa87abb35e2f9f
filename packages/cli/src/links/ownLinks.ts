/** `link list`, `link show`, `link revoke`. */
import type { OwnLink } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { type QrFlags, tellQrCode } from '../ground/qrCode.ts'
import { questionsLine } from '../ground/questionTexts.ts'
import { nameText, refusedBy } from '../ground/refusedTexts.ts'
import type { Report } from '../ground/report.ts'
import { shrinking } from '../ground/table.ts'
import { filesText, shortId, shown, timeText } from '../ground/texts.ts'
import { limitsText, linkFacts, STATES, stateText } from './linkTexts.ts'
import { pickLink } from './pickLink.ts'

interface ListLinksFlags extends OwnerFlags {
  readonly all?: boolean
}

export async function listLinks(flags: ListLinksFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { all = false } = flags
  const every = await owner.listLinks()
  const links = every.filter(({ state }) => all || state === 'live')
  const headings = ['ID', 'STATE', 'FILES', 'SIZE', 'PENDING', 'EXPIRES', shrinking('LABEL')]
  const rows = links.map((link) => ({ cells: cellsOf(link), fact: linkFacts(link) }))
  const none = all ? 'There are no links.' : 'No link takes files.'
  report.list(headings, rows, `${none} Create one: blindkeep link create`)
  for (const { text } of refusedBy(every)) report.aside(text)
  return tellFaults(links, report)
}

function cellsOf(link: OwnLink): readonly string[] {
  const { opaqueId, caps, singleUse, landedFiles, landedBytes, pending, expiresAt, label = '' } = link
  const files = singleUse ? 1 : caps.maxFileCount
  return [
    shortId(opaqueId),
    stateText(link),
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
  const link = await pickLink(owner, given)
  const {
    opaqueId,
    url,
    state,
    label,
    title,
    message,
    from,
    questions,
    fileKinds,
    createdAt,
    landedFiles,
    landedBytes,
    openSessions,
    openBytes,
    pending,
  } = link
  // An address that takes no files is not given on.
  const isOffered = state === 'live'
  const lines = [
    ...(isOffered ? [url] : []),
    ...(label === undefined ? [] : [`Label:    ${shown(label)}`]),
    ...(title === undefined ? [] : [`Title:    ${title}`]),
    ...(message === undefined ? [] : [`Message:  ${message}`]),
    ...(from === undefined ? [] : [`From:     ${from}`]),
    ...(questions === undefined ? [] : [`Asks:     ${questionsLine(questions)}`]),
    ...(fileKinds === undefined ? [] : [`Kinds:    ${fileKinds.join(', ')}`]),
    `Id:       ${opaqueId}`,
    `State:    ${link.isFull && isOffered ? 'is full' : STATES[state]}`,
    ...(link.passphraseRequired ? ['Guests need the passphrase that you gave it.'] : []),
    `Created:  ${timeText(createdAt)}`,
    `Takes:    ${limitsText(link)}`,
    `Landed:   ${filesText(landedFiles)}, ${sizeText(landedBytes)}; ${pending} in the inbox`,
    `Arriving: ${filesText(openSessions)}, ${sizeText(openBytes)}`,
  ]
  report.answer(lines.join('\n'), { ...(isOffered && { url }), ...linkFacts(link) })
  if (isOffered) tellQrCode(url, report, flags)
  return tellFaults([link], report)
}

export async function revokeLink(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const link = await pickLink(owner, given)
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

function tellFaults(links: readonly OwnLink[], report: Report): Exit {
  const faulty = links.filter(({ labelFault, titleFault }) => labelFault !== undefined || titleFault !== undefined)
  for (const { opaqueId, labelFault } of faulty) {
    const what = labelFault === undefined ? 'title' : 'label'
    const message = `The ${what} of the link ${shortId(opaqueId)} was not written with this account: the server, or something in front of it, changed it. If you do not know the link, revoke it.`
    report.problem(message, { event: 'failed', reason: `${what}_unreadable`, link_id: opaqueId, message })
  }
  return faulty.length === 0 ? EXIT.done : EXIT.untrusted
}
