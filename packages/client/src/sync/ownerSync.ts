/** What has changed for the owner: what they missed while they were away, and what happens while they are here. */
import type { AssetId } from '@blindkeep/protocol/ids'
import type { SyncEntryResponse, SyncResponse } from '@blindkeep/protocol/schemas/sync'
import { type AssetFacts, factsOf } from '../assets/assetFacts.ts'
import type { Environment } from '../environment.ts'
import type { Call } from '../http/call.ts'
import { AnswerError, ProblemError } from '../http/errors.ts'
import { type EventsOptions, type LiveEvent, liveEvents } from './ownerSyncEvents.ts'

export type { EventsOptions, LiveEvent } from './ownerSyncEvents.ts'

export interface Change {
  /** Rises from one change to the next. */
  readonly seq: number
  readonly assetId: AssetId
  /** As it is now; undefined when it was deleted. The server's word: `openAsset` compares it with what was signed. */
  readonly asset: AssetFacts | undefined
  readonly changedAt: string
}

export interface ChangePage {
  /** Assets that have changed, each once, with its latest change. */
  readonly changes: readonly Change[]
  /** Keep it once these changes are worked in, and give it to the next `changes`. */
  readonly cursor: string
  /** True on the first page that is read without the cursor that was given, because the server does not know it any more: what is kept from before may be gone. */
  readonly hasStartedOver: boolean
}

export interface ChangesOptions {
  /** From the beginning when left out. */
  readonly cursor?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface OwnerSync {
  /** Everything that has changed since the cursor, page by page, until there is no more. Throws what a call throws. */
  changes(options?: ChangesOptions): AsyncGenerator<ChangePage, void, void>
  /**
   * What happens from now on, or after `lastEventId`, each event once and none left out over broken connections, until it is aborted or returned from.
   * The event `reset` says that some are lost, so that everything has to be read anew.
   * Throws the signal's reason, and what a call throws when trying again cannot help: `error.auth.session_expired` when the session is over.
   */
  events(options?: EventsOptions): AsyncGenerator<LiveEvent, void, void>
}

/** The most that a server gives at once. */
const PAGE_LIMIT = 1000

export function createOwnerSync(ports: { readonly call: Call; readonly environment: Environment }): OwnerSync {
  return {
    changes: (options) => changesSince(ports.call, options),
    events: (options) => liveEvents(ports, options),
  }
}

async function* changesSince(
  call: Call,
  { cursor, signal }: ChangesOptions = {},
): AsyncGenerator<ChangePage, void, void> {
  let page = await pageAfter(call, cursor, signal)
  let hasStartedOver = page === undefined
  page ??= await pageAfter(call, undefined, signal)
  for (let lastSeq = 0; page !== undefined; ) {
    const changes = page.entries.map(changeOf)
    for (const { seq } of changes) {
      if (seq <= lastSeq) throw new AnswerError('sync', 'a change comes after a later one')
      lastSeq = seq
    }
    // A server that promises more for ever and gives nothing would never let go of us.
    if (page.has_more && changes.length === 0) throw new AnswerError('sync', 'it has more, and gives nothing')
    yield { changes, cursor: page.next_cursor, hasStartedOver }
    hasStartedOver = false
    const next: SyncResponse | undefined = page.has_more ? await pageAfter(call, page.next_cursor, signal) : undefined
    if (page.has_more && next === undefined) throw new AnswerError('sync', 'it does not know the cursor it has given')
    page = next
  }
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
