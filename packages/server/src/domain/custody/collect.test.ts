import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { addSeconds, type Instant, parseUploadId } from '@blindkeep/protocol/ids'
import type { Store } from '../../ports/store.ts'
import { newAlbumOwner, newAssetId, newDrop } from '../../testing/assets.ts'
import { createFaults } from '../../testing/faults.ts'
import { bytes, leaveFinishing, newLink, openDrop, ownerOf, uploadRow } from '../../testing/guest.ts'
import { askOne, keep, saidOf, verifyOver } from '../../testing/verify.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { locationOf } from '../ground/location.ts'
import { createCollector, MAX_COLLECT, pauseCollector, resumeCollector } from './collect.ts'

const GRACE = 86_400
const content = bytes(100)

const collectorOver = ({ store, objects, clock, settings }: World) =>
  createCollector({ store, objects, clock }, settings)
const objectAt = ({ store }: World, location: string) => store.read((tx) => tx.objects.find(location))
const stateOf = async (world: World, location: string) => (await objectAt(world, location))?.state

/** A blob whose asset its owner has deleted. */
async function deletedBlob(world: World) {
  const albumOwner = await newAlbumOwner(world)
  const blob = await keep(world, albumOwner, content)
  await world.rules.assets.remove(albumOwner.accountId, blob.assetId)
  return blob
}

/** A sweep, and after the grace window the sweep of a restarted process. */
async function sweepThrough(world: World): Promise<void> {
  await world.rules.sweep.sweep()
  world.clock.advance(GRACE + 1)
  await world.restarted().sweep.sweep()
}

