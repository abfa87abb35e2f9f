import { formatInstant } from '@blindkeep/protocol/ids'
import { SYNC_ENTRIES_DEFAULT, type SyncEntryResponse } from '@blindkeep/protocol/schemas/sync'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Events } from '../../domain/sync/events.ts'
import type { Feed, FeedEntry } from '../../domain/sync/feed.ts'
import type { Routes } from '../call.ts'
import { eventStream } from '../eventStream.ts'
import { assetEntry } from './assets.ts'

type Row = 'sync' | 'events'

export function syncRoutes({ feed, events }: { readonly feed: Feed; readonly events: Events }): Pick<Routes, Row> {
  return {
    async sync({ query, caller }) {
      const { cursor, limit: max = SYNC_ENTRIES_DEFAULT } = query
      const page = await feed.page(caller.account.accountId, { cursor, max })
      if (isRefusal(page)) return page
      const { entries, nextCursor, hasMore } = page
      return { status: 200, body: { entries: entries.map(entryOf), next_cursor: nextCursor, has_more: hasMore } }
    },

    async events({ caller, header, signal, closing }) {
      const listening = await events.listen(caller, header('last-event-id'))
      if (isRefusal(listening)) return listening
      const stream = eventStream(listening, { disconnected: signal(), closing })
      return { status: 200, ...stream, headers: { 'X-Accel-Buffering': 'no' } }
    },
  }
}

function entryOf({ changeSeq: seq, assetId, changedAt, view }: FeedEntry): SyncEntryResponse {
  const changed = { asset_id: assetId, changed_at: formatInstant(changedAt) }
  return view === undefined
    ? { seq, change: 'delete', ...changed }
    : { seq, change: 'upsert', ...changed, asset: assetEntry(view) }
}
