import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { receiptHash } from '@blindkeep/protocol/receipt'
import type { AuditedReceipt } from '../../ports/store.ts'
import { ofOriginal, replacing } from '../../testing/assetSessions.ts'
import { landBlob, newAlbumOwner, newAssetId } from '../../testing/assets.ts'
import { type Filled, fill, findingsIn } from '../../testing/fsck.ts'
import { bytes, never } from '../../testing/guest.ts'
import { openUncommitted } from '../../testing/uncommitted.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import type { Finding } from './finding.ts'
import { checkKeyChanges, keyHistoryIn } from './keyChanges.ts'
import { newCounts } from './options.ts'
import { checkReceipt, type LogContext, placeOf } from './receipts.ts'
import { createVerifiers } from './verifiers.ts'

const examination = { deep: false, signal: never, counts: newCounts() }

/** The log of a world, and what its receipt at an index is compared with. */
async function logOf({ store }: World) {
  const receipts = await store.read((tx) => tx.audit.receipts(-1, 100))
  const history = await store.read(keyHistoryIn)
  const verify = createVerifiers()
  const { eras } = await checkKeyChanges(history, verify)
  const contextOf = (index: number): LogContext => {
    const before = receipts[index - 1]
    return { before: before && placeOf(before), keys: history.keys, eras, verify }
  }
  return { receipts, contextOf }
}

/** A forgery without the key: the column has the hash of the changed bytes. */
function withBytes(receipt: AuditedReceipt, receiptCbor: Uint8Array): AuditedReceipt {
  return { ...receipt, row: { ...receipt.row, receiptCbor, receiptHash: receiptHash(receiptCbor) } }
}

const places = (findings: readonly Finding[]) => findings.map(({ where }) => where.receipt_seq)

/** Text columns of each receipt, each with its first and its last character changed. */
const TEXTS = ['receipt_hash', 'key_id', 'upload_id', 'drop_id', 'asset_id'] as const
const flipped = (column: string, at: 'first' | 'last') => {
  const other = (part: string) => `case ${part} when '0' then '1' else '0' end`
  return at === 'first'
    ? `${other(`substr(${column}, 1, 1)`)} || substr(${column}, 2)`
    : `substr(${column}, 1, length(${column}) - 1) || ${other(`substr(${column}, -1)`)}`
}

/** Damages of receipt 3, which is of a blob, or of its neighbours, and the places that findings must name. */
function damagesOf({
  pending,
  deletedAsset,
}: Filled): readonly (readonly [damage: string, places: readonly number[]])[] {
  const hash = (sequence: number) => `(select receipt_hash from receipts where receipt_seq = ${sequence})`
  return [
    ...TEXTS.flatMap((column) =>
      (['first', 'last'] as const).flatMap((at) =>
        [1, 2, 3].flatMap((sequence): [string, number[]][] =>
          (column === 'drop_id' && sequence === 3) || (column === 'asset_id' && sequence < 3)
            ? [[`update receipts set ${column} = '${pending.dropId}' where receipt_seq = ${sequence}`, [sequence]]]
            : [[`update receipts set ${column} = ${flipped(column, at)} where receipt_seq = ${sequence}`, [sequence]]],
        ),
      ),
    ),
    [`update receipts set received_at = received_at + 1 where receipt_seq = 3`, [3]],
    [`update receipts set received_at = received_at - 1 where receipt_seq = 3`, [3]],
    [`update receipts set receipt_seq = 33 where receipt_seq = 3`, [33]],
    [`update receipts set receipt_seq = 0 where receipt_seq = 3`, [0]],
    [`update receipts set asset_id = null where receipt_seq = 3`, [3]],
    [
      `update receipts set receipt_cbor = cast(substr(receipt_cbor, 1, length(receipt_cbor) - 1) as blob) where receipt_seq = 3`,
      [3],
    ],
    [`update receipts set receipt_cbor = cast(receipt_cbor || x'00' as blob) where receipt_seq = 3`, [3]],
    ...[1, 2, 3, 4].map(
      (sequence) => [`delete from receipts where receipt_seq = ${sequence}`, [sequence + 1]] as [string, number[]],
    ),
    [
      `update receipts set receipt_seq = case receipt_seq when 2 then -3 else -2 end where receipt_seq in (2, 3)`,
      [-3, -2],
    ],
    [
      `update receipts set receipt_cbor = (select other.receipt_cbor from receipts as other where other.receipt_seq = 5 - receipts.receipt_seq)
        where receipt_seq in (2, 3)`,
      [2, 3],
    ],
    // The end is cut off: the head still names it.
    [`delete from receipts where receipt_seq = 5`, [5]],
    [`delete from receipts where receipt_seq > 2`, [5]],
    [`delete from log_head`, [5]],
    [`update log_head set receipt_seq = 4`, [4]],
    [`update log_head set receipt_hash = ${hash(4)}`, [5]],
    [`update log_head set received_at = received_at + 1`, [5]],
    [`update server_facts set value = x'00' where name = 'server_id'`, [1, 2, 3, 4, 5]],
    [`delete from server_facts where name = 'server_id'`, [1, 2, 3, 4, 5]],
    [`delete from attestation_keys`, [1, 2, 3, 4, 5]],
    [`update attestation_keys set active_from = active_from + 1`, [1]],
    [`update attestation_keys set active_to = active_from`, [2, 3, 4, 5]],
    [`update uploads set ciphertext_hash = '${'0'.repeat(64)}' where upload_id = '${pending.uploadId}'`, [1]],
    [`update drops set size = 99`, [1]],
    [`delete from asset_blobs where role = 'metadata'`, [4]],
    [`delete from asset_blobs`, [3, 4]],
    [`delete from assets where asset_id = '${deletedAsset}'`, [5]],
    [`update asset_blobs set role = 'provenance' where role = 'metadata'`, [4]],
  ]
}

