import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { instantOf, parseAssetId, parseDropId, parseKeyId, parseSha256Hex } from '@blindkeep/protocol/ids'
import { BackupFailed, type Snapshot, type SnapshotObject, type SnapshotSource } from '../../../ports/backup.ts'
import { copySqlite } from '../sqlite/copy.ts'
import { copyRows } from './copyRows.ts'
import { withPostgresRows } from './postgresRows.ts'
import { createSqliteFrom } from './sqliteRows.ts'

export function createSnapshots(options: {
  readonly databasePath: string
  /** The backup's directory. */
  readonly directory: string
}): SnapshotSource {
  const { databasePath, directory } = options
  return {
    async take(name) {
      return taken(join(directory, name), (target) => copySqlite(databasePath, target))
    },
  }
}

/** Of the PostgreSQL database at `url`. */
export function createPostgresSnapshots(options: { readonly url: string; readonly directory: string }): SnapshotSource {
  const { url, directory } = options
  return {
    async take(name) {
      return taken(join(directory, name), (target) =>
        withPostgresRows(url, (from) => createSqliteFrom(target, (to) => copyRows({ from, to }))),
      )
    },
  }
}

async function taken(target: string, copy: (target: string) => Promise<unknown>): Promise<Snapshot> {
  try {
    await copy(target)
    return readSnapshot(target)
  } catch (error) {
    throw new BackupFailed(`the database could not be copied to ${target}`, { cause: error })
  }
}

/** For an object that is still being uploaded, `bytes` is what was recorded. A location ends in its upload id. */
const OBJECTS = `select location, state <> 'staged' as is_whole, case state when 'staged'
    then coalesce((select received_bytes from uploads where upload_id = substr(objects.location, 69)), 0) else size end as bytes
  from objects where state <> 'deleting'`

const COUNTS = `select (select count(*) from accounts) as accounts, (select count(*) from drops) as drops,
  (select count(*) from assets where created_at is not null and deleted_at is null) as assets,
  (select count(*) from receipts) as receipts`

/** Reads an existing database over a connection that cannot write. */
export function readSnapshot(path: string): Snapshot {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  const first = (query: string, ...values: readonly SQLInputValue[]) => database.prepare(query).get(...values) ?? {}
  return {
    serverId() {
      const { value } = first(`select value from server_facts where name = 'server_id'`)
      return value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined
    },
    firstKeyId: () => parseKeyId(String(first('select key_id from attestation_keys order by key_seq limit 1').key_id)),
    head() {
      const row = first('select receipt_seq, receipt_hash, received_at from log_head')
      const { receipt_seq: receiptSeq, receipt_hash: text, received_at: receivedAt } = row
      const receiptHash = parseSha256Hex(String(text))
      if (typeof receiptSeq !== 'number' || typeof receivedAt !== 'number' || receiptHash === undefined)
        return undefined
      return { receiptSeq, receiptHash, receivedAt: instantOf(receivedAt) }
    },
    counts() {
      const { accounts, drops, assets, receipts } = first(COUNTS)
      return {
        accounts: Number(accounts),
        drops: Number(drops),
        assets: Number(assets),
        receipts: Number(receipts),
      }
    },
    *objects() {
      for (const range of [`state = 'staged'`, `state <> 'staged' order by location`]) {
        for (const row of database.prepare(`${OBJECTS} and ${range}`).iterate()) {
          const object = objectOf(row)
          if (object.bytes > 0) yield object
        }
      }
    },
    find(location) {
      const row = database.prepare(`${OBJECTS} and location = ?`).get(location)
      const object = row && objectOf(row)
      return object === undefined || object.bytes === 0 ? undefined : object
    },
    ownerOf(location) {
      const drop = first('select drop_id from drops where upload_id = substr(?, 69)', location)
      const blob = first('select asset_id from asset_blobs where location = ?', location)
      return { dropId: parseDropId(String(drop.drop_id)), assetId: parseAssetId(String(blob.asset_id)) }
    },
    close: () => database.close(),
  }
}

function objectOf({ location, bytes, is_whole: isWhole }: Readonly<Record<string, unknown>>): SnapshotObject {
  return { location: String(location), bytes: Number(bytes), isWhole: isWhole === 1 }
}
