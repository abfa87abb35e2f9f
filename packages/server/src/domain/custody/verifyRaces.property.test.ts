import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSeconds, type Instant, instantOf } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import { BlobMissing } from '../../ground/storageErrors.ts'
import type { Store } from '../../ports/store.ts'
import { type AlbumOwner, newAlbumOwner, newAssetId, newDrop } from '../../testing/assets.ts'
import { createGate } from '../../testing/faults.ts'
import { never } from '../../testing/guest.ts'
import { about, type KeptBlob, keep, verifyOver } from '../../testing/verify.ts'
import { type Bytes, defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { createCollector } from './collect.ts'
import type { AssetVerdict, VerifyQuestion } from './verdicts.ts'

/** A window so short that a round lasts far longer. */
const GRACE = 10

/** Remembers which bytes are present and when others were removed, to check the promises of verdicts. */
function rememberedBlobs() {
  const present = new Map<string, Uint8Array>()
  const removed = new Map<string, Instant>()
  let meanwhile: () => Promise<void> = async () => undefined
  let now: () => Instant = () => assert.fail()
  type Gate = ReturnType<typeof createGate>
  let waiting: Gate | undefined
  let paused: { readonly gate: Gate; readonly work: Promise<unknown> } | undefined
  return {
    present,
    removed,
    /** Runs `work` before and after every look of a verdict at rows or bytes. */
    happens(work: () => Promise<void>, clock: () => Instant): void {
      meanwhile = work
      now = clock
    },
    /** Begins work that writes, and makes it wait before its transaction. */
    async pauseBeforeWrite(work: () => Promise<unknown>): Promise<void> {
      await this.resumeWrite()
      const gate = createGate()
      waiting = gate
      paused = { gate, work: work() }
    },
    async resumeWrite(): Promise<void> {
      paused?.gate.open()
      await paused?.work
      paused = undefined
    },
    blobs: (real: Bytes): Bytes => ({
      ...real,
      async size(location) {
        await meanwhile()
        return present.get(location)?.length
      },
      async digest(location) {
        await meanwhile()
        const bytes = present.get(location)
        if (bytes === undefined) throw new BlobMissing('no such object')
        return { sha256: sha256(bytes), size: bytes.length }
      },
      async remove(location) {
        if (present.delete(location)) removed.set(location, now())
      },
    }),
    /** The reads of an event are not observed. */
    store: (real: Store): Store => ({
      ...real,
      async read(work) {
        await meanwhile()
        const rows = await real.read(work)
        await meanwhile()
        return rows
      },
      async write(locks, work) {
        const wait = waiting
        waiting = undefined
        await wait?.passed
        return real.write(locks, work)
      },
    }),
  }
}

type Event =
  | 'time'
  | 'delete'
  | 'delete, collect, time'
  | 'begin to delete'
  | 'end to delete'
  | 'collect'
  | 'hold'
  | 'unhold'
interface Round {
  readonly deep: boolean
  readonly blobs: number
  /** One burst of events runs at each look of a verdict. */
  readonly bursts: readonly (readonly (readonly [Event, number])[])[]
}

const event = fc.constantFrom<Event>(
  'time',
  'delete',
  'delete, collect, time',
  'begin to delete',
  'end to delete',
  'collect',
  'collect',
  'hold',
  'unhold',
)
/** Often empty, so that events come late in a request as often as early. */
const burst = fc.oneof(
  { arbitrary: fc.constant([]), weight: 2 },
  {
    arbitrary: fc.array(fc.tuple(event, fc.integer({ min: 1, max: 2 * GRACE })), { minLength: 1, maxLength: 4 }),
    weight: 1,
  },
)
const round: fc.Arbitrary<Round> = fc.record({
  deep: fc.boolean(),
  blobs: fc.integer({ min: 1, max: 2 }),
  bursts: fc.array(burst, { minLength: 4, maxLength: 10 }),
})

const counts = { verdicts: 0, durable: 0, durableAndRemoved: 0, removed: 0 }
type Remembered = ReturnType<typeof rememberedBlobs>

describe('a durable verdict', () => {
  const remembered = rememberedBlobs()
  it(
    'holds for the whole window from its checked_at, whatever is deleted, held and collected meanwhile',
    inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        await fc.assert(
          fc.asyncProperty(round, (given) => play({ world, albumOwner, remembered }, given)),
          { numRuns: 500 },
        )
        assert.ok(
          counts.verdicts > 900 && counts.durable > 100 && counts.durableAndRemoved > 50,
          JSON.stringify(counts),
        )
      },
      {
        settings: { collectGraceSeconds: GRACE, partGraceSeconds: 0 },
        around: { blobs: remembered.blobs, store: remembered.store },
      },
    ),
  )

  it(
    'holds when a pending drop with the same bytes is discarded and collected',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const content = new Uint8Array([1, 2, 3])
      const [drop, twin] = [await newDrop(world, albumOwner, content), await newDrop(world, albumOwner, content)]
      const blob = await keep(world, albumOwner, content)
      const verdict = defined((await ask(world, albumOwner, [about(blob.assetId, blob.ciphertextHash)], true))[0])
      await world.rules.inbox.discard(albumOwner.accountId, twin.dropId)
      await world.rules.sweep.sweep()
      world.clock.advance(3 * 86_400)
      await world.rules.sweep.sweep()
      assert.ok(verdict.durable)
      assert.deepEqual(
        [
          await world.blobs.size(blob.location),
          await world.blobs.size(drop.location),
          await world.blobs.size(twin.location),
        ],
        [3, 3, undefined],
      )
    }),
  )
})

