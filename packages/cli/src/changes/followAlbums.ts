/** Shares that follow their album: after each command that changes an album, and on demand. */
import type { RefreshedShare } from '@blindkeep/client/owner'
import { countText } from '@blindkeep/protocol/counts'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import type { Report } from '../ground/report.ts'
import { filesText, namedText } from '../ground/texts.ts'
import { failureOf } from '../outcomes/failures.ts'
import { accountAssets } from './feed.ts'

/** Its failure is none of the command: the next client that looks does the rest. */
export async function followAlbums(session: SignedIn, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  try {
    const { changed } = await refresh(session, signal)
    for (const one of changed) session.report.aside(changeText(one))
  } catch (error) {
    if (signal.aborted) return
    session.report.aside(
      `Shares that follow an album do not show the change yet. ${failureOf(error).message} Call: blindkeep share refresh`,
    )
  }
}

export async function refreshShares(flags: OwnerFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { report } = session
  const { following, changed, behind } = await interruptible((signal) => refresh(session, signal))
  for (const one of changed) tellChange(one, report)
  if (following === 0) report.aside('No open share follows an album.')
  else if (changed.length + behind === 0)
    report.aside(`${countText(following, 'share shows what its album has', 'shares show what their albums have')}.`)
  if (behind === 0) return EXIT.done
  const message = `${countText(behind, 'share is', 'shares are')} changed elsewhere again and again. Call it again.`
  report.problem(message, { event: 'failed', reason: 'share_changed', message })
  return EXIT.failed
}

const refresh = (session: SignedIn, signal: AbortSignal) =>
  session.owner.refreshShares({ assets: () => accountAssets(session, signal), signal })

function tellChange(one: RefreshedShare, report: Report): void {
  const { share, files, added, removed, left } = one
  report.result(changeText(one), { event: 'refreshed', share_id: share.opaqueId, files, added, removed, left })
}

function changeText({ share, files, left }: RefreshedShare): string {
  const text = `The share ${namedText(share.opaqueId, share)} follows its album, and shows ${filesText(files)} now.`
  if (left === 0) return text
  const why = 'no device that may sign has signed them, or there are too many for one share'
  return `${text} ${countText(left, 'file of the album is', 'files of the album are')} not shown: ${why}.`
}
