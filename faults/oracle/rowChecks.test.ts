import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { openSqliteStore } from '../../packages/server/src/adapters/sql/sqlite.ts'
import type { CopyState, NewUpload, Store, WriteTx } from '../../packages/server/src/ports/store.ts'
import {
  accountId,
  adoptedDrop,
  asset,
  assetBlob,
  assetId,
  assetUpload,
  at,
  copy,
  drop,
  dropId,
  hash,
  opaqueId,
  receipt,
  seedWithAlbums,
  upload,
  uploadId,
} from '../../packages/server/src/ports/storeContract/world.ts'
import { checkRows } from './rowChecks.ts'

const SIZE = 100

async function open(tx: WriteTx, session: NewUpload, copyState: CopyState): Promise<void> {
  await tx.accounts.charge(accountId(1), SIZE, undefined)
  if (session.opaqueId !== undefined)
    await tx.links.reserve(session.opaqueId, { size: SIZE, at: at(0), maxOpenSessions: 64 })
  const { location } = session
  await tx.copies.insert({ location, size: SIZE, state: copyState, since: at(0) })
  await tx.uploads.insert(session)
}

async function landed(tx: WriteTx, session: NewUpload, copyState: CopyState = 'kept'): Promise<void> {
  await open(tx, session, copyState)
  const { uploadId } = session
  await tx.uploads.append(uploadId, { offset: 0, length: SIZE, checksum: hash(1) }, at(0))
  await tx.uploads.move(uploadId, { from: 'open', to: 'landed', at: at(1) })
  if (session.opaqueId !== undefined) await tx.links.land(session.opaqueId, SIZE, at(1))
}

/**
 * A pending drop (1), an asset (1) of an adopted drop (2) and a metadata blob (3), a session (4) on its way to asset 2, a cancelled one (5),
 * and a buried asset (3) whose blob (6) waits for the collector.
 */
async function fill(store: Store): Promise<void> {
  await seedWithAlbums(store)
  const ofAsset = (sequence: number, session: number, number: number) =>
    receipt(sequence, { uploadId: uploadId(session), dropId: undefined, assetId: assetId(number) })
  const receipts = [receipt(1), receipt(2), ofAsset(3, 3, 1), ofAsset(4, 6, 3), ofAsset(5, 2, 1)]
  await store.write(async (tx) => {
    await landed(tx, upload(1))
    await landed(tx, upload(2))
    await landed(tx, assetUpload(3, { role: 'metadata' }))
    await open(tx, assetUpload(4, { assetId: assetId(2) }), 'staged')
    await open(tx, upload(5), 'doomed')
    await landed(tx, assetUpload(6, { assetId: assetId(3) }), 'unowned')
    await tx.receipts.append(undefined, receipts)
    await tx.uploads.move(uploadId(5), { from: 'open', to: 'ended', at: at(1) })
    await tx.links.release(opaqueId(1), SIZE)
    await tx.accounts.refund(accountId(1), 2 * SIZE)
    await tx.drops.insert(drop(1, { receivedAt: at(1) }))
    for (const number of [1, 2, 3]) await tx.assets.reserve(asset(number))
    await tx.assets.setDrop(assetId(1), adoptedDrop(2))
    await tx.assets.addBlob(assetBlob(2, { role: 'original', landedAt: at(5) }))
    await tx.assets.addBlob(assetBlob(3, { role: 'metadata', landedAt: at(3) }))
    await tx.assets.touch(assetId(1), at(5))
    await tx.assets.touch(assetId(3), at(4))
    await tx.assets.bury(assetId(3), at(6))
  })
}

const blob = (number: number) => `where upload_id = '${uploadId(number)}'`
const session = (number: number) => `where upload_id = '${uploadId(number)}'`
const location = (number: number) => `where location = '${copy(number).location}'`
const reserved = (number: number) => `where asset_id = '${assetId(number)}'`
const another = `'${copy(9).location}'`