describe('the collector', () => {
  it(
    'begins no window before the last release, if the object is restored and deleted again while it looks',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { assetId, location } = await keep(world, albumOwner, content)
      const { assets, bin } = world.rules
      await assets.remove(albumOwner.accountId, assetId)
      const store: Store = {
        ...world.store,
        async read(work) {
          const found = await world.store.read(work)
          world.clock.advance(5)
          await bin.restore(albumOwner.accountId, assetId)
          world.clock.advance(5)
          await assets.remove(albumOwner.accountId, assetId)
          return found
        },
      }
      const { objects, clock, settings } = world
      const released = addSeconds(clock.now(), 10)
      await createCollector({ store, objects, clock }, settings).mark()
      assert.deepEqual(await objectAt(world, location), { ...(await objectAt(world, location)), state: 'orphaned' })
      world.clock.advance(1)
      await collectorOver(world).mark()
      assert.ok(defined(await objectAt(world, location)).since > released)
    }),
  )

  it(
    'marks an orphaned object, and counts the window from the mark',
    inWorld(async (world) => {
      const { location } = await deletedBlob(world)
      world.clock.advance(10 * GRACE)
      assert.deepEqual(
        (await collectorOver(world).mark()).map((object) => object.location),
        [location],
      )
      assert.deepEqual(
        [(await objectAt(world, location))?.state, (await objectAt(world, location))?.since],
        ['marked', world.clock.now()],
      )
      world.clock.advance(GRACE)
      assert.deepEqual(await collectorOver(world).startDeleting(), {
        deleting: [],
        postponed: [],
        pausedUntil: undefined,
      })
      world.clock.advance(0.001)
      assert.deepEqual(
        (await collectorOver(world).startDeleting()).deleting.map((object) => object.location),
        [location],
      )
      assert.equal(await stateOf(world, location), 'deleting')
    }),
  )

  it(
    'waits longer, not shorter, when the clock is set back',
    inWorld(async (world) => {
      const { location } = await deletedBlob(world)
      const releasedAt = world.clock.now()
      world.clock.advance(-7 * GRACE)
      await world.rules.sweep.sweep()
      assert.equal((await objectAt(world, location))?.since, releasedAt)
      world.clock.set(addSeconds(releasedAt, GRACE))
      await world.rules.sweep.sweep()
      assert.equal(await stateOf(world, location), 'marked')
    }),
  )

  it(
    'keeps a marked object that an asset or a drop owns',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blob = await keep(world, albumOwner, content)
      const drop = await newDrop(world, albumOwner, content)
      for (const { location } of [blob, drop])
        for (const [from, to] of [
          ['kept', 'orphaned'],
          ['orphaned', 'marked'],
        ] as const)
          await world.store.write([], (tx) => tx.objects.move(location, { from, to, at: world.clock.now() }))
      for (let year = 0; year < 3; year += 1) {
        world.clock.advance(365 * GRACE)
        await world.rules.sweep.sweep()
      }
      assert.deepEqual([await stateOf(world, blob.location), await stateOf(world, drop.location)], ['marked', 'marked'])
      assert.deepEqual([await world.blobs.size(blob.location), await world.blobs.size(drop.location)], [100, 100])
    }),
  )

  it(
    'keeps a marked object of an open or finishing session',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const open = await uploadRow(world, await openDrop(world, opaqueId, content))
      const finishing = await uploadRow(world, await openDrop(world, opaqueId, content))
      await leaveFinishing(world, finishing.uploadId, content)
      const at = world.clock.now()
      for (const { location } of [open, finishing])
        await world.store.write([], (tx) => tx.objects.move(location, { from: 'staged', to: 'marked', at }))
      world.clock.advance(2 * GRACE)
      const { deleting, postponed } = await collectorOver(world).startDeleting()
      assert.deepEqual([deleting.length, postponed.length], [0, 2])
      assert.equal(await world.blobs.size(finishing.location), 100)
    }),
  )

  it(
    'keeps an object for the whole window that was verified just before its asset was deleted',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blob = await keep(world, albumOwner, content)
      const verdict = await askOne(verifyOver(world), albumOwner.accountId, blob)
      assert.ok(verdict.durable)
      await world.rules.assets.remove(albumOwner.accountId, blob.assetId)
      for (const seconds of [0, GRACE / 2, GRACE / 2]) {
        world.clock.advance(seconds)
        await world.rules.sweep.sweep()
        assert.equal(await world.blobs.size(blob.location), 100)
      }
      assert.equal(world.clock.now(), addSeconds(verdict.checkedAt, GRACE))
      assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob)), 'unknown')
    }),
  )

  it(
    'keeps an object on hold, and removes it a window after the hold has ended',
    inWorld(async (world) => {
      const { store, clock } = world
      const [onHold, other] = [await deletedBlob(world), await keep(world, await newAlbumOwner(world), bytes(50))]
      const reason = { reason: 'asked for', createdAt: clock.now() }
      await store.write([], (tx) => tx.holds.add({ ciphertextHash: onHold.ciphertextHash, ...reason }))
      for (let times = 0; times < 3; times += 1) await sweepThrough(world)
      assert.deepEqual(
        [await stateOf(world, onHold.location), await world.blobs.size(onHold.location)],
        ['marked', 100],
      )
      assert.equal(await stateOf(world, other.location), 'kept')
      await store.write([], (tx) => tx.holds.remove(onHold.ciphertextHash))
      await sweepThrough(world)
      assert.equal(await world.blobs.size(onHold.location), undefined)
    }),
  )

  it(
    'is not delayed by hundreds of objects on hold',
    inWorld(async (world) => {
      const { store, clock } = world
      const ciphertextHash = sha256(bytes(10))
      const since = clock.now()
      await store.write([], async (tx) => {
        await tx.holds.add({ ciphertextHash, reason: 'asked for', createdAt: since })
        for (let count = 0; count < MAX_COLLECT; count += 1) {
          const location = locationOf(ciphertextHash, defined(parseUploadId(randomUUID())))
          await tx.objects.insert({ location, size: 10, state: 'marked', since })
        }
      })
      clock.advance(1)
      const { location } = await deletedBlob(world)
      await world.rules.sweep.sweep()
      clock.advance(GRACE + 1)
      await world.rules.sweep.sweep()
      await world.rules.sweep.sweep()
      assert.equal(await stateOf(world, location), undefined)
    }),
  )

  it(
    'deletes nothing while it is paused, and continues when the pause ends',
    inWorld(async (world) => {
      const { store, clock } = world
      const { location } = await deletedBlob(world)
      await world.rules.sweep.sweep()
      const until = addSeconds(clock.now(), 3 * GRACE)
      const pause = (pauseId: string, until: Instant) =>
        store.write([], (tx) => pauseCollector(tx, pauseId, { at: clock.now(), until }))
      await pause('one', until)
      // A second backup neither shortens the pause of the first, nor ends it.
      await pause('another', addSeconds(clock.now(), GRACE))
      await pause('third', addSeconds(clock.now(), 9 * GRACE))
      await store.write([], (tx) => resumeCollector(tx, 'third'))
      clock.advance(2 * GRACE)
      const collection = await collectorOver(world).startDeleting()
      assert.deepEqual(collection, { deleting: [], postponed: [], pausedUntil: until })
      await world.rules.sweep.sweep()
      assert.equal(await world.blobs.size(location), 100)
      clock.advance(GRACE)
      await world.rules.sweep.sweep()
      assert.equal(await world.blobs.size(location), undefined)
    }),
  )

  for (const step of [0, 1, 2])
    it(`removes every deleted object and no other after it dies at write ${step + 1} of a sweep`, async () => {
      const faults = createFaults()
      await inWorld(
        async (world) => {
          const albumOwner = await newAlbumOwner(world)
          const kept = await keep(world, albumOwner, bytes(70), { assetId: newAssetId() })
          const marked = await deletedBlob(world)
          await world.rules.sweep.sweep()
          world.clock.advance(GRACE + 1)
          const orphaned = await deletedBlob(world)
          faults.arm('storeWrite', { after: step, times: 1 })
          await world.rules.sweep.sweep().catch(() => undefined)
          faults.disarm()
          assert.equal(await world.blobs.size(orphaned.location), 100)
          await world.restarted().sweep.sweep()
          await sweepThrough(world)
          assert.deepEqual(
            [await objectAt(world, marked.location), await objectAt(world, orphaned.location)],
            [undefined, undefined],
          )
          assert.deepEqual(
            [await world.blobs.size(marked.location), await world.blobs.size(orphaned.location)],
            [undefined, undefined],
          )
          assert.equal(await world.blobs.size(kept.location), 70)
        },
        { around: faults.around },
      )()
    })

  it(
    'keeps a pending drop through any number of sweeps',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const drop = await newDrop(world, albumOwner, content)
      assert.equal(await ownerOf(world, drop.opaqueId), albumOwner.accountId)
      for (let times = 0; times < 3; times += 1) await sweepThrough(world)
      assert.deepEqual([await stateOf(world, drop.location), await world.blobs.size(drop.location)], ['kept', 100])
    }),
  )
})
