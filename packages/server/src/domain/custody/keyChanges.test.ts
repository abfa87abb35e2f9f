import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkChain } from '@blindkeep/protocol/chain'
import { eraFault, readEras } from '@blindkeep/protocol/eras'
import { addSeconds, formatInstant } from '@blindkeep/protocol/ids'
import { MAX_MOVES, MAX_ROTATIONS } from '@blindkeep/protocol/keyChange'
import { decodeReceipt } from '@blindkeep/protocol/receipt'
import { at as instantAt, keyId } from '../../contracts/store/world.ts'
import type { Store } from '../../ports/store.ts'
import { movedTo } from '../../testing/moved.ts'
import { draft, verifiers } from '../../testing/receipts.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { recordedServerId } from '../discovery/serverId.ts'
import { type SignedChanges, signedChanges } from '../discovery/signedChanges.ts'
import { moveOutlook } from '../moving/serverMove.ts'
import { KeyChangesExhausted, moveIn } from './keyChanges.ts'
import { rotateAttestationKey } from './keys.ts'
import { beginLife } from './logLives.ts'

const [ONE, TWO] = ['https://keep.example', 'https://drop.example.org']

/** What a client makes of the statements. */
async function erasOf({ store, settings }: World) {
  const { keys, changes } = await store.read(async (tx) => ({
    keys: await tx.keys.attestationKeys(),
    changes: await signedChanges(tx),
  }))
  const listed = keys.map(({ keyId: id, publicKey, activeFrom, activeTo }) => ({
    ...{ keyId: id, publicKey, activeFrom: formatInstant(activeFrom) },
    activeTo: activeTo && formatInstant(activeTo),
  }))
  const [moves, rotations] = [changes.moves, changes.rotations].map((list) => list.map(({ signed }) => signed))
  const given = { serverId: settings.serverId, keys: listed, moves: defined(moves), rotations: defined(rotations) }
  return { changes, eras: await readEras({ ...given, verify: verifiers }) }
}

const movesOf = ({ moves }: SignedChanges) =>
  moves.map(({ change: { from, to, last_receipt_seq: lastReceiptSeq = 0 } }) => ({ from, to, lastReceiptSeq }))

const append = async ({ rules, clock }: World) => {
  clock.advance(1)
  return decodeReceipt((await rules.receiptLog.append(draft())).receiptCbor)
}

describe('changes of the attestation key', () => {
  it(
    'are signed by both keys: rotations, a restored log, a move and the move back, over one chain of receipts',
    inWorld(async (world) => {
      const receipts = [await append(world), await append(world)]
      await rotateAttestationKey(world)
      receipts.push(await append(world))
      const there = await movedTo(world, TWO)
      receipts.push(await append(there))
      await beginLife(there)
      receipts.push(await append(there))
      const back = await movedTo(there, ONE)
      receipts.push(await append(back))
      const { eras, changes } = await erasOf(back)
      assert.deepEqual(
        eras.map(({ serverId, after, upTo }) => [serverId, after, upTo]),
        [
          [ONE, 0, 2],
          [ONE, 2, 3],
          [TWO, 3, 4],
          [TWO, 4, defined(receipts[4]).payload.receipt_seq],
          [ONE, defined(receipts[4]).payload.receipt_seq, undefined],
        ],
      )
      assert.deepEqual(
        receipts.map((receipt) => eraFault(receipt, eras)),
        receipts.map(() => undefined),
      )
      assert.equal(checkChain(receipts, { whole: true, moves: movesOf(changes) }), undefined)
    }),
  )

  it(
    'name no receipt before the first one',
    inWorld(async (world) => {
      await newAccount(world)
      await rotateAttestationKey(world)
      const there = await movedTo(world, TWO)
      const receipt = await append(there)
      const { eras } = await erasOf(there)
      assert.deepEqual(
        eras.map(({ serverId, after, upTo }) => [serverId, after, upTo]),
        [
          [ONE, 0, 0],
          [ONE, 0, 0],
          [TWO, 0, undefined],
        ],
      )
      assert.equal(eraFault(receipt, eras), undefined)
    }),
  )

  it(
    'are not dated before the key or the last receipt, also with the clock set back',
    inWorld(async (world) => {
      world.clock.advance(60)
      const receipt = await append(world)
      world.clock.advance(-3600)
      const there = await movedTo(world, TWO)
      await rotateAttestationKey(there)
      const { changes } = await erasOf(there)
      assert.equal(changes.moves[0]?.change.moved_at, receipt.payload.received_at)
    }),
  )

  it(
    'leave no trace of a key of a server without a name: it has signed nothing',
    inWorld(async (world) => {
      const [before] = await world.store.read((tx) => tx.keys.attestationKeys())
      const { retired, active } = await rotateAttestationKey(world)
      const keys = await world.store.read((tx) => tx.keys.attestationKeys())
      assert.deepEqual([retired, keys.map(({ keyId: id }) => id)], [before?.keyId, [active]])
      assert.equal(await recordedServerId(world.store), undefined)
      await append(world)
      assert.equal((await erasOf(world)).eras.length, 1)
    }),
  )

  it(
    'change nothing when the server has another name than the one that it is to leave',
    inWorld(async (world) => {
      const { store, keyring, clock } = world
      const created = keyring.createAttestationKey()
      const move = () =>
        store.write(['receipt log', 'chain', 'server'], (tx) =>
          moveIn(tx, { keyring, clock, created, from: TWO, to: 'https://third.example' }),
        )
      await assert.rejects(move(), /the server is without a name, and not https:\/\/drop\.example\.org/)
      await newAccount(world)
      await assert.rejects(move(), /the server is https:\/\/keep\.example, and not/)
      assert.deepEqual((await erasOf(world)).eras.length, 1)
    }),
  )
})

