/** The changes of an account: past ones as pages, new ones as live events. */
import type { AssetId } from '@blindkeep/protocol/ids'
import type { SyncEntryResponse, SyncResponse } from '@blindkeep/protocol/schemas/sync'
import { type AssetFacts, factsOf } from '../assets/assetFacts.ts'
import type { Environment } from '../ground/environment.ts'
import type { Call } from '../http/call.ts'
import { AnswerError, ProblemError } from '../http/errors.ts'
import { FeedRolledBack } from './feedRolledBack.ts'
import { type EventsOptions, type LiveEvent, liveEvents } from './ownerSyncEvents.ts'

export type { EventsOptions, LiveEvent } from './ownerSyncEvents.ts'

export interface Change {
  /** Rises with each change. */
  readonly seq: number
  readonly assetId: AssetId
  /** The current state, stated by the server (`openAsset` verifies it); undefined when the asset was deleted. */
  readonly asset: AssetFacts | undefined
  readonly changedAt: string
}

export interface ChangePage {
  /** Changed assets, each once, with its latest change. */
  readonly changes: readonly Change[]
  /** Store it once these changes are processed, and pass it to the next `changes`. */
  readonly cursor: string
  /** True on the first page for an unknown cursor: it starts at the beginning, and known assets may be deleted. */
  readonly hasStartedOver: boolean
}

interface ChangesOptions {
  /** From the beginning by default. */
  readonly cursor?: string | undefined
  /** The largest `seq` that this device has seen, in any session. A full list that ends before it is refused. */
  readonly seen?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface OwnerSync {
  /**
   * All changes since the cursor, page by page. Throws what a call throws, and `FeedRolledBack` after the last page:
   * the caller must then discard what it has read.
   */
  changes(options?: ChangesOptions): AsyncGenerator<ChangePage, void, void>
  /**
   * The events after `lastEventId`, or after `onConnected` was first called; each once. When a connection breaks, this
   * iterator connects again and asks for the events that it missed. When the server no longer has all of them, it sends
   * the event `reset` instead, and the caller must read everything again. Ends when the caller leaves its loop, which
   * calls the iterator's `return()`. Throws the signal's reason when it aborts, and what a call throws when a retry
   * cannot help: `error.auth.session_expired` when the session is over.
   */
  events(options?: EventsOptions): AsyncGenerator<LiveEvent, void, void>
}

/** The largest page of a server. */
const PAGE_LIMIT = 1000

export function createOwnerSync(ports: { readonly call: Call; readonly environment: Environment }): OwnerSync {
  return {
    changes: (options) => changesSince(ports.call, options),
    events: (options) => liveEvents(ports, options),
  }
}

export async function* changesSince(
  call: Call,
  { cursor, seen = 0, signal }: ChangesOptions = {},
): AsyncGenerator<ChangePage, void, void> {
  let page = await pageAfter(call, cursor, signal)
  let hasStartedOver = page === undefined
  const isWhole = hasStartedOver || cursor === undefined
  page ??= await pageAfter(call, undefined, signal)
  let lastSeq = 0
  while (page !== undefined) {
    const changes = page.entries.map(changeOf)
    for (const { seq } of changes) {
      if (seq <= lastSeq) throw new AnswerError('sync', 'a change comes after a later one')
      lastSeq = seq
    }
    // Otherwise a server could keep this loop running forever.
    if (page.has_more && changes.length === 0) throw new AnswerError('sync', 'it announces more and returns nothing')
    yield { changes, cursor: page.next_cursor, hasStartedOver }
    hasStartedOver = false
    const next: SyncResponse | undefined = page.has_more ? await pageAfter(call, page.next_cursor, signal) : undefined
    if (page.has_more && next === undefined) throw new AnswerError('sync', 'it does not know its own cursor')
    page = next
  }
  if (isWhole && lastSeq < seen) throw new FeedRolledBack({ seen, stated: lastSeq })
}

/** All assets that are there. */
export async function presentAssets(call: Call, signal?: AbortSignal): Promise<Iterable<AssetFacts>> {
  const assets = new Map<AssetId, AssetFacts>()
  for await (const { changes } of changesSince(call, { signal }))
    for (const { assetId, asset } of changes)
      if (asset === undefined) assets.delete(assetId)
      else assets.set(assetId, asset)
  return assets.values()
}

/** Undefined when the server does not know the cursor. */
async function pageAfter(call: Call, cursor?: string, signal?: AbortSignal): Promise<SyncResponse | undefined> {
  try {
    const query = { limit: String(PAGE_LIMIT), ...(cursor === undefined ? {} : { cursor }) }
    return (await call('sync', { query, signal })).body
  } catch (error) {
    const isUnknown = error instanceof ProblemError && error.code === 'error.sync.cursor_invalid'
    if (isUnknown && cursor !== undefined) return undefined
    throw error
  }
}

function changeOf(entry: SyncEntryResponse): Change {
  const { seq, change, asset_id: assetId, changed_at: changedAt } = entry
  const asset = entry.asset ?? undefined
  if ((change === 'upsert') !== (asset !== undefined) || (asset !== undefined && asset.asset_id !== assetId))
    throw new AnswerError('sync', 'a change is not about its asset')
  return { seq, assetId, changedAt, asset: asset && factsOf(asset) }
}
