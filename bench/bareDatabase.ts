/** Reads of the server's tables with nothing around them: one statement each, on a read-only connection. */
import { stat } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { promisify } from 'node:util'
import { ROLES } from './plantedAssets.ts'

export type BareRow = Record<string, SQLOutputValue>

export const statOf = promisify(stat)

/** Reads a session and its account, as an authenticated request must. */
export function sessionReader(database: DatabaseSync): () => BareRow | undefined {
  const id = database.prepare('select session_id from sessions').get()?.session_id ?? ''
  const statement = database.prepare(
    `select accounts.*, sessions.* from sessions join accounts on accounts.account_id = sessions.account_id where session_id = ?`,
  )
  return () => statement.get(id)
}

/** Reads the blobs of each asset, one query for each, all in one snapshot. */
export function blobReader(database: DatabaseSync): (asset: BlobsOf) => readonly (readonly BareRow[])[] {
  const query = database.prepare(
    `select b.size as size, b.location as location, b.ciphertext_hash as hash from asset_blobs b join objects c on c.location = b.location
     where b.asset_id = ? and b.account_id = ? and c.state = 'kept' order by b.blob_seq`,
  )
  return ({ assetIds, accountId }) => {
    database.exec('begin')
    const rows = assetIds.map((assetId) => query.all(assetId, accountId))
    database.exec('commit')
    return rows
  }
}

interface BlobsOf {
  readonly assetIds: readonly string[]
  readonly accountId: string
}

/** Whether all blobs of each asset have files of the recorded size. Calls `stat` for all at once. */
export function areWhole(assets: readonly (readonly BareRow[])[], directory: string): Promise<readonly boolean[]> {
  return Promise.all(
    assets.map(async (rows) =>
      isWhole(rows, await Promise.all(rows.map(({ location }) => statOf(join(directory, String(location)))))),
    ),
  )
}

export function isWhole(rows: readonly BareRow[], files: readonly { readonly size: number }[]): boolean {
  return rows.length === ROLES.length && rows.every(({ size }, at) => files[at]?.size === size)
}
