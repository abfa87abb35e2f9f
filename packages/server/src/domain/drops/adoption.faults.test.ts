import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import { type Drop, OutcomeUnknown, type Store, type WriteTx } from '../../ports/store.ts'
import { assertBooks, assetRow, replacing } from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  adopt,
  assetOf,
  declaredFor,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
} from '../../testing/assets.ts'
import { createFaults, createGate } from '../../testing/faults.ts'
import { bytes, never, notRefused } from '../../testing/guest.ts'
import { createMortal } from '../../testing/mortal.ts'
import { lockReceiptLog } from '../../testing/receipts.ts'
import { inWorld, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'

const content = bytes(100)
const NOT_FOUND = { refused: 'drop_not_found' }

type Doubt = (tx: WriteTx, location: string) => Promise<boolean>

/** A pending drop, and the asset whose original it is to replace. */
async function scene(world: World, albumOwner: AlbumOwner) {
  const assetId = newAssetId()
  await landBlob(world, albumOwner, bytes(30), { assetId })
  const drop = await newDrop(world, albumOwner, content)
  return { assetId, drop, declared: declaredFor(world, albumOwner, content, { assetId, envelope: replacing(content) }) }
}

/** The drop was adopted exactly once: the client finds it in its asset, even if the answer was a refusal. */
async function assertAdopted(
  world: World,
  albumOwner: AlbumOwner,
  { assetId, drop }: { assetId: AssetId; drop: Drop },
) {
  const { asset, blobs } = await assetOf(world, albumOwner, assetId)
  assert.deepEqual([asset.drop?.dropId, blobs.map(({ location }) => location)], [drop.dropId, [drop.location]])
  const receipts = notRefused(await world.rules.assets.receipts(albumOwner.accountId, assetId))
  assert.equal(
    receipts.filter(({ uploadId }) => uploadId === drop.uploadId).length,
    2,
    'one for the landing, one for the adoption',
  )
  assert.deepEqual(await world.rules.inbox.list(albumOwner.accountId), [])
}

describe('an adoption', () => {
  it('whose commit has an unknown outcome answers what the rows say, or can be repeated', async () => {
    for (const isApplied of [true, false]) {
      const faults = createFaults()
      await inWorld(
        async (world) => {
          const albumOwner = await newAlbumOwner(world)
          const { assetId, drop, declared } = await scene(world, albumOwner)
          // The first write claims the drop.
          faults.arm('storeWrite', { after: 1, times: 1, isApplied, error: new OutcomeUnknown('a test lost it') })
          const answer = await adopt(world, albumOwner, drop, declared).catch((error) => error)
          if (isApplied) assert.equal(answer, assetId)
          else assert.ok(answer instanceof OutcomeUnknown)
          if (!isApplied) assert.equal(await adopt(world, albumOwner, drop, declared), assetId)
          await assertAdopted(world, albumOwner, { assetId, drop })
        },
        { around: faults.around },
      )()
    }
  })

  it('whose process dies at any call is completed once by a repeat of the request, at once', async () => {
    const mortal = createMortal()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const assetIds: AssetId[] = []
        for (let calls = 0; ; calls += 1) {
          const before = { ...world, rules: world.restarted() }
          const { assetId, drop, declared } = await scene(before, albumOwner)
          assetIds.push(assetId)
          mortal.dieAfter(calls)
          await adopt(before, albumOwner, drop, declared).catch(() => undefined)
          const hasDied = mortal.revive()
          const next = { ...world, rules: world.restarted() }
          const answer = await adopt(next, albumOwner, drop, declared)
          if (isRefusal(answer)) assert.deepEqual(answer, NOT_FOUND)
          await assertAdopted(next, albumOwner, { assetId, drop })
          if (!hasDied) break
        }
        assert.ok(assetIds.length > 4)
        await assertBooks(world, [albumOwner.accountId], assetIds)
      },
      { around: mortal.around },
    )()
  })

  it('whose process dies at any call claims the drop no longer than its lease', async () => {
    const mortal = createMortal()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const assetIds: AssetId[] = []
        const outcomes = new Set<boolean>()
        for (let calls = 0; ; calls += 1) {
          const before = { ...world, rules: world.restarted() }
          const { assetId, drop, declared } = await scene(before, albumOwner)
          assetIds.push(assetId)
          mortal.dieAfter(calls)
          await adopt(before, albumOwner, drop, declared).catch(() => undefined)
          const hasDied = mortal.revive()
          world.clock.advance(60)
          const { inbox } = world.restarted()
          const discarded = await inbox.discard(albumOwner.accountId, drop.dropId)
          outcomes.add(isRefusal(discarded))
          assert.equal((await assetRow(world, assetId))?.drop?.dropId === drop.dropId, isRefusal(discarded))
          assert.deepEqual(await inbox.list(albumOwner.accountId), [])
          if (!hasDied) break
        }
        assert.equal(outcomes.size, 2)
        await assertBooks(world, [albumOwner.accountId], assetIds)
      },
      { around: mortal.around },
    )()
  })

  it('whose writes fail, applied or not, is completed by a repeat, in the same process or another', async () => {
    for (const isApplied of [false, true])
      for (const after of [0, 1])
        for (const times of [1, 2]) {
          const faults = createFaults()
          await inWorld(
            async (world) => {
              const albumOwner = await newAlbumOwner(world)
              const assetIds: AssetId[] = []
              for (const rules of [world.rules, world.restarted()]) {
                const { assetId, drop, declared } = await scene(world, albumOwner)
                assetIds.push(assetId)
                faults.arm('storeWrite', { after, times, isApplied })
                await assert.rejects(adopt(world, albumOwner, drop, declared), /a test broke it/)
                faults.disarm()
                const answer = await adopt({ rules }, albumOwner, drop, declared)
                if (isRefusal(answer)) assert.deepEqual(answer, NOT_FOUND)
                await assertAdopted({ ...world, rules }, albumOwner, { assetId, drop })
              }
              await assertBooks(world, [albumOwner.accountId], assetIds)
            },
            { around: faults.around },
          )()
        }
  })

  it(
    'of a drop whose bytes are missing or cut is refused before it claims, and the drop can be discarded',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      for (const damage of [rm, (file: string) => truncate(file, 99)]) {
        const { assetId, drop, declared } = await scene(world, albumOwner)
        await damage(join(world.blobsDirectory, drop.location))
        assert.deepEqual(await adopt(world, albumOwner, drop, declared), { refused: 'storage_unavailable' })
        // Suspected from then on, until the scrubber has read it.
        assert.deepEqual(await world.rules.inbox.list(albumOwner.accountId), [{ ...drop, withheld: 'damaged' }])
        assert.equal(await world.rules.inbox.discard(albumOwner.accountId, drop.dropId), undefined)
        notRefused(await world.rules.assets.remove(albumOwner.accountId, assetId))
        await assertBooks(world, [albumOwner.accountId], [assetId])
      }
    }),
  )

  it(
    'of a drop whose bytes are suspected or damaged signs nothing until they were read intact',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const doubts: readonly Doubt[] = [
        (tx, location) => tx.objects.suspect(location, world.clock.now()),
        (tx, location) => tx.objects.markDamaged(location, world.clock.now()),
      ]
      for (const doubt of doubts) {
        const { assetId, drop, declared } = await scene(world, albumOwner)
        assert.ok(await world.store.write([], (tx) => doubt(tx, drop.location)))
        const head = await world.store.read((tx) => tx.receipts.head())
        assert.deepEqual(await adopt(world, albumOwner, drop, declared), { refused: 'storage_unavailable' })
        assert.deepEqual(await world.store.read((tx) => tx.receipts.head()), head)
        world.clock.advance(3)
        await world.rules.scrub.again(never)
        assert.equal(await adopt(world, albumOwner, drop, declared), assetId)
        await assertAdopted(world, albumOwner, { assetId, drop })
      }
    }),
  )

  it(
    'of an adopted or discarded drop finds no drop, even when the request has other faults',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { drop, declared } = await scene(world, albumOwner)
      notRefused(await adopt(world, albumOwner, drop, declared))
      const other = await newDrop(world, albumOwner, content)
      await world.rules.inbox.discard(albumOwner.accountId, other.dropId)
      for (const absent of [drop, other]) {
        assert.deepEqual(await adopt(world, albumOwner, absent, declared), NOT_FOUND)
        const faulty = declaredFor(world, albumOwner, content, { suiteId: 2, contentType: 'text/html' })
        assert.deepEqual(await adopt(world, albumOwner, absent, faulty), NOT_FOUND)
      }
    }),
  )
})