function ask(world: World, { accountId }: AlbumOwner, questions: readonly VerifyQuestion[], deep: boolean) {
  return verifyOver(world)({ accountId, questions, deep, signal: never })
}

interface Scene {
  readonly world: World
  readonly albumOwner: AlbumOwner
  readonly remembered: Remembered
}

async function play(scene: Scene, { deep, blobs, bursts }: Round): Promise<void> {
  const { world, albumOwner, remembered } = scene
  remembered.happens(async () => undefined, world.clock.now)
  const kept: KeptBlob[] = []
  const assetId = newAssetId()
  for (const role of (['original', 'metadata'] as const).slice(0, blobs)) {
    const content = crypto.getRandomValues(new Uint8Array(8))
    const blob = await keep(world, albumOwner, content, { assetId, role })
    remembered.present.set(blob.location, content)
    kept.push(blob)
  }
  remembered.removed.clear()
  const questions = [about(assetId, ...kept.map(({ ciphertextHash }) => ciphertextHash))]
  const verdicts: AssetVerdict[] = []
  const left = [...bursts]
  let isHappening = false
  remembered.happens(async () => {
    // The looks of an event itself trigger no further events.
    if (isHappening) return
    isHappening = true
    for (const each of left.shift() ?? []) await happen(scene, defined(kept[0]), each)
    isHappening = false
  }, world.clock.now)
  while (left.length > 0) verdicts.push(...(await ask(world, albumOwner, questions, deep)))
  isHappening = true
  await remembered.resumeWrite()
  await happen(scene, defined(kept[0]), ['unhold', 1])
  await happen(scene, defined(kept[0]), ['delete', 1])
  await removeAtOnce(world, kept)
  assert.equal(remembered.removed.size, blobs)
  judge(verdicts, kept, remembered)
}

/** The collector's steps one by one, so that another event may come between any two of them. */
async function collect({ store, objects, clock }: World): Promise<void> {
  const collector = createCollector({ store, objects, clock }, { collectGraceSeconds: GRACE, partGraceSeconds: 0 })
  await collector.mark()
  const { deleting } = await collector.startDeleting()
  await collector.remove(deleting)
}

/** Removes each object in its first allowed millisecond: a window that is too short by one is detected. */
async function removeAtOnce(world: World, kept: readonly KeptBlob[]): Promise<void> {
  await collect(world)
  for (const { location } of kept) {
    const object = await world.store.read((tx) => tx.objects.find(location))
    if (object === undefined) continue
    assert.equal(object.state, 'marked')
    const first = instantOf(addSeconds(object.since, GRACE) + 1)
    if (first > world.clock.now()) world.clock.set(first)
    await collect(world)
  }
}

function judge(verdicts: readonly AssetVerdict[], kept: readonly KeptBlob[], { removed }: Remembered): void {
  counts.removed += removed.size
  counts.verdicts += verdicts.length
  for (const { checkedAt } of verdicts.filter(({ durable }) => durable)) {
    counts.durable += 1
    const until = addSeconds(checkedAt, GRACE)
    for (const { location } of kept) {
      const removedAt = defined(removed.get(location))
      assert.ok(removedAt > until, `durable as of ${checkedAt}, removed ${removedAt - until} ms after the window`)
      if (removedAt <= addSeconds(until, GRACE)) counts.durableAndRemoved += 1
    }
  }
}

async function happen(
  { world, albumOwner, remembered }: Scene,
  blob: KeptBlob,
  [event, seconds]: readonly [Event, number],
): Promise<void> {
  const { rules, clock, store } = world
  const { ciphertextHash, assetId } = blob
  switch (event) {
    case 'time':
      return clock.advance(seconds)
    case 'delete':
      return void (await rules.assets.remove(albumOwner.accountId, assetId))
    case 'delete, collect, time':
      await rules.assets.remove(albumOwner.accountId, assetId)
      await collect(world)
      return clock.advance(seconds)
    case 'begin to delete':
      return remembered.pauseBeforeWrite(() => rules.assets.remove(albumOwner.accountId, assetId))
    case 'end to delete':
      return remembered.resumeWrite()
    case 'collect':
      return collect(world)
    case 'hold':
      return void (await store.write([], (tx) => tx.holds.add({ ciphertextHash, reason: 'x', createdAt: clock.now() })))
    case 'unhold':
      return void (await store.write([], (tx) => tx.holds.remove(ciphertextHash)))
  }
}
