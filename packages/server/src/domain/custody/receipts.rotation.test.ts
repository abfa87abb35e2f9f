import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { checkChain } from '@blindkeep/protocol/chain'
import { verifyReceipt } from '@blindkeep/protocol/receipt'
import { openSqliteStore } from '../../adapters/sql/sqlite/store.ts'
import type { ReceiptRow, Store } from '../../ports/store.ts'
import { draft, verifiers } from '../../testing/receipts.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { openServerKeys, rotateAttestationKey } from './keys.ts'
import { raiseReceiptSeqFloor } from './logLives.ts'
import { createReceiptLog, type ReceiptLog } from './receipts.ts'

interface Rotated {
  readonly log: ReceiptLog
  readonly store: Store
  /** Rotates through a second store on the same database, like the operator's command in its own process. */
  rotate(): Promise<unknown>
  /** Runs `work` before each receipt is signed, with the number of those signed before. */
  beforeSigning(work: (signed: number) => Promise<unknown>): void
}

function whileRotating(work: (rotated: Rotated, world: World) => Promise<void>): () => Promise<void> {
  return inWorld(async (world) => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-rotation-'))
    const path = join(directory, 'blindkeep.sqlite')
    const store = await openSqliteStore({ path })
    const other = await openSqliteStore({ path, asItIs: true })
    try {
      const { clock, keyring, random } = world
      await openServerKeys({ store, keyring, clock, random })
      let before: (signed: number) => Promise<unknown> = async () => undefined
      let signed = 0
      const log = createReceiptLog({
        store,
        clock,
        serverId: 'https://keep.example',
        signerOf: (key) => ({
          async receipts(payloads, keyId) {
            for (let count = 0; count < payloads.length; count += 1) await before(signed++)
            return keyring.openAttestationKey(key).receipts(payloads, keyId)
          },
        }),
      })
      const rotated: Rotated = {
        log,
        store,
        rotate: () => rotateAttestationKey({ store: other, keyring, clock }),
        beforeSigning(work) {
          signed = 0
          before = work
        },
      }
      await work(rotated, world)
    } finally {
      await other.close()
      await store.close()
      await rm(directory, { recursive: true })
    }
  })
}

/** Asserts one chain, in which each receipt verifies under the key it names and is dated while that key was active. */
async function assertSound(store: Store, rows: readonly ReceiptRow[]): Promise<void> {
  const keys = await store.read((tx) => tx.keys.attestationKeys())
  const receipts = []
  for (const { receiptCbor, keyId, receivedAt } of rows.toSorted((a, b) => a.receiptSeq - b.receiptSeq)) {
    const key = defined(keys.find((published) => published.keyId === keyId))
    assert.ok(receivedAt >= key.activeFrom && receivedAt <= (key.activeTo ?? receivedAt))
    receipts.push(await verifyReceipt({ receiptCbor, publicKey: key.publicKey, verify: verifiers }))
  }
  assert.equal(checkChain(receipts, { whole: true }), undefined)
  assert.equal((await store.read((tx) => tx.receipts.head()))?.receiptHash, receipts.at(-1)?.hash)
}

describe('the receipt log during a rotation', () => {
  it(
    'signs a batch again that was signed but not committed, and runs its commit once',
    whileRotating(async ({ log, store, rotate, beforeSigning }, { clock }) => {
      const first = await log.append(draft())
      let commits = 0
      beforeSigning(async (signed) => {
        if (signed > 0) return
        clock.advance(10)
        await rotate()
        clock.advance(-20)
      })
      const second = await log.append(
        draft(async () => {
          commits += 1
        }),
      )
      const [old, active] = await store.read((tx) => tx.keys.attestationKeys())
      assert.deepEqual([first.keyId, second.keyId], [old?.keyId, active?.keyId])
      assert.equal(commits, 1)
      await assertSound(store, [first, second])
    }),
  )

  it(
    'stays one chain and loses no draft over 200 at once and three rotations',
    whileRotating(async ({ log, store, rotate, beforeSigning }, { clock }) => {
      beforeSigning(async (signed) => {
        clock.advance(signed % 7 === 3 ? -5 : 1)
        if (signed % 150 === 20) await rotate()
      })
      const drafts = Array.from({ length: 200 }, () => draft())
      const rows = await Promise.all(drafts.map((each) => log.append(each)))
      assert.deepEqual(
        rows.map(({ uploadId }) => uploadId),
        drafts.map(({ subject }) => subject.uploadId),
      )
      assert.equal(new Set(rows.map(({ keyId }) => keyId)).size, 4)
      await assertSound(store, rows)
    }),
  )

  it(
    'rejects a batch after five rotations in a row, and continues afterwards',
    whileRotating(async ({ log, store, rotate, beforeSigning }) => {
      const first = await log.append(draft())
      beforeSigning(rotate)
      await assert.rejects(log.append(draft()), /changed 5 times/)
      beforeSigning(async () => undefined)
      const second = await log.append(draft())
      assert.equal(second.receiptSeq, 2)
      await assertSound(store, [first, second])
    }),
  )
})

describe('a floor under receipt_seq', () => {
  it(
    'is where the numbers continue in the same chain, and is never lowered',
    inWorld(async ({ store, rules: { receiptLog } }) => {
      const first = await receiptLog.append(draft())
      await store.write([], (tx) => raiseReceiptSeqFloor(tx, 1_000_000))
      await store.write([], (tx) => raiseReceiptSeqFloor(tx, 10))
      const rows = [first, ...(await Promise.all([draft(), draft(), draft()].map((each) => receiptLog.append(each))))]
      assert.deepEqual(
        rows.map(({ receiptSeq }) => receiptSeq),
        [1, 1_000_001, 1_000_002, 1_000_003],
      )
      await assertSound(store, rows)
    }),
  )

  it(
    'holds for the first receipt too, and must not be negative',
    inWorld(async ({ store, rules: { receiptLog } }) => {
      await store.write([], (tx) => raiseReceiptSeqFloor(tx, 5))
      assert.equal((await receiptLog.append(draft())).receiptSeq, 6)
      assert.equal((await receiptLog.append(draft())).receiptSeq, 7)
      await assert.rejects(
        store.write([], (tx) => raiseReceiptSeqFloor(tx, -1)),
        RangeError,
      )
    }),
  )
})
