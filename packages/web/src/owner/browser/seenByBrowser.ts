/**
 * What this browser has seen of each account: the largest number of a change, revoked devices, the account's id,
 * whether its owner has looked through it after a move of the server, and, sealed, what of the inbox was read. It stays
 * after a sign-out, so that a later session notices a server that says otherwise. Stored under a hash of the account
 * key: without that key the record cannot be found for an account. A browser that stores nothing remembers nothing.
 */
import { AccountError } from '@blindkeep/client/errors'
import type { Owner, RevocationStore } from '@blindkeep/client/owner'
import { type Bytes, concatBytes, toHex, utf8 } from '@blindkeep/protocol/bytes'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import type { DBSchema, IDBPDatabase } from 'idb'
import { isLocalPage } from '../../common/address/localPage.ts'
import { withDatabase } from '../../common/storage/withDatabase.ts'
import { changeLocalSeen, loadLocalSeen } from './localSeen.ts'
import { readSeenRecord, type SeenRecord, withRevoked } from './seenRecord.ts'

/** The largest number of a change that this browser has seen of the account. */
export interface SeenChange {
  load(): Promise<number>
  /** Keeps a larger number, which another tab may have stored. Best effort. */
  save(seq: number): Promise<void>
  /** Replaces a larger number, after the owner has accepted a list that ends here. Best effort. */
  lower(seq: number): Promise<void>
}

type OfAccount = Pick<Owner, 'accountKey'>

interface SeenDatabase extends DBSchema {
  seen: { key: string; value: unknown }
}

const DATABASE = 'blindkeep-seen'
const VERSION = 1
const KEY_LABEL = 'blindkeep/seen/1\0'
const ACCOUNT_LABEL = 'blindkeep/seen-account/1\0'

export function seenChangeOf(owner: OfAccount): SeenChange {
  return {
    load: async () => (await load(owner)).changeSeq,
    save: (seq) => update(owner, (seen) => ({ ...seen, changeSeq: Math.max(seq, seen.changeSeq) })),
    lower: (changeSeq) => update(owner, (seen) => ({ ...seen, changeSeq })),
  }
}

export function seenRevocationsOf(owner: OfAccount): RevocationStore {
  return {
    load: async () => (await load(owner)).revokedDevices,
    save: (revoked) => update(owner, (seen) => withRevoked(seen, revoked)),
  }
}

/** Whether the owner has looked through keys and sign-ins in this browser since the server moved, RFC 3339. */
export async function hasLookedAfter(owner: OfAccount, movedAt: string): Promise<boolean> {
  return (await load(owner)).lookedAfterMove === movedAt
}

/** Best effort. */
export function lookedAfter(owner: OfAccount, movedAt: string): Promise<void> {
  return update(owner, (seen) => ({ ...seen, lookedAfterMove: movedAt }))
}

/** Sealed; undefined before the first visit of the inbox, and in a browser that stores nothing. */
export async function sealedVisitsOf(owner: OfAccount): Promise<Uint8Array | undefined> {
  return (await load(owner)).visits
}

/** Best effort. */
export function keepSealedVisits(owner: OfAccount, visits: Uint8Array): Promise<void> {
  return update(owner, (seen) => ({ ...seen, visits }))
}

/**
 * Throws `AccountError` `account_id_differs` when this browser has used the account key under another id: the server
 * would have the devices of this account sign for another one.
 */
export async function requireSeenAccount(owner: Pick<Owner, 'accountKey' | 'accountId'>): Promise<void> {
  const accountHash = parseSha256Hex(await hashUnder(ACCOUNT_LABEL, owner.accountKey, utf8(owner.accountId)))
  const seen = await load(owner)
  if (seen.accountHash === undefined) return update(owner, (present) => ({ ...present, accountHash }))
  if (seen.accountHash !== accountHash) throw new AccountError('account_id_differs')
}

function load(owner: OfAccount): Promise<SeenRecord> {
  if (isLocalPage) return loadLocalSeen()
  return withSeen(owner, (database, key) => database.get('seen', key)).then(readSeenRecord, () =>
    readSeenRecord(undefined),
  )
}

/** Best effort. One transaction: two tabs may add to one record. */
function update(owner: OfAccount, change: (seen: SeenRecord) => SeenRecord): Promise<void> {
  if (isLocalPage) return changeLocalSeen(change)
  return withSeen(owner, async (database, key) => {
    const changing = database.transaction('seen', 'readwrite')
    await changing.store.put(change(readSeenRecord(await changing.store.get(key))), key)
    await changing.done
  }).catch(() => undefined)
}

async function withSeen<Result>(
  { accountKey }: OfAccount,
  use: (database: IDBPDatabase<SeenDatabase>, key: string) => Promise<Result>,
): Promise<Result> {
  const key = await hashUnder(KEY_LABEL, accountKey)
  return withDatabase<SeenDatabase, Result>(
    { name: DATABASE, version: VERSION, create: (fresh) => fresh.createObjectStore('seen') },
    (database) => use(database, key),
  )
}

/** Lowercase hex. */
export async function hashUnder(label: string, ...parts: readonly Bytes[]): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', concatBytes(utf8(label), ...parts))))
}
