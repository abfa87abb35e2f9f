/** What an owner has to hear of the inbox beside its files: that it fills up, and that guests could not send. */
import type { AccountFacts, Owner } from '@blindkeep/client/owner'
import type { Report } from '../ground/report.ts'
import { timeText } from '../ground/texts.ts'

const NEARLY_FULL = 0.8

export async function tellRoom(owner: Pick<Owner, 'account'>, report: Pick<Report, 'aside'>): Promise<void> {
  for (const line of roomLines(await owner.account())) report.aside(line)
}

export function roomLines({ inbox, refusedDrops }: Pick<AccountFacts, 'inbox' | 'refusedDrops'>): readonly string[] {
  const isFilling = inbox !== undefined && inbox.waiting >= inbox.room * NEARLY_FULL
  const lines = isFilling
    ? [
        `The inbox is ${inbox.waiting < inbox.room ? 'nearly ' : ''}full: ${inbox.waiting} of at most ${inbox.room} files wait. Keep some in albums (blindkeep inbox adopt) or discard some, or guests can send nothing more.`,
      ]
    : []
  if (refusedDrops === undefined) return lines
  const { why, count, lastAt } = refusedDrops
  const cause = why === 'inbox_full' ? 'the inbox was full' : 'the storage had no room for it'
  const times = count === 1 ? 'once' : `${count} times`
  return [...lines, `Guests could not send a file because ${cause}: ${times}, the last time at ${timeText(lastAt)}.`]
}