describe('fsck of the receipt log', () => {
  it(
    'reports no blobs that an original has replaced, and reports that original when it is missing',
    inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [first, next] = [bytes(100), bytes(101)]
        const assetId = newAssetId()
        await landBlob(world, albumOwner, first, { assetId })
        await landBlob(world, albumOwner, bytes(9), { assetId, ...ofOriginal('metadata', first) })
        await landBlob(world, albumOwner, next, { assetId, envelope: replacing(next) })
        await landBlob(world, albumOwner, bytes(9), { assetId, role: 'derivative', envelope: replacing(next) })
        const filled = { world, locations: new Map<string, string>() }
        const missed = async (store: Pick<World['store'], 'read'>) =>
          (await findingsIn(store, { filled })).filter(({ kind }) => kind === 'receipt_subject_wrong')
        assert.deepEqual(await missed(world.store), [])
        const rows = openUncommitted(world)
        const lost = await rows.with(`delete from asset_blobs where role = 'original'`, missed)
        rows.close()
        assert.ok(places(lost).includes(3))
      },
      { isOnDisk: true },
    ),
  )

  it(
    'names a receipt whose row was changed, removed or moved, and an end that was cut off',
    inWorld(
      async (world) => {
        const filled = await fill(world)
        const rows = openUncommitted(world)
        try {
          for (const [damage, expected] of damagesOf(filled)) {
            const findings = await rows.with(damage, (store) => findingsIn(store, { filled }))
            for (const place of expected)
              assert.ok(places(findings).includes(place), `${damage}: ${JSON.stringify(findings, undefined, 2)}`)
          }
        } finally {
          rows.close()
        }
      },
      { isOnDisk: true },
    ),
  )

  it(
    'finds a log that was cut off together with its head, by landed sessions without receipts',
    inWorld(
      async (world) => {
        const filled = await fill(world)
        const last = await world.store.read((tx) => tx.audit.receipts(3, 1))
        const { receiptSeq, receiptHash: hash, receivedAt } = placeOf(defined(last[0]))
        const rows = openUncommitted(world)
        try {
          const cut = `update log_head set receipt_seq = ${receiptSeq}, receipt_hash = '${hash}', received_at = ${receivedAt}`
          const findings = await rows.with(cut, async (store) => {
            rows.also(`delete from receipts where receipt_seq > ${receiptSeq}`)
            return findingsIn(store, { filled })
          })
          const found = findings.find(({ kind }) => kind === 'session_receipts_wrong')
          assert.equal(found?.where.upload_id, filled.deletedBlob)
        } finally {
          rows.close()
        }
      },
      { isOnDisk: true },
    ),
  )

  it(
    'finds every changed byte of a receipt, also with a fitting hash',
    inWorld(
      async (world) => {
        await fill(world)
        const { receipts, contextOf } = await logOf(world)
        const index = receipts.length - 1
        const last = defined(receipts[index])
        assert.deepEqual(await checkReceipt(last, contextOf(index), examination), [])
        const { receiptCbor } = last.row
        const unfound = await Promise.all(
          // Every byte before the ML-DSA-65 signature. Of its 3,309 bytes (FIPS 204, Table 2) both ends and some
          // between, to save time.
          Array.from(receiptCbor, async (byte, at) => {
            if (at > receiptCbor.length - 3_300 && at < receiptCbor.length - 9 && at % 41 > 0) return []
            const bytes = receiptCbor.with(at, byte ^ (1 << (at % 8)))
            const findings = await checkReceipt(withBytes(last, bytes), contextOf(index), examination)
            return findings.length === 0 ? [at] : []
          }),
        )
        assert.deepEqual(unfound.flat(), [])
        assert.ok(receiptCbor.length > 3_400)
      },
      { isOnDisk: true },
    ),
  )

  it(
    'with a memory, continues after the last receipt and reads kept objects once',
    inWorld(
      async (world) => {
        const filled = await fill(world)
        const memory = { log: undefined, intact: new Set<string>() }
        const counts = newCounts()
        assert.deepEqual(await findingsIn(world.store, { filled, memory, counts, deep: true }), [])
        assert.equal(counts.receipts, 5)
        const read = counts.bytes
        assert.deepEqual(await findingsIn(world.store, { filled, memory, counts, deep: true }), [])
        assert.equal(counts.receipts, 5)
        // Staged bytes are read each time.
        assert.equal(counts.bytes, read + 50)
      },
      { isOnDisk: true },
    ),
  )
})
