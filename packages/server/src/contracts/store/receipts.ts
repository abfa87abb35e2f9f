import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LogHead, ReceiptRow, Store } from '../../ports/store.ts'
import { assetId, at, atOnce, countTrue, hash, type InStore, receipt, uploadId } from './world.ts'

export function describeReceipts(inStore: InStore): void {
  describe('the receipt log', () => {
    describeGrowth(inStore)
    describeAssets(inStore)
    describeHead(inStore)
  })
}

function headAt(row: ReceiptRow): LogHead {
  return { receiptSeq: row.receiptSeq, receiptHash: row.receiptHash, receivedAt: row.receivedAt }
}

const append = (store: Store, from: LogHead | undefined, rows: readonly ReceiptRow[]) =>
  store.write([], (tx) => tx.receipts.append(from, rows))
const head = (store: Store) => store.read((tx) => tx.receipts.head())
const ofUpload = (store: Store, number: number) => store.read((tx) => tx.receipts.ofUpload(uploadId(number)))

function describeGrowth(inStore: InStore): void {
  it(
    'has no head before the first receipt, and then the last receipt as its head',
    inStore(async (store) => {
      assert.equal(await head(store), undefined)
      assert.equal(await append(store, undefined, [receipt(1)]), true)
      assert.deepEqual(await head(store), headAt(receipt(1)))
      assert.equal(await append(store, headAt(receipt(1)), [receipt(2), receipt(3), receipt(70)]), true)
      assert.deepEqual(await head(store), headAt(receipt(70)))
    }),
  )

  it(
    'finds the first receipt of an upload',
    inStore(async (store) => {
      const adopted = receipt(2, { uploadId: uploadId(1), dropId: undefined, assetId: assetId(1) })
      const alone = receipt(3, { dropId: undefined, assetId: assetId(2) })
      await append(store, undefined, [receipt(1), adopted, alone])
      assert.deepEqual(await ofUpload(store, 1), receipt(1))
      assert.deepEqual(await ofUpload(store, 3), alone)
      assert.equal(await ofUpload(store, 2), undefined)
    }),
  )

  it(
    'answers the hash of a receipt by its number',
    inStore(async (store) => {
      await append(store, undefined, [receipt(1), receipt(7)])
      const hashOf = (receiptSeq: number) => store.read((tx) => tx.receipts.hashOf(receiptSeq))
      assert.deepEqual([await hashOf(1), await hashOf(7), await hashOf(2)], [hash(1), hash(7), undefined])
    }),
  )

  it(
    'throws for no receipts, for a number that does not increase, and for an instant that decreases',
    inStore(async (store) => {
      await append(store, undefined, [receipt(5)])
      const from = headAt(receipt(5))
      await assert.rejects(append(store, from, []))
      await assert.rejects(append(store, from, [receipt(5)]))
      await assert.rejects(append(store, from, [receipt(6), receipt(6)]))
      await assert.rejects(append(store, from, [receipt(6, { receivedAt: at(4) })]))
      assert.deepEqual(await head(store), from)
      assert.equal(await ofUpload(store, 6), undefined)
      assert.equal(await append(store, from, [receipt(6, { receivedAt: at(5) })]), true)
    }),
  )
}

function describeAssets(inStore: InStore): void {
  const ofAsset = (store: Store, number: number) => store.read((tx) => tx.receipts.ofAsset(assetId(number)))
  const ofBlob = (receiptSeq: number, upload: number, asset: number) =>
    receipt(receiptSeq, { uploadId: uploadId(upload), dropId: undefined, assetId: assetId(asset) })

  it(
    'lists the receipts of an asset in the order of the chain, with the landing of its adopted drop',
    inStore(async (store) => {
      const landing = receipt(1, { uploadId: uploadId(9) })
      const blobs = [ofBlob(2, 7, 1), ofBlob(3, 6, 1)]
      const adoption = ofBlob(6, 9, 1)
      await append(store, undefined, [landing, ...blobs, ofBlob(4, 4, 2)])
      await append(store, headAt(ofBlob(4, 4, 2)), [receipt(5), adoption, ofBlob(7, 2, 1)])
      assert.deepEqual(await ofAsset(store, 1), [landing, ...blobs, adoption, ofBlob(7, 2, 1)])
      assert.deepEqual(await ofAsset(store, 2), [ofBlob(4, 4, 2)])
      const countOf = (number: number) => store.read((tx) => tx.receipts.countOfAsset(assetId(number)))
      assert.deepEqual([await countOf(1), await countOf(2), await countOf(3)], [blobs.length + 2, 1, 0])
      assert.deepEqual(await ofAsset(store, 3), [])
    }),
  )
}

function describeHead(inStore: InStore): void {
  it(
    'changes nothing if the head is not the expected one',
    inStore(async (store) => {
      await append(store, undefined, [receipt(1)])
      const wrong = [
        undefined,
        headAt(receipt(0)),
        headAt(receipt(1, { receiptHash: hash(9) })),
        headAt(receipt(1, { receivedAt: at(0) })),
      ]
      for (const from of wrong) assert.equal(await append(store, from, [receipt(2)]), false)
      assert.deepEqual(await head(store), headAt(receipt(1)))
      assert.equal(await ofUpload(store, 2), undefined)
    }),
  )

  it(
    'appends for one of 64 simultaneous calls with the same head, also for the first receipt',
    inStore(async (store) => {
      const first = await atOnce(store, 64, (tx, index) =>
        tx.receipts.append(undefined, [receipt(1, { receiptHash: hash(index) })]),
      )
      assert.equal(countTrue(first), 1)
      const from = await head(store)
      assert.equal(from?.receiptHash, hash(first.indexOf(true)))
      const second = await atOnce(store, 64, (tx, index) =>
        tx.receipts.append(from, [receipt(2, { receiptHash: hash(100 + index) }), receipt(3)]),
      )
      assert.equal(countTrue(second), 1)
      assert.equal((await ofUpload(store, 2))?.receiptHash, hash(100 + second.indexOf(true)))
    }),
  )
}