/** What was done to the rows, and the rule that has to say so. */
const damages: readonly (readonly [damage: string, rule: string])[] = [
  [`delete from asset_blobs ${blob(3)}`, 'use equals the sum of rows'],
  [`delete from drops`, 'an account counts its pending drops'],
  [`delete from receipts where receipt_seq = 3`, 'what has landed, and nothing else, has its receipts'],
  [`delete from receipts where receipt_seq = 2`, 'what has landed, and nothing else, has its receipts'],
  [
    `insert into receipts select 9, receipt_hash, receipt_cbor, key_id, upload_id, drop_id, received_at, asset_id
      from receipts where receipt_seq = 5`,
    'what has landed, and nothing else, has its receipts',
  ],
  [
    `insert into receipts select 9, receipt_hash, receipt_cbor, key_id, '${uploadId(4)}', drop_id, received_at, asset_id
      from receipts where receipt_seq = 5`,
    'what has landed, and nothing else, has its receipts',
  ],
  [
    `update receipts set drop_id = 'x' where receipt_seq = 3`,
    'a receipt is of a drop that landed or of a blob that an asset took',
  ],
  [
    `update receipts set drop_id = null where receipt_seq = 1`,
    'a receipt is of a drop that landed or of a blob that an asset took',
  ],
  [
    `update uploads set state = 'ended', closed_at = 1 ${session(4)}`,
    'an asset that is not a tombstone has a blob, or a session on its way to it',
  ],
  [
    `update assets set created_at = 1, changed_at = 1 ${reserved(2)}`,
    'an asset is created by its first blob, and holds nothing once it is a tombstone',
  ],
  [
    `update assets set created_at = null, changed_at = null ${reserved(1)}`,
    'an asset is created by its first blob, and holds nothing once it is a tombstone',
  ],
  [
    `update asset_blobs set asset_id = '${assetId(3)}' ${blob(3)}`,
    'an asset is created by its first blob, and holds nothing once it is a tombstone',
  ],
  [`delete from assets ${reserved(2)}`, 'a session on its way to an asset is of its account and its album'],
  [
    `update assets set account_id = '${accountId(2)}' ${reserved(2)}`,
    'a session on its way to an asset is of its account and its album',
  ],
  ...[
    `update uploads set state = 'ended' ${session(3)}`,
    `update uploads set ciphertext_hash = 'x' ${session(3)}`,
    `update uploads set size = 101 ${session(3)}`,
    `update uploads set account_id = '${accountId(2)}' ${session(3)}`,
    `update uploads set asset_id = '${assetId(2)}' ${session(3)}`,
    `update uploads set role = 'original' ${session(3)}`,
    `update asset_blobs set role = 'derivative' ${blob(2)}`,
    `update asset_blobs set account_id = '${accountId(2)}' ${blob(2)}`,
    `update asset_blobs set landed_at = 1 ${blob(2)}`,
    `update asset_blobs set location = ${another} ${blob(2)}`,
    `delete from uploads ${session(2)}`,
  ].map((damage) => [damage, 'a blob is what its session and its receipt say'] as const),
  [
    `update assets set drop_id = '${dropId(7)}' ${reserved(1)}`,
    'an asset whose original is a guest’s names the drop that it was',
  ],
  [
    `update assets set drop_id = null, opaque_id = null, kem_ct = null, drop_received_at = null ${reserved(1)}`,
    'an asset whose original is a guest’s names the drop that it was',
  ],
  [`update drops set upload_id = '${uploadId(2)}'`, 'a drop is pending or adopted, never both'],
  [`update copies set state = 'unowned' ${location(3)}`, 'an asset’s blob has a kept copy of its own'],
  [`delete from copies ${location(3)}`, 'an asset’s blob has a kept copy of its own'],
  [`update copies set state = 'kept' ${location(6)}`, 'a copy is in the state of who owns it'],
  [`update copies set state = 'unowned' ${location(1)}`, 'a copy is in the state of who owns it'],
  [`update copies set state = 'doomed' ${location(4)}`, 'a copy is in the state of who owns it'],
  [`update copies set state = 'staged' ${location(3)}`, 'a copy is in the state of who owns it'],
  [`update copies set state = 'unowned' ${location(5)}`, 'a copy is in the state of who owns it'],
  [`update drops set location = '${copy(3).location}'`, 'a copy is in the state of who owns it'],
  [`insert into copies values (${another}, 1, 'kept', 0)`, 'a copy is in the state of who owns it'],
]

describe('the checks of rows', () => {
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-checks-'))
  const path = join(directory, 'blindkeep.sqlite')
  let database: DatabaseSync

  before(async () => {
    const store = await openSqliteStore({ path })
    await fill(store)
    await store.close()
    database = new DatabaseSync(path)
    database.exec('pragma foreign_keys = off')
  })
  after(() => {
    database?.close()
    rmSync(directory, { recursive: true })
  })

  it('find nothing wrong with sessions, drops and assets in each of their states', () => {
    assert.deepEqual(checkRows(database), [])
  })

  for (const [damage, rule] of damages) {
    const what = damage.replaceAll(/\s+/g, ' ').replaceAll(/0[0/.-]{6,}/g, '…')
    it(`say “${rule}” after ${what}`, () => {
      database.exec('begin')
      try {
        assert.ok(Number(database.prepare(damage).run().changes) > 0)
        const faults = checkRows(database)
        assert.ok(
          faults.some((fault) => fault.startsWith(rule)),
          faults.join('\n'),
        )
      } finally {
        database.exec('rollback')
      }
    })
  }
})
