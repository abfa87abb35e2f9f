/** `blindkeep inbox list`. */
import type { InboxItem } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { type Exit, exitOf } from '../exits.ts'
import type { Row } from '../report.ts'
import { shrinking } from '../table.ts'
import { shortId, shown, timeText } from '../texts.ts'
import { linkOf, openInbox, select } from './inbox.ts'
import { claimsOf, exitOfFault, factsOf, shortNameOf } from './items.ts'

const HEADINGS = ['ID', 'RECEIVED', 'SIZE', ...['LINK', 'NAME', 'GUEST SAYS'].map(shrinking)]

export interface ListFlags extends OwnerFlags {
  readonly link?: string
}

export async function list(flags: ListFlags): Promise<Exit> {
  const signed = await signedIn(flags)
  const { owner, report } = signed
  const inbox = openInbox(signed)
  const items = select(await inbox.read(), { link: await linkOf(owner, flags.link) })
  const rows: Row[] = []
  for (const item of items) rows.push(rowOf(item, await inbox.labelOf(item.opaqueId)))
  report.list(HEADINGS, rows, 'The inbox is empty.')
  return exitOf(items.flatMap(({ fault }) => (fault === undefined ? [] : [exitOfFault(fault)])))
}

function rowOf(item: InboxItem, label: string | undefined): Row {
  const { dropId, opaqueId, sealedBytes, file, fault, receivedAt, adopting } = item
  return {
    cells: [
      shortId(dropId),
      timeText(receivedAt),
      sizeText(file?.size ?? sealedBytes),
      shown(label ?? shortId(opaqueId)),
      fault === undefined ? shortNameOf(item) : shown(fault.message),
      `${adopting ? '(is being adopted) ' : ''}${file === undefined ? '' : claimsOf(file)}`,
    ],
    fact: {
      ...factsOf(item, label),
      sealed_size: sealedBytes,
      adopting,
      fault: fault?.reason,
      message: fault?.message,
    },
  }
}
