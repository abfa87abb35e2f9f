import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { addSeconds, parseUploadId } from '@blindkeep/protocol/ids'
import { newAssetId, newDrop, newKeeper } from '../../testing/assets.ts'
import { createFaults } from '../../testing/faults.ts'
import { bytes, leaveFinishing, newLink, openDrop, ownerOf, uploadRow } from '../../testing/guest.ts'
import { askOne, keep, saidOf, verifyOver } from '../../testing/verify.ts'
import { inWorld, known, sha256, type World } from '../../testing/world.ts'
import { locationOf } from '../uploads/location.ts'
import { createCollector, MAX_COLLECT, pauseCollector } from './collect.ts'

const GRACE = 86_400
const content = bytes(100)

const collectorOver = ({ store, blobs, clock, settings }: World) => createCollector({ store, blobs, clock }, settings)
const objectAt = ({ store }: World, location: string) => store.read((tx) => tx.objects.find(location))
const stateOf = async (world: World, location: string) => (await objectAt(world, location))?.state

/** An asset's blob that its owner has deleted. */
async function deleted(world: World) {
  const keeper = await newKeeper(world)
  const blob = await keep(world, keeper, content)
  await world.rules.assets.remove(keeper.accountId, blob.assetId)
  return blob
}

/** What a killed process leaves between the release and the removal, at any of its steps, and the next one goes on with. */
async function sweepThrough(world: World): Promise<void> {
  await world.rules.sweep.sweep()
  world.clock.advance(GRACE + 1)
  await world.restarted().sweep.sweep()
}

