/** `blindkeep pages open -`: the page of a link or share of others, from this package, without an account. */
import { parseLink } from '@blindkeep/client/guest'
import { parseShare } from '@blindkeep/client/share'
import { LINK_DOCUMENT } from '@blindkeep/protocol/pages'
import { EXPOSED, kindOfAddress, secretAddress, tellExposed } from '../ground/ask.ts'
import { type Exit, UsageError } from '../ground/exits.ts'
import { createReport, type Report, type ReportFlags } from '../ground/report.ts'
import { homeDirectory } from '../home/files.ts'
import { pinsOf, refuseMoved } from '../home/pins.ts'
import { type GivenAddress, localLinkOf } from './localLink.ts'
import { type BrowserFlags, showPages } from './showPages.ts'

interface OpenPagesFlags extends ReportFlags, BrowserFlags {}

const CALL = 'Call: blindkeep pages open - and paste the address when it is asked for, or give it on standard input.'

export async function openPages(given: string | undefined, flags: OpenPagesFlags): Promise<Exit> {
  if (given === undefined) throw new UsageError(`The address of a link or share is missing. ${CALL}`)
  if (given !== '-')
    throw new UsageError(
      `The address of a link or share is a secret, and arguments are not: other users of this machine can read them, and your shell may have kept this one. ${CALL}`,
    )
  const report = createReport(flags)
  const address = await addressOfOthers(report)
  const { is, server } = address
  const home = homeDirectory()
  await refuseMoved(home, server)
  // What is damaged is said here, not on the page.
  await pinsOf(home, new URL(server).origin)
  return await showPages({
    shown: localLinkOf(address, home),
    document: LINK_DOCUMENT,
    about: 'link',
    title: `The page of a ${is} at ${server} is`,
    flags,
    report,
    over: new AbortController().signal,
  })
}

/** Throws `LinkError` and `ShareError`, in which nothing of the address stands. */
async function addressOfOthers(report: Report): Promise<GivenAddress> {
  const { address, isExposed } = await secretAddress('Address of the link or share')
  const is = kindOfAddress(address) ?? 'link'
  const { baseUrl: server, opaqueId } = is === 'share' ? parseShare(address) : parseLink(address)
  if (isExposed) tellExposed(report, EXPOSED[is])
  return { is, server, opaqueId, fragment: URL.parse(address)?.hash ?? '', isExposed }
}