/** Keys that follow each other. Their statements are `written`, or that of the first: only their number counts here. */
async function pad(store: Store, first: number, last: number, written?: Uint8Array): Promise<void> {
  await store.write(['receipt log', 'chain', 'server'], async (tx) => {
    const [present] = await tx.keys.keyChanges()
    const [leave, arrive] = [written ?? defined(present).leave, written ?? defined(present).arrive]
    for (let number = first; number <= last; number += 1) {
      const [activeFrom, activeTo] = [instantAt(number), addSeconds(instantAt(number), 1)]
      const key = { publicKey: new Uint8Array(1984), sealedPrivateKey: new Uint8Array(9), activeFrom, activeTo }
      await tx.keys.insertAttestationKey({ keyId: keyId(number), ...key })
      await tx.keys.insertKeyChange({ keyId: keyId(number), leave, arrive })
    }
  })
}

describe('the list of statements', () => {
  it(
    'ends chosen rotations while there is room for restores, and then those too',
    inWorld(async (world) => {
      await newAccount(world)
      await rotateAttestationKey(world)
      await pad(world.store, 2, MAX_ROTATIONS - 101)
      await rotateAttestationKey(world)
      await assert.rejects(rotateAttestationKey(world), /600 times, and cannot be rotated again: .* for restores/)
      await pad(world.store, MAX_ROTATIONS - 99, MAX_ROTATIONS - 1)
      await beginLife(world)
      const before = await world.store.read((tx) => tx.keys.attestationKeys())
      await assert.rejects(beginLife(world), KeyChangesExhausted)
      assert.deepEqual(await world.store.read((tx) => tx.keys.attestationKeys()), before)
    }),
  )

  it(
    'may have one that cannot be read: a stolen key is rotated all the same',
    inWorld(async (world) => {
      await newAccount(world)
      await pad(world.store, 2, 2, new Uint8Array(9))
      const { active } = await rotateAttestationKey(world)
      assert.equal((await rotateAttestationKey(world)).retired, active)
    }),
  )

  it(
    `holds ${MAX_MOVES} moves`,
    inWorld(async (world) => {
      await newAccount(world)
      const there = await movedTo(world, TWO)
      await pad(world.store, 2, MAX_MOVES)
      const before = await world.store.read((tx) => tx.keys.attestationKeys())
      await assert.rejects(movedTo(there, ONE), /the server has moved 64 times, and cannot move again/)
      await assert.rejects(moveOutlook(there, { from: TWO, to: ONE, publicUrl: ONE }), KeyChangesExhausted)
      assert.deepEqual(await world.store.read((tx) => tx.keys.attestationKeys()), before)
      assert.equal(await recordedServerId(world.store), TWO)
    }),
  )
})
