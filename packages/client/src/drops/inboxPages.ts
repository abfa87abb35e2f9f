/** The inbox in pages, while drops land and leave. */
import type { DropId } from '@blindkeep/protocol/ids'
import type { InboxEntryResponse, InboxOrder } from '@blindkeep/protocol/schemas/drops'
import type { Static } from 'typebox'
import type { Call } from '../http/call.ts'
import { AnswerError, ProblemError } from '../http/errors.ts'

type Entry = Static<typeof InboxEntryResponse>

/** No server can keep a client listing forever. */
const MAX_PAGES = 400

/** A drop takes 2 KB and 0.1 ms: the first page comes at once over a slow line, and no page holds a tab up. */
const FIRST_PAGE_DROPS = 50
const PAGE_DROPS = 250

export interface PendingDropsOptions {
  readonly order?: InboxOrder | undefined
  /** Drops that the caller has, in this order: it gets those that come after them. */
  readonly known?: readonly DropId[] | undefined
  readonly signal?: AbortSignal | undefined
}

interface InboxPagesOptions extends PendingDropsOptions {
  readonly pageDrops?: number
}

export async function* inboxPages(
  call: Call,
  { order = 'oldest', known = [], signal, pageDrops = PAGE_DROPS }: InboxPagesOptions,
): AsyncGenerator<readonly Entry[], void, void> {
  const listed = new Set(known)
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const limit = pages === 0 ? Math.min(FIRST_PAGE_DROPS, pageDrops) : pageDrops
    const drops = await pageAfter([...listed], (after) =>
      call('inbox', { query: { order, limit: String(limit), ...(after !== undefined && { after }) }, signal }),
    )
    const fresh = new Map<DropId, Entry>()
    for (const drop of drops) {
      if (!listed.delete(drop.drop_id)) fresh.set(drop.drop_id, drop)
      listed.add(drop.drop_id)
    }
    if (fresh.size > 0) yield [...fresh.values()]
    if (drops.length < limit) return
  }
  throw new AnswerError('inbox', `it lists more than ${MAX_PAGES * pageDrops} drops`)
}

type Ask = (after: DropId | undefined) => Promise<{ readonly body: { readonly drops: readonly Entry[] } }>

/** The server knows pending drops only. If the last one is settled, the page begins after an earlier one. */
async function pageAfter(listed: readonly DropId[], ask: Ask): Promise<readonly Entry[]> {
  for (let back = 1; back <= listed.length; back *= 2)
    try {
      return (await ask(listed.at(-back))).body.drops
    } catch (error) {
      if (!(error instanceof ProblemError && error.code === 'error.drop.not_found')) throw error
    }
  return (await ask(undefined)).body.drops
}
