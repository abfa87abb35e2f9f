import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFile, rm, truncate, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { parseUploadId } from '@blindkeep/protocol/ids'
import { StorageForbidden } from '../../ground/storageErrors.ts'
import { newAlbumOwner, newDrop } from '../../testing/assets.ts'
import { createFaults, createGate } from '../../testing/faults.ts'
import { bytes, never } from '../../testing/guest.ts'
import {
  askOne,
  fileOf,
  flipBit,
  type KeptBlob,
  keep,
  keepBreakable,
  saidOf,
  strange,
  suspectedIn,
  verifyOver,
  watchBlobs,
} from '../../testing/verify.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { locationOf, partsOf } from '../ground/location.ts'
import { createScrubber } from './scrub.ts'

const MONTH = 30 * 86_400
const content = bytes(100)

const rowOf = ({ store }: World, { location }: Pick<KeptBlob, 'location'>) =>
  store.read((tx) => tx.audit.object(location))
const isDamaged = async (world: World, blob: Pick<KeptBlob, 'location'>) =>
  (await rowOf(world, blob))?.damagedAt !== undefined

/** After a month every object is due. */
async function scrubAfterAMonth(world: World): Promise<void> {
  world.clock.advance(MONTH + 1)
  await world.rules.scrub.turn(never)
}

