import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkChain } from '@blindkeep/protocol/chain'
import { formatInstant } from '@blindkeep/protocol/ids'
import { type DecodedReceipt, decodeReceipt, verifyReceipt } from '@blindkeep/protocol/receipt'
import type { ReceiptRow } from '../../ports/store.ts'
import { createFaults, createGate } from '../../testing/faults.ts'
import { bytes } from '../../testing/guest.ts'
import { draft, verifiers } from '../../testing/receipts.ts'
import { inWorld, known, sha256, type World } from '../../testing/world.ts'
import type { SignerOf } from './keys.ts'
import { createReceiptLog } from './receipts.ts'

/** A signer that something happens before, each time it is asked for a receipt's first signature. */
const signingAfter =
  (signerOf: SignerOf, happens: () => Promise<void>): SignerOf =>
  (key) => {
    const signer = signerOf(key)
    return {
      ...signer,
      async ed25519(message) {
        await happens()
        return signer.ed25519(message)
      },
    }
  }

const inOrder = (rows: readonly ReceiptRow[]): readonly DecodedReceipt[] =>
  rows.toSorted((a, b) => a.receiptSeq - b.receiptSeq).map(({ receiptCbor }) => decodeReceipt(receiptCbor))

/** That the rows are the whole log, without a gap or a fork, and end where the head stands. */
async function assertWhole({ store }: World, rows: readonly ReceiptRow[]): Promise<void> {
  const receipts = inOrder(rows)
  assert.equal(checkChain(receipts, { whole: true }), undefined)
  assert.deepEqual(
    receipts.map(({ payload }) => payload.receipt_seq),
    receipts.map((_, at) => at + 1),
  )
  assert.equal(receipts[0]?.payload.prior_receipt_hash, undefined)
  assert.equal((await store.read((tx) => tx.receipts.head()))?.receiptHash, receipts.at(-1)?.hash)
}

describe('the receipt log', () => {
  it(
    'signs what it was asked for, with both halves of the published key',
    inWorld(async (world) => {
      const asked = draft()
      const { receiptCbor, keyId, receivedAt } = await world.rules.receiptLog.append(asked)
      const [key] = await world.store.read((tx) => tx.keys.attestationKeys())
      const { payload } = await verifyReceipt({ receiptCbor, publicKey: known(key).publicKey, verify: verifiers })
      const { uploadId, dropId, ciphertextHash, size } = asked.subject
      assert.deepEqual(payload, {
        server_id: 'https://keep.example',
        receipt_seq: 1,
        upload_id: uploadId,
        drop_id: dropId,
        blob_role: 'original',
        ciphertext_hash: ciphertextHash,
        size,
        received_at: formatInstant(receivedAt),
      })
      assert.equal(keyId, known(key).keyId)
    }),
  )

  it(
    'stays one chain over five hundred at once, and commits many of them together',
    inWorld(async (world) => {
      let commits = 0
      const count = async () => {
        commits += 1
      }
      const drafts = Array.from({ length: 500 }, () => draft(count))
      const rows = await Promise.all(drafts.map((each) => world.rules.receiptLog.append(each)))
      await assertWhole(world, rows)
      assert.equal(commits, 500)
      assert.deepEqual(
        rows.map(({ uploadId }) => uploadId),
        drafts.map(({ subject }) => subject.uploadId),
      )
    }),
  )

  it('takes the lock once for a batch of at most 64', async () => {
    let locked = 0
    const store = {
      store: (real: World['store']) => ({
        ...real,
        withReceiptLogLock: <R>(work: () => Promise<R>) => {
          locked += 1
          return real.withReceiptLogLock(work)
        },
      }),
    }
    await inWorld(
      async (world) => {
        await Promise.all(Array.from({ length: 1 + 64 + 64 }, () => world.rules.receiptLog.append(draft())))
        assert.equal(locked, 3)
      },
      { around: store },
    )()
  })

  it(
    'does not let a draft that cannot be committed harm its neighbours, nor leave a gap',
    inWorld(async (world) => {
      const { receiptLog } = world.rules
      const broken = (at: number) => at % 7 === 3
      const answers = await Promise.allSettled(
        Array.from({ length: 40 }, (_, at) =>
          receiptLog.append(draft(broken(at) ? () => Promise.reject(new Error(`draft ${at}`)) : undefined)),
        ),
      )
      const rows = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array.from({ length: 40 }, (_, at) => (broken(at) ? 'rejected' : 'fulfilled')),
      )
      await assertWhole(world, rows)
    }),
  )

  it('goes on after the store failed, whether it had committed or not', async () => {
    for (const isApplied of [false, true]) {
      const faults = createFaults()
      await inWorld(
        async (world) => {
          const { receiptLog } = world.rules
          await receiptLog.append(draft())
          faults.arm('storeWrite', { times: 1, isApplied })
          await assert.rejects(receiptLog.append(draft()))
          faults.disarm()
          const { receiptSeq, receiptCbor } = await receiptLog.append(draft())
          assert.equal(receiptSeq, isApplied ? 3 : 2)
          const head = await world.store.read((tx) => tx.receipts.head())
          assert.equal(head?.receiptHash, decodeReceipt(receiptCbor).hash)
        },
        { around: faults.around },
      )()
    }
  })

  it(
    'is one chain for two of its kind on one store, as two nodes are',
    inWorld(async (world) => {
      const logs = [world.rules.receiptLog, world.restarted().receiptLog]
      const rows = await Promise.all(logs.flatMap((log) => Array.from({ length: 50 }, () => log.append(draft()))))
      await assertWhole(world, rows)
    }),
  )

  it(
    'appends nothing when the head moved beside the lock',
    inWorld(async ({ store, clock, keys, rules }) => {
      const first = await rules.receiptLog.append(draft())
      const [isSigning, maySign] = [createGate(), createGate()]
      const signerOf = signingAfter(keys.signerOf, async () => {
        isSigning.open()
        await maySign.passed
      })
      const slow = createReceiptLog({ store, clock, serverId: 'https://keep.example', signerOf })
      const late = slow.append(draft())
      await isSigning.passed
      const beside = { ...first, receiptSeq: 2, receiptHash: sha256(bytes(1)) }
      assert.equal(await store.write((tx) => tx.receipts.append(first, [beside])), true)
      maySign.open()
      await assert.rejects(late, /beside its lock/)
      assert.equal((await store.read((tx) => tx.receipts.head()))?.receiptHash, beside.receiptHash)
    }),
  )

  it(
    'dates no receipt before its key began to sign, wherever the clock stands',
    inWorld(async ({ clock, store, rules }) => {
      clock.advance(-3600)
      const row = await rules.receiptLog.append(draft())
      assert.equal(row.receivedAt, (await store.read((tx) => tx.keys.activeAttestationKey()))?.activeFrom)
    }),
  )

  it(
    'never lets its time go back when the clock does',
    inWorld(async (world) => {
      const { receiptLog } = world.rules
      const rows: ReceiptRow[] = []
      for (const seconds of [0, 60, -3600, 10, 7200, -86_400 * 365]) {
        world.clock.advance(seconds)
        rows.push(await receiptLog.append(draft()))
      }
      const times = rows.map(({ receivedAt }) => receivedAt)
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      )
      await assertWhole(world, rows)
    }),
  )

  it(
    'writes the server’s name down with the first receipt',
    inWorld(async (world) => {
      const name = () => world.store.read((tx) => tx.server.fact('server_id'))
      assert.equal(await name(), undefined)
      await world.rules.receiptLog.append(draft())
      assert.equal(new TextDecoder().decode(await name()), 'https://keep.example')
    }),
  )
})
