import type { Owner } from '@blindkeep/client/owner'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { UsageError } from '../ground/exits.ts'
import type { Expiry } from '../ground/options.ts'

/** RFC 3339, by the server's clock, as which the end counts. */
export async function endOf(owner: Owner, expires: Expiry | undefined): Promise<string | undefined> {
  if (expires === undefined) return undefined
  const end = 'at' in expires ? expires.at : await owner.endIn(expires.seconds)
  if (millisecondsOf(end) <= millisecondsOf(await owner.endIn(0)))
    throw new UsageError('this time has passed, by the clock of the server.')
  return end
}