describe('the scrubber', () => {
  const damages: Record<string, [(world: World, blob: KeptBlob) => Promise<unknown>, found: string]> = {
    'a flipped bit': [flipBit, 'other bytes'],
    'a file that was cut': [(world, blob) => truncate(fileOf(world, blob), 99), 'cut short'],
    'a file that has grown': [(world, blob) => appendFile(fileOf(world, blob), 'x'), 'too long'],
    'a file that is missing': [(world, blob) => rm(fileOf(world, blob)), 'missing'],
  }
  for (const [damage, [inflict, found]] of Object.entries(damages))
    it(
      `detects ${damage}, marks the object and logs what an operator needs`,
      inWorld(async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [bad, good] = [await keep(world, albumOwner, content), await keep(world, albumOwner, bytes(50))]
        await inflict(world, bad)
        await scrubAfterAMonth(world)
        const { size, ciphertextHash: hash, assetId } = bad
        const at = world.clock.now()
        const readAndDamaged = async (blob: Pick<KeptBlob, 'location'>) => {
          const row = await rowOf(world, blob)
          return [row?.state, row?.checkedAt, row?.damagedAt]
        }
        assert.deepEqual(await readAndDamaged(bad), ['kept', at, at])
        assert.deepEqual(await readAndDamaged(good), ['kept', at, undefined])
        assert.deepEqual(world.logged, [
          { level: 'error', event: 'an object is damaged', facts: { assetId, role: 'original', hash, size, found } },
        ])
        const verdict = await askOne(verifyOver(world), albumOwner.accountId, bad)
        assert.ok(!verdict.durable && !verdict.blob.retrievable)
        assert.deepEqual(await world.rules.assets.content(albumOwner.accountId, hash), {
          refused: 'storage_unavailable',
        })
      }),
    )

  it(
    'logs a damaged drop by its id; the drop is no longer served',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const drop = await newDrop(world, albumOwner, content)
      await writeFile(fileOf(world, drop), bytes(100))
      await scrubAfterAMonth(world)
      assert.deepEqual(world.logged[0]?.facts, {
        dropId: drop.dropId,
        hash: drop.ciphertextHash,
        size: 100,
        found: 'other bytes',
      })
      assert.ok(!JSON.stringify(world.logged).includes(drop.opaqueId))
      const { accountId } = albumOwner
      assert.deepEqual(await world.rules.inbox.content(accountId, drop.dropId), { refused: 'storage_unavailable' })
      assert.equal(await world.rules.inbox.discard(accountId, drop.dropId), undefined)
    }),
  )

  it(
    'keeps the intact one of two equal objects served',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const [bad, good] = [await keep(world, albumOwner, content), await keep(world, albumOwner, content)]
      await flipBit(world, bad)
      await scrubAfterAMonth(world)
      const served = await world.rules.assets.content(albumOwner.accountId, bad.ciphertextHash)
      assert.equal('refused' in served ? served.refused : served.location, good.location)
    }),
  )

  it(
    'removes a mark when the bytes are intact again',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blob = await keep(world, albumOwner, content)
      await flipBit(world, blob)
      await scrubAfterAMonth(world)
      await writeFile(fileOf(world, blob), content)
      assert.ok(!(await askOne(verifyOver(world), albumOwner.accountId, blob, true)).durable)
      await scrubAfterAMonth(world)
      assert.ok((await askOne(verifyOver(world), albumOwner.accountId, blob)).durable)
      assert.deepEqual(
        world.logged.map(({ event }) => event),
        ['an object is damaged', 'an object is whole again'],
      )
    }),
  )

  it('removes no mark before the right bytes are durable', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const blob = await keep(world, await newAlbumOwner(world), content)
        await flipBit(world, blob)
        await scrubAfterAMonth(world)
        await writeFile(fileOf(world, blob), content)
        faults.arm('settle')
        world.clock.advance(3)
        await world.rules.scrub.again(never)
        assert.ok(await isDamaged(world, blob))
        faults.disarm()
        world.clock.advance(60)
        await world.rules.scrub.again(never)
        assert.ok(!(await isDamaged(world, blob)))
      },
      { around: faults.around },
    )()
  })

  it('leaves a mark that came after the objects were listed: its bytes were not settled', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const kept = [await keep(world, albumOwner, content), await keep(world, albumOwner, bytes(50))]
        watch.beforeDigest(async (location) => {
          world.clock.advance(1)
          const later = kept.filter((blob) => blob.location !== location && !watch.calls.digest.includes(blob.location))
          for (const blob of later)
            await world.store.write([], (tx) => tx.objects.markDamaged(blob.location, world.clock.now()))
          world.clock.advance(1)
        })
        await scrubAfterAMonth(world)
        assert.deepEqual((await Promise.all(kept.map((blob) => isDamaged(world, blob)))).toSorted(), [false, true])
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'serves a file again soon after a reading that gave wrong bytes for a moment',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blob = await keep(world, albumOwner, content)
      await flipBit(world, blob)
      await world.rules.scrub.suspect(blob.location)
      await world.rules.scrub.again(never)
      assert.ok(await isDamaged(world, blob))
      await writeFile(fileOf(world, blob), content)
      await world.rules.scrub.again(never)
      assert.ok(await isDamaged(world, blob), 'the moment may not be over')
      world.clock.advance(3)
      await world.rules.scrub.again(never)
      assert.ok((await askOne(verifyOver(world), albumOwner.accountId, blob)).durable)
    }),
  )

  it('reads a damaged object again at intervals that double', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const blob = await keep(world, await newAlbumOwner(world), content)
        await flipBit(world, blob)
        await scrubAfterAMonth(world)
        const marked = world.clock.now()
        const readAfter: number[] = []
        for (let second = 1; second <= 200; second += 1) {
          world.clock.advance(1)
          const before = watch.calls.digest.length
          await world.rules.scrub.again(never)
          if (watch.calls.digest.length > before) readAfter.push((world.clock.now() - marked) / 1000)
        }
        assert.deepEqual(readAfter, [3, 6, 12, 24, 48, 96, 192])
      },
      { around: { blobs: watch.around } },
    )()
  })

  it('reads each object once a month, the longest unread first', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const kept: KeptBlob[] = []
        for (let day = 0; day < 3; day += 1) {
          kept.push(await keep(world, albumOwner, bytes(10)))
          world.clock.advance(86_400)
        }
        const locations = kept.map(({ location }) => location)
        await world.rules.scrub.turn(never)
        assert.deepEqual(watch.calls.digest, [])
        world.clock.advance(MONTH - 2 * 86_400)
        await world.rules.scrub.turn(never)
        assert.deepEqual(watch.calls.digest, locations.slice(0, 1))
        world.clock.advance(3 * 86_400)
        await world.rules.scrub.turn(never)
        assert.deepEqual(watch.calls.digest, locations)
      },
      { around: { blobs: watch.around } },
    )()
  })

  it('neither marks nor suspects an object of which the store says nothing, and tries again later', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [stuck, bad] = [await keep(world, albumOwner, content), await keep(world, albumOwner, bytes(50))]
        await flipBit(world, stuck)
        await flipBit(world, bad)
        faults.arm('digest', { location: stuck.location })
        await scrubAfterAMonth(world)
        await world.rules.scrub.turn(never)
        assert.deepEqual([await isDamaged(world, stuck), await isDamaged(world, bad)], [false, true])
        // A command may have another user, to whom a file is forbidden that the server may read.
        faults.arm('digest', { location: stuck.location, error: new StorageForbidden('ask its owner') })
        world.clock.advance(1)
        await createScrubber({ ...world, isServer: false }, world.settings).all(never, () => undefined)
        assert.deepEqual(await suspectedIn(world), [])
        const events = world.logged.filter(({ event }) => event === 'an object could not be read')
        assert.deepEqual(
          events.map(({ facts }) => [facts.assetId, facts.reason]),
          [
            [stuck.assetId, 'StorageUnavailable: a test broke it'],
            [stuck.assetId, 'StorageForbidden: ask its owner'],
          ],
        )
        faults.disarm()
        world.clock.advance(3601)
        await world.rules.scrub.turn(never)
        assert.ok(await isDamaged(world, stuck))
      },
      { around: faults.around },
    )()
  })

  it('withholds what the disk does not give, and tries it again at doubling intervals up to a day', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const { blob, ...file } = await keepBreakable(world, albumOwner)
        const said = async () => saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob))
        await file.break()
        assert.equal(await said(), 'durable stored indexed retrievable original')
        await scrubAfterAMonth(world)
        const begun = world.clock.now()
        const readAfter: number[] = []
        for (let steps = 0; steps < 300 + 5 * 24; steps += 1) {
          world.clock.advance(steps < 300 ? 1 : 3600)
          const before = watch.calls.digest.length
          if (await world.rules.scrub.hasDoubtful()) await world.rules.scrub.again(never)
          if (watch.calls.digest.length > before) readAfter.push((world.clock.now() - begun) / 1000)
        }
        assert.deepEqual(readAfter.slice(0, 9), [1, 2, 4, 8, 16, 32, 64, 128, 256])
        const [third = 0, second = 0, last = 0] = readAfter.slice(-3)
        assert.deepEqual([second - third, last - second], [86_400, 86_400])
        assert.equal(await said(), 'stored indexed original')
        await file.mend()
        world.clock.advance(86_400)
        await world.rules.scrub.again(never)
        assert.equal(await said(), 'durable stored indexed retrievable original')
        const [first, ...rest] = world.logged
        assert.deepEqual([first?.event, first?.facts.assetId], ['an object could not be read', blob.assetId])
        assert.match(String(first?.facts.reason), /^ObjectUnreadable: the storage answered EISDIR$/)
        assert.equal(rest.at(-1)?.event, 'an object is whole again')
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'examines a new suspicion before it tries again what could not be read',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      for (let count = 0; count < 3; count += 1) await (await keepBreakable(world, albumOwner)).break()
      await scrubAfterAMonth(world)
      // Each turn tries one.
      for (let second = 0; second < 5; second += 1) {
        world.clock.advance(1)
        await world.rules.scrub.again(never)
      }
      world.clock.advance(60)
      const bad = await keep(world, albumOwner, content)
      await flipBit(world, bad)
      await world.rules.scrub.suspect(bad.location)
      const before = world.logged.length
      await world.rules.scrub.again(never)
      // One that cannot be read ends the turn.
      assert.deepEqual(
        world.logged.slice(before).map(({ event }) => event),
        ['an object is damaged', 'an object could not be read'],
      )
      const { objects } = await world.store.read((tx) => tx.census.take())
      assert.deepEqual([objects.unreadable, objects.suspected, objects.damaged], [3, 0, 1])
    }),
  )

  it('gives suspected objects back after four gigabytes, and not when all were read', async () => {
    const size = 4 * 1024 ** 3
    await inWorld(
      async (world) => {
        for (const hash of [strange(), strange()]) {
          const location = locationOf(hash, defined(parseUploadId(randomUUID())))
          await world.store.write([], async (tx) => {
            await tx.objects.insert({ location, size, state: 'kept', since: world.clock.now() })
            await tx.objects.suspect(location, world.clock.now())
          })
        }
        await world.rules.scrub.again(never)
        assert.equal((await suspectedIn(world)).length, 1)
        await world.rules.scrub.again(never)
        assert.deepEqual(await suspectedIn(world), [])
      },
      {
        around: {
          // As if all was there.
          blobs: (real) => ({
            ...real,
            digest: async (location) => ({ sha256: partsOf(location).ciphertextHash, size }),
          }),
        },
      },
    )()
  })

  it('marks and logs nothing while the whole store is away', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const blob = await keep(world, await newAlbumOwner(world), content)
        faults.arm('digest')
        faults.arm('check')
        world.clock.advance(MONTH + 1)
        await assert.rejects(world.rules.scrub.turn(never), /a test broke it/)
        assert.deepEqual([await isDamaged(world, blob), world.logged], [false, []])
        faults.disarm()
        await world.rules.scrub.turn(never)
        assert.equal((await rowOf(world, blob))?.checkedAt, world.clock.now())
      },
      { around: faults.around },
    )()
  })

  it('does not mark an object that was released while it was read', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, content)
        watch.beforeDigest(async () => {
          await world.rules.assets.remove(albumOwner.accountId, blob.assetId)
          await rm(fileOf(world, blob))
        })
        await scrubAfterAMonth(world)
        assert.deepEqual(world.logged, [])
      },
      { around: { blobs: watch.around } },
    )()
  })

  it('stops in the middle of an object when the server ends, and notes the objects before it', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const first = await keep(world, albumOwner, bytes(10))
        world.clock.advance(1)
        const second = await keep(world, albumOwner, bytes(10))
        const ending = new AbortController()
        const reason = new Error('the server ends')
        const begun = createGate()
        watch.beforeDigest(async (location, signal) => {
          if (location !== second.location) return
          begun.open()
          // A disk that does not answer.
          const { promise, reject } = Promise.withResolvers<void>()
          signal.addEventListener('abort', () => reject(signal.reason))
          await promise
        })
        world.clock.advance(MONTH + 1)
        const turn = world.rules.scrub.turn(ending.signal)
        await begun.passed
        ending.abort(reason)
        await assert.rejects(turn, reason)
        assert.equal((await rowOf(world, first))?.checkedAt, world.clock.now())
        assert.notEqual((await rowOf(world, second))?.checkedAt, world.clock.now())
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'reads next an object that a deep verdict found corrupt, which no process hands out meanwhile',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blob = await keep(world, albumOwner, content)
      await flipBit(world, blob)
      const { rules } = world
      const [question] = [{ assetId: blob.assetId, blobHashes: [blob.ciphertextHash] }]
      const request = { accountId: albumOwner.accountId, questions: [question], deep: true, signal: never }
      for (let times = 0; times < 3; times += 1) await rules.verify(request)
      assert.equal(await isDamaged(world, blob), false)
      const elsewhere = world.rulesOver({ nodeId: 'another' })
      assert.equal(saidOf(await askOne(elsewhere.verify, albumOwner.accountId, blob)), 'stored indexed original')
      assert.equal(world.suspectCalls(), 1)
      assert.ok(world.suspectCalls() > 0)
      await elsewhere.scrub.again(never)
      assert.ok(await isDamaged(world, blob))
      const calls = world.suspectCalls()
      assert.equal(saidOf(await askOne(rules.verify, albumOwner.accountId, blob)), 'stored indexed original')
      await rules.verify(request)
      assert.equal(world.suspectCalls(), calls, 'a marked object is not reported again')
    }),
  )

  it(
    'does not mark a reported object that is intact',
    inWorld(async (world) => {
      const blob = await keep(world, await newAlbumOwner(world), content)
      world.clock.advance(60)
      await world.rules.scrub.suspect(blob.location)
      assert.deepEqual(await suspectedIn(world), [blob.location])
      await world.rules.scrub.again(never)
      const row = await rowOf(world, blob)
      assert.deepEqual([row?.state, row?.checkedAt, row?.damagedAt], ['kept', world.clock.now(), undefined])
      assert.deepEqual(await suspectedIn(world), [])
    }),
  )

  it(
    'reads every object on request, due or not',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const kept: KeptBlob[] = []
      for (let count = 0; count < 3; count += 1) kept.push(await keep(world, albumOwner, bytes(10)))
      const [flipped, missing] = kept
      if (flipped === undefined || missing === undefined) assert.fail()
      await flipBit(world, flipped)
      await rm(fileOf(world, missing))
      world.clock.advance(1)
      const progress: number[] = []
      const sum = await world.rules.scrub.all(never, ({ objects }) => progress.push(objects))
      assert.deepEqual(sum, { objects: 3, bytes: 30, damaged: 2, unreadable: 0 })
      assert.equal(progress.at(-1), 3)
    }),
  )
})