describe('an adoption that waits for its receipt', () => {
  /** It has claimed the drop, and nothing is signed before `release`. */
  async function waitingOne(world: World, albumOwner: AlbumOwner) {
    const { assetId, drop, declared } = await scene(world, albumOwner)
    const { release } = await lockReceiptLog(world)
    const answer = adopt(world, albumOwner, drop, declared)
    const lease = async () => (await world.rules.inbox.list(albumOwner.accountId))[0]?.leasedUntil
    while ((await lease()) === undefined) await new Promise(setImmediate)
    return { assetId, drop, declared, answer, release }
  }

  /** Another process over the same store. `hasWritten`: after its first write, the attempt to claim the drop. */
  function another(world: World, ports: { readonly nodeId?: string } = {}) {
    const { passed: hasWritten, open } = createGate()
    const store: Store = {
      ...world.store,
      async write(locks, work) {
        const answer = await world.store.write(locks, work)
        open()
        return answer
      },
    }
    return { rules: world.rulesOver({ ...ports, store }), hasWritten }
  }

  it(
    'fails when the drop was discarded after its lease: nothing changes, and no receipt is appended',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, drop, answer, release } = await waitingOne(world, albumOwner)
      const head = await world.store.read((tx) => tx.receipts.head())
      world.clock.advance(59)
      assert.deepEqual(await world.rules.inbox.discard(albumOwner.accountId, drop.dropId), NOT_FOUND)
      world.clock.advance(1)
      assert.equal(await world.rules.inbox.discard(albumOwner.accountId, drop.dropId), undefined)
      await release()
      assert.deepEqual(await answer, NOT_FOUND)
      assert.deepEqual(await world.store.read((tx) => tx.receipts.head()), head)
      assert.equal((await assetOf(world, albumOwner, assetId)).asset.drop, undefined)
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'is completed once when another process takes the same request, and that process answers with the asset',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, drop, declared, answer, release } = await waitingOne(world, albumOwner)
      const { rules, hasWritten } = another(world)
      const again = adopt({ rules }, albumOwner, drop, declared)
      await hasWritten
      await release()
      assert.equal(await again, assetId)
      // The first process has lost its claim and may look before the other one commits: then its client finds the drop
      // in the asset.
      const first = await answer
      if (isRefusal(first)) assert.deepEqual(first, NOT_FOUND)
      await assertAdopted(world, albumOwner, { assetId, drop })
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'is completed by the process that began it: an equal request elsewhere waits, and answers with the asset',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, drop, declared, answer, release } = await waitingOne(world, albumOwner)
      const { rules, hasWritten } = another(world, { nodeId: 'another' })
      const again = adopt({ rules }, albumOwner, drop, declared)
      await hasWritten
      await release()
      assert.deepEqual([await answer, await again], [assetId, assetId])
      await assertAdopted(world, albumOwner, { assetId, drop })
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'is taken over elsewhere after the lease; the process that was slow answers what the other one did',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, drop, declared, answer, release } = await waitingOne(world, albumOwner)
      world.clock.advance(60)
      const { rules, hasWritten } = another(world, { nodeId: 'another' })
      const again = adopt({ rules }, albumOwner, drop, declared)
      await hasWritten
      await release()
      assert.deepEqual([await answer, await again], [assetId, assetId])
      await assertAdopted(world, albumOwner, { assetId, drop })
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'is refused when its bytes are suspected meanwhile: no receipt, and it succeeds once they were read intact',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, drop, declared, answer, release } = await waitingOne(world, albumOwner)
      const head = await world.store.read((tx) => tx.receipts.head())
      await world.rules.scrub.suspect(drop.location)
      const { rules, hasWritten } = another(world, { nodeId: 'another' })
      // It does not get `drop_not_found`, as another request would.
      const again = adopt({ rules }, albumOwner, drop, declared)
      await Promise.race([hasWritten, again])
      await release()
      const unavailable = { refused: 'storage_unavailable' }
      assert.deepEqual([await answer, await again], [unavailable, unavailable])
      assert.deepEqual(await world.store.read((tx) => tx.receipts.head()), head)
      await world.rules.scrub.again(never)
      assert.equal(await adopt(world, albumOwner, drop, declared), assetId)
      await assertAdopted(world, albumOwner, { assetId, drop })
    }),
  )

  it(
    'releases the drop at once when the asset no longer has a slot for it',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, drop, answer, release } = await waitingOne(world, albumOwner)
      assert.equal(await world.rules.assets.remove(albumOwner.accountId, assetId), undefined)
      await release()
      assert.deepEqual(await answer, { refused: 'asset_id_taken' })
      assert.deepEqual(await world.rules.inbox.list(albumOwner.accountId), [drop])
      const elsewhere = declaredFor(world, albumOwner, content)
      assert.equal(await adopt(world, albumOwner, drop, elsewhere), elsewhere.assetId)
      await assertBooks(world, [albumOwner.accountId], [assetId, elsewhere.assetId])
    }),
  )
})
