import type { SignedIn } from '../account/session.ts'
import { shortId, timeText } from '../ground/texts.ts'

/** In a line. */
const MAX_IDS = 5

/** Says until when what was just discarded or deleted can be restored. Says nothing where it cannot. */
export async function tellUndo({ owner, report }: SignedIn, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  // What was done is done, also when this cannot be asked any more.
  const { value: newest = [] } = await owner
    .bin({ order: 'newest' })
    .next()
    .catch(() => ({ value: [] }))
  const ends = newest.filter(({ id }) => ids.includes(id)).map(({ emptiesAt }) => emptiesAt)
  const [first] = ends.toSorted()
  if (first === undefined) return
  const which = ids.length > MAX_IDS ? 'ID…' : ids.map(shortId).join(' ')
  // Of many, the first ones were deleted before those of this page.
  if (ends.length < ids.length) report.aside('It can be undone for a time: blindkeep bin list says until when.')
  else report.aside(`It can be undone until ${timeText(first)}: blindkeep bin restore ${which}`)
}
