import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkChain } from '@blindkeep/protocol/chain'
import { formatInstant } from '@blindkeep/protocol/ids'
import { type DecodedReceipt, decodeReceipt, verifyReceipt } from '@blindkeep/protocol/receipt'
import type { ReceiptRow } from '../../ports/store.ts'
import { createFaults, createGate } from '../../testing/faults.ts'
import { bytes } from '../../testing/guest.ts'
import { draft, verifiers } from '../../testing/receipts.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { LandingsRefused, type LandTogether, type SignerOf } from './receiptBatches.ts'
import { createReceiptLog } from './receipts.ts'

/** Runs `before` ahead of the signatures of each batch. */
const signingAfter =
  (signerOf: SignerOf, before: () => Promise<void>): SignerOf =>
  (key) => {
    const signer = signerOf(key)
    return {
      async receipts(payloads, keyId) {
        await before()
        return signer.receipts(payloads, keyId)
      },
    }
  }

const inOrder = (rows: readonly ReceiptRow[]): readonly DecodedReceipt[] =>
  rows.toSorted((a, b) => a.receiptSeq - b.receiptSeq).map(({ receiptCbor }) => decodeReceipt(receiptCbor))

/** Asserts that the rows are the whole log, without a gap or a fork, up to the head. */
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
    'signs the subject of the draft with both halves of the published key',
    inWorld(async (world) => {
      const asked = draft()
      const { receiptCbor, keyId, receivedAt } = await world.rules.receiptLog.append(asked)
      const [key] = await world.store.read((tx) => tx.keys.attestationKeys())
      const { payload } = await verifyReceipt({ receiptCbor, publicKey: defined(key).publicKey, verify: verifiers })
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
      assert.equal(keyId, defined(key).keyId)
    }),
  )

  it(
    'stays one chain over 500 concurrent drafts, and commits each draft once',
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

  it('takes the lock once for at most four batches of at most 64, and among nodes not for a lone receipt', async () => {
    const calls: string[] = []
    const counted = {
      store: (real: World['store']): World['store'] => ({
        ...real,
        write: (locks, work) => {
          calls.push('commit')
          return real.write(locks, work)
        },
        withReceiptLogLock: (work) => {
          calls.push('lock')
          return real.withReceiptLogLock(work)
        },
      }),
    }
    await inWorld(
      async (world) => {
        calls.length = 0
        await Promise.all(Array.from({ length: 1 + 4 * 64 }, () => world.rules.receiptLog.append(draft())))
        const four = ['lock', 'commit', 'commit', 'commit', 'commit']
        assert.deepEqual(calls, world.store.mayLoseOutcome ? ['commit', ...four] : [...four, 'lock', 'commit'])
      },
      { around: counted },
    )()
  })

  it(
    'commits in the end, however often another node appends lone receipts meanwhile',
    inWorld(async (world) => {
      const { store, clock, keyring } = world
      const ports = { store, clock, serverId: 'https://keep.example' }
      const other = createReceiptLog({ ...ports, signerOf: keyring.openAttestationKey })
      const rows: ReceiptRow[] = []
      let isHeld = false
      const log = createReceiptLog({
        ...ports,
        store: {
          ...store,
          write: (locks, work) =>
            store.write(locks, async (tx) => {
              isHeld = true
              return work(tx).finally(() => {
                isHeld = false
              })
            }),
        },
        signerOf: signingAfter(keyring.openAttestationKey, async () => {
          // Within one process the log's lock keeps the others out.
          if (!store.mayLoseOutcome || isHeld) return
          clock.advance(1)
          rows.push(await other.append(draft()))
        }),
      })
      rows.push(await log.append(draft()))
      assert.equal(rows.length > 5, store.mayLoseOutcome)
      await assertWhole(world, rows)
    }),
  )

  it('signs a batch again that continued one whose commit failed, or may have failed', async () => {
    for (const isApplied of [false, true]) {
      const faults = createFaults()
      await inWorld(
        async (world) => {
          faults.arm('storeWrite', { times: 1, after: 1, isApplied })
          const answers = await Promise.allSettled(
            Array.from({ length: 1 + 64 + 64 }, () => world.rules.receiptLog.append(draft())),
          )
          faults.disarm()
          const rows = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
          assert.deepEqual(
            rows.map(({ receiptSeq }) => receiptSeq),
            [1, ...Array.from({ length: 64 }, (_, at) => (isApplied ? 66 : 2) + at)],
          )
          const head = await world.store.read((tx) => tx.receipts.head())
          assert.equal(head?.receiptHash, rows.at(-1)?.receiptHash)
          if (!isApplied) await assertWhole(world, rows)
        },
        { around: faults.around },
      )()
    }
  })

  it('stays one chain, and loses no draft, if two processes both have the lock', async () => {
    const lockless = {
      store: (real: World['store']): World['store'] => ({ ...real, withReceiptLogLock: (work) => work() }),
    }
    await inWorld(
      async (world) => {
        const { store, clock, keyring } = world
        const signerOf = keyring.openAttestationKey
        const other = createReceiptLog({ store, clock, serverId: 'https://keep.example', signerOf })
        const logs = [world.rules.receiptLog, other]
        const rows = await Promise.all(Array.from({ length: 300 }, (_, at) => defined(logs[at % 2]).append(draft())))
        await assertWhole(world, rows)
      },
      { around: lockless },
    )()
  })

  it(
    'appends the other drafts without a gap when one cannot be committed',
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

  for (const [what, failure, retried] of [
    ['together again if it names those that cannot land', new LandingsRefused(['broken']), [['second', 'fourth']]],
    ['one by one if it throws another error', new Error('a test broke it'), [['second'], ['broken'], ['fourth']]],
  ] as const)
    it(
      `lands the drafts of a batch in one call; ${what}`,
      inWorld(async (world) => {
        const calls: (readonly string[])[] = []
        const landTogether: LandTogether<string> = async (_tx, landings) => {
          calls.push(landings)
          if (landings.includes('broken')) throw failure
        }
        const { store, clock, keyring } = world
        const ports = { store, clock, serverId: 'https://keep.example', signerOf: keyring.openAttestationKey }
        const receiptLog = createReceiptLog({ ...ports, landTogether })
        const append = (landing: string) => {
          const { accountId, subject } = draft()
          return receiptLog.append({ accountId, subject, landing })
        }
        const answers = await Promise.allSettled(['first', 'second', 'broken', 'fourth'].map(append))
        assert.deepEqual(
          answers.map((answer) => (answer.status === 'fulfilled' ? 'landed' : answer.reason)),
          ['landed', 'landed', failure, 'landed'],
        )
        assert.deepEqual(calls, [['first'], ['second', 'broken', 'fourth'], ...retried])
        await assertWhole(
          world,
          answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : [])),
        )
      }),
    )

  it('continues after the store failed, whether or not it had committed', async () => {
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
    'stays one chain when two processes append to one store',
    inWorld(async (world) => {
      const logs = [world.rules.receiptLog, world.restarted().receiptLog]
      const rows = await Promise.all(logs.flatMap((log) => Array.from({ length: 50 }, () => log.append(draft()))))
      await assertWhole(world, rows)
    }),
  )

  it(
    'signs again, behind the new head, when the head moved without the lock',
    inWorld(async ({ store, clock, keyring, rules }) => {
      const first = await rules.receiptLog.append(draft())
      const [isSigning, maySign] = [createGate(), createGate()]
      const signerOf = signingAfter(keyring.openAttestationKey, async () => {
        isSigning.open()
        await maySign.passed
      })
      const slow = createReceiptLog({ store, clock, serverId: 'https://keep.example', signerOf })
      const late = slow.append(draft())
      await isSigning.passed
      const foreign = { ...first, receiptSeq: 2, receiptHash: sha256(bytes(1)) }
      assert.equal(await store.write([], (tx) => tx.receipts.append(first, [foreign])), true)
      maySign.open()
      const { receiptSeq, receiptHash, receiptCbor } = await late
      assert.equal(receiptSeq, 3)
      assert.equal(decodeReceipt(receiptCbor).payload.prior_receipt_hash, foreign.receiptHash)
      assert.equal((await store.read((tx) => tx.receipts.head()))?.receiptHash, receiptHash)
    }),
  )

  it(
    'dates no receipt before its key became active, even when the clock is behind',
    inWorld(async ({ clock, store, rules }) => {
      clock.advance(-3600)
      const row = await rules.receiptLog.append(draft())
      assert.equal(row.receivedAt, (await store.read((tx) => tx.keys.activeAttestationKey()))?.activeFrom)
    }),
  )

  it(
    'dates no receipt before the one it follows, even when the clock is set back',
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
    'stores the server_id with the first receipt',
    inWorld(async (world) => {
      const name = () => world.store.read((tx) => tx.server.fact('server_id'))
      assert.equal(await name(), undefined)
      await world.rules.receiptLog.append(draft())
      assert.equal(new TextDecoder().decode(await name()), 'https://keep.example')
    }),
  )
})
