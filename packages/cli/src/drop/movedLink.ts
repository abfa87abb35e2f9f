/** A link whose server has moved. The guest decides: the old address may have another owner by now. */
import { AddressError, MovedAway, type ProblemError } from '@blindkeep/client/errors'
import { parseLink } from '@blindkeep/client/guest'
import { agrees, canAsk } from '../ground/ask.ts'
import { LocalError } from '../ground/exits.ts'
import type { Report } from '../ground/report.ts'
import { isPinned, lastFollowed } from '../home/pins.ts'
import { prepareFollowing } from '../moving/following.ts'

const UNPROVEN =
  'Nothing on this machine can prove that: a new owner of the old address may say so. If you are in doubt, ask the owner of the link by another way.'

interface Moved {
  readonly link: string
  readonly home: string
  readonly report: Report
  /** What the server says, or what this machine knows since it has followed it. */
  readonly error: ProblemError | AddressError | MovedAway
}

/** The same link at the new address, once the guest agrees. Throws `error` without a terminal. */
export async function linkAfterMove({ link, home, report, error }: Moved): Promise<string> {
  const { baseUrl, opaqueId } = parseLink(link)
  const from = new URL(baseUrl).origin
  const named = placeOf(error, baseUrl)
  // The server may have been left at that address, too.
  const to = named && (await lastFollowed(home, named))
  if (to === undefined || new URL(to).origin === from) throw error
  const url = `${to}/u/${opaqueId}${new URL(link).hash}`
  report.answer(`${from} has moved, or says so. The same link at the new address: ${url}`, {
    event: 'moved',
    from,
    to,
    url,
  })
  if (!canAsk()) throw error
  const prepared =
    error instanceof MovedAway || !isPinned(home, from) ? undefined : await prepareFollowing({ home, from, to })
  const why =
    error instanceof MovedAway
      ? `This machine has followed ${from} to ${to}.`
      : `${from} says that it ${error instanceof AddressError ? 'is' : 'has moved to'} ${to}. ${UNPROVEN}`
  if (!(await agrees(`${prepared?.question ?? why} Send there?`, {}))) throw new LocalError('Nothing was sent.')
  await prepared?.follow()
  return url
}

function placeOf(error: Moved['error'], baseUrl: string): string | undefined {
  if (error instanceof MovedAway) return error.to
  return error instanceof AddressError ? error.found + baseUrl.slice(error.given.length) : error.movedTo
}
