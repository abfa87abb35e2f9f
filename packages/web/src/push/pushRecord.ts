/**
 * What this browser profile keeps of its subscription, for the page and for the service worker: whose it is, and in
 * which language the owner reads. One for each server of the origin. None of it is secret, and none of it is enough to
 * send something here.
 */
import type { AccountId, ChannelId } from '@blindkeep/protocol/ids'
import type { DBSchema, IDBPDatabase } from 'idb'
import type { Language } from '../common/language/language.ts'
import { withDatabase } from '../common/storage/withDatabase.ts'

export interface PushRecord {
  readonly accountId: AccountId
  readonly channelId: ChannelId
  /** Of the browser's subscription. */
  readonly endpoint: string
  readonly language: Language
}

interface PushDatabase extends DBSchema {
  /** The key is the base URL of the server. */
  readonly browsers: { key: string; value: PushRecord }
}

const NAME = 'blindkeep.push'
const VERSION = 1

function withRecords<Result>(use: (database: IDBPDatabase<PushDatabase>) => Promise<Result>): Promise<Result> {
  return withDatabase({ name: NAME, version: VERSION, create: (fresh) => fresh.createObjectStore('browsers') }, use)
}

/** Undefined also in a browser that stores nothing. */
export async function loadPushRecord(baseUrl: string): Promise<PushRecord | undefined> {
  return withRecords((database) => database.get('browsers', baseUrl)).catch(() => undefined)
}

/** Rejects when the browser stores nothing. */
export async function savePushRecord(baseUrl: string, record: PushRecord): Promise<void> {
  await withRecords((database) => database.put('browsers', record, baseUrl))
}

export async function deletePushRecord(baseUrl: string): Promise<void> {
  await withRecords((database) => database.delete('browsers', baseUrl)).catch(() => undefined)
}