describe('the collector', () => {
  it(
    'marks what it finds orphaned, and counts the window from then',
    inWorld(async (world) => {
      const { location } = await deleted(world)
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
      assert.deepEqual(await collectorOver(world).judge(), { deleting: [], spared: [], pausedUntil: undefined })
      world.clock.advance(0.001)
      assert.deepEqual(
        (await collectorOver(world).judge()).deleting.map((object) => object.location),
        [location],
      )
      assert.equal(await stateOf(world, location), 'deleting')
    }),
  )

  it(
    'waits longer, and never shorter, when the clock is set back',
    inWorld(async (world) => {
      const { location } = await deleted(world)
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
    'lets be what is owned, though somebody has marked it',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const blob = await keep(world, keeper, content)
      const drop = await newDrop(world, keeper, content)
      for (const { location } of [blob, drop])
        for (const [from, to] of [
          ['kept', 'orphaned'],
          ['orphaned', 'marked'],
        ] as const)
          await world.store.write((tx) => tx.objects.move(location, { from, to, at: world.clock.now() }))
      for (let year = 0; year < 3; year += 1) {
        world.clock.advance(365 * GRACE)
        await world.rules.sweep.sweep()
      }
      assert.deepEqual([await stateOf(world, blob.location), await stateOf(world, drop.location)], ['marked', 'marked'])
      assert.deepEqual([await world.blobs.size(blob.location), await world.blobs.size(drop.location)], [100, 100])
    }),
  )

  it(
    'lets be the bytes of a session that is open or finishing',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const open = await uploadRow(world, await openDrop(world, opaqueId, content))
      const finishing = await uploadRow(world, await openDrop(world, opaqueId, content))
      await leaveFinishing(world, finishing.uploadId, content)
      const at = world.clock.now()
      for (const { location } of [open, finishing])
        await world.store.write((tx) => tx.objects.move(location, { from: 'staged', to: 'marked', at }))
      world.clock.advance(2 * GRACE)
      const { deleting, spared } = await collectorOver(world).judge()
      assert.deepEqual([deleting.length, spared.length], [0, 2])
      assert.equal(await world.blobs.size(finishing.location), 100)
    }),
  )

  it(
    'keeps an object that was verified right before its asset was deleted for the whole window',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const blob = await keep(world, keeper, content)
      const verdict = await askOne(verifyOver(world), keeper.accountId, blob)
      assert.ok(verdict.durable)
      await world.rules.assets.remove(keeper.accountId, blob.assetId)
      for (const seconds of [0, GRACE / 2, GRACE / 2]) {
        world.clock.advance(seconds)
        await world.rules.sweep.sweep()
        assert.equal(await world.blobs.size(blob.location), 100)
      }
      assert.equal(world.clock.now(), addSeconds(verdict.checkedAt, GRACE))
      assert.equal(saidOf(await askOne(verifyOver(world), keeper.accountId, blob)), 'unknown')
    }),
  )

  it(
    'keeps what is on hold, has others go meanwhile, and lets go a window after the hold has ended',
    inWorld(async (world) => {
      const { store, clock } = world
      const [held, other] = [await deleted(world), await keep(world, await newKeeper(world), bytes(50))]
      const reason = { reason: 'asked for', createdAt: clock.now() }
      await store.write((tx) => tx.holds.add({ ciphertextHash: held.ciphertextHash, ...reason }))
      for (let times = 0; times < 3; times += 1) await sweepThrough(world)
      assert.deepEqual([await stateOf(world, held.location), await world.blobs.size(held.location)], ['marked', 100])
      assert.equal(await stateOf(world, other.location), 'kept')
      await store.write((tx) => tx.holds.remove(held.ciphertextHash))
      await sweepThrough(world)
      assert.equal(await world.blobs.size(held.location), undefined)
    }),
  )

  it(
    'does not stop at hundreds that are on hold',
    inWorld(async (world) => {
      const { store, clock } = world
      const ciphertextHash = sha256(bytes(10))
      const since = clock.now()
      await store.write(async (tx) => {
        await tx.holds.add({ ciphertextHash, reason: 'asked for', createdAt: since })
        for (let count = 0; count < MAX_COLLECT; count += 1) {
          const location = locationOf(ciphertextHash, known(parseUploadId(randomUUID())))
          await tx.objects.insert({ location, size: 10, state: 'marked', since })
        }
      })
      clock.advance(1)
      const { location } = await deleted(world)
      await world.rules.sweep.sweep()
      clock.advance(GRACE + 1)
      await world.rules.sweep.sweep()
      await world.rules.sweep.sweep()
      assert.equal(await stateOf(world, location), undefined)
    }),
  )

  it(
    'starts to delete nothing while it is paused, and goes on by itself afterwards',
    inWorld(async (world) => {
      const { store, clock } = world
      const { location } = await deleted(world)
      await world.rules.sweep.sweep()
      const until = addSeconds(clock.now(), 3 * GRACE)
      await store.write((tx) => pauseCollector(tx, until))
      // Another pause that ends sooner takes nothing away from it.
      await store.write((tx) => pauseCollector(tx, addSeconds(clock.now(), GRACE)))
      clock.advance(2 * GRACE)
      const judged = await collectorOver(world).judge()
      assert.deepEqual(judged, { deleting: [], spared: [], pausedUntil: until })
      await world.rules.sweep.sweep()
      assert.equal(await world.blobs.size(location), 100)
      clock.advance(GRACE)
      await world.rules.sweep.sweep()
      assert.equal(await world.blobs.size(location), undefined)
    }),
  )

  for (const step of [0, 1, 2])
    it(`loses nothing and forgets nothing when it dies at write ${step + 1} of a sweep`, async () => {
      const faults = createFaults()
      await inWorld(
        async (world) => {
          const keeper = await newKeeper(world)
          const kept = await keep(world, keeper, bytes(70), { assetId: newAssetId() })
          const marked = await deleted(world)
          await world.rules.sweep.sweep()
          world.clock.advance(GRACE + 1)
          const orphaned = await deleted(world)
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
    'leaves alone what a guest has landed, however often it comes',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const drop = await newDrop(world, keeper, content)
      assert.equal(await ownerOf(world, drop.opaqueId), keeper.accountId)
      for (let times = 0; times < 3; times += 1) await sweepThrough(world)
      assert.deepEqual([await stateOf(world, drop.location), await world.blobs.size(drop.location)], ['kept', 100])
    }),
  )
})
