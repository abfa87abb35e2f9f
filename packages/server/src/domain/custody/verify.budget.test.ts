import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { addSeconds, parseAccountId, parseSessionId, parseSha256Hex } from '@blindkeep/protocol/ids'
import { newAlbumOwner } from '../../testing/assets.ts'
import { bytes, never } from '../../testing/guest.ts'
import {
  about,
  aboutAll,
  askEach,
  fileOf,
  flagsOf,
  INTACT,
  keep,
  LIMITED,
  mark,
  UNREADABLE,
  verifyOver,
  watchBlobs,
} from '../../testing/verify.ts'
import { type Bytes, defined, inWorld, sha256 } from '../../testing/world.ts'
import { createDeepScans } from './deepScans.ts'

const MEBIBYTE = 1024 * 1024

describe('the deep-scan budget of an account', () => {
  it('counts a small object as a mebibyte; beyond it verdicts are structural until the hour is over', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const [albumOwner, other] = [await newAlbumOwner(world), await newAlbumOwner(world)]
        const first = await keep(world, albumOwner, bytes(1))
        const blobs = [first, await keep(world, albumOwner, bytes(1)), await keep(world, albumOwner, bytes(1))]
        const verify = verifyOver(world, { deepBytesPerHour: 2 * MEBIBYTE + 1 })
        assert.deepEqual(await askEach(verify, albumOwner.accountId, blobs), [INTACT, INTACT, LIMITED])
        await rm(fileOf(world, first))
        assert.deepEqual(await askEach(verify, albumOwner.accountId, blobs), [UNREADABLE, LIMITED, LIMITED])
        assert.equal(watch.calls.digest.length, 2)
        assert.deepEqual(await askEach(verify, other.accountId, [await keep(world, other, bytes(1))]), [INTACT])
        world.clock.advance(3600)
        assert.deepEqual(await askEach(verify, albumOwner.accountId, blobs), [UNREADABLE, INTACT, INTACT])
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'leaves the other sessions of the account a quarter when one uses up its own',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blobs = await Promise.all([1, 2, 3, 4].map((size) => keep(world, albumOwner, bytes(size))))
      const verify = verifyOver(world, { deepBytesPerHour: 3 * MEBIBYTE })
      const [thief, other] = [defined(parseSessionId(randomUUID())), defined(parseSessionId(randomUUID()))]
      const ask = (sessionId: typeof thief) => askEach(verify, albumOwner.accountId, blobs, sessionId)
      assert.deepEqual(await ask(thief), [INTACT, INTACT, INTACT, LIMITED])
      assert.deepEqual(await ask(other), [INTACT, LIMITED, LIMITED, LIMITED])
    }),
  )

  it(
    'still admits a smaller object when a larger one does not fit',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blobs = [
        await keep(world, albumOwner, bytes(1)),
        await keep(world, albumOwner, bytes(2 * MEBIBYTE + 1)),
        await keep(world, albumOwner, bytes(2 * MEBIBYTE)),
        await keep(world, albumOwner, bytes(1)),
      ]
      const verify = verifyOver(world, { deepBytesPerHour: 3 * MEBIBYTE })
      assert.deepEqual(await askEach(verify, albumOwner.accountId, blobs), [INTACT, LIMITED, INTACT, LIMITED])
    }),
  )

  it(
    'admits an object larger than the budget when the budget is full',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const [large, small] = [
        await keep(world, albumOwner, bytes(3 * MEBIBYTE)),
        await keep(world, albumOwner, bytes(1)),
      ]
      const verify = verifyOver(world, { deepBytesPerHour: 2 * MEBIBYTE })
      assert.deepEqual(await askEach(verify, albumOwner.accountId, [small, large]), [INTACT, LIMITED])
      world.clock.advance(3600)
      assert.deepEqual(await askEach(verify, albumOwner.accountId, [large, small]), [INTACT, LIMITED])
    }),
  )

  it('admits the small blobs of an asset besides an original larger than the budget', async () => {
    // Answers without a disk, because no test has a tebibyte.
    const quick = (real: Bytes): Bytes => ({
      ...real,
      digest: async (location, size) => ({ sha256: defined(parseSha256Hex(location.slice(3, 67))), size }),
    })
    await inWorld(
      async ({ blobs, limiter, seats, settings }) => {
        const scans = createDeepScans(
          { objects: blobs, limiter, seats, giveUpAfter: () => never, reportDamage: async () => undefined },
          settings,
        )
        const objects = [2 ** 40, 1, 1].map((size) => {
          const ciphertextHash = sha256(bytes(8))
          return {
            role: 'original',
            ciphertextHash,
            size,
            location: `ab/${ciphertextHash}`,
            objectState: 'kept',
            damagedAt: undefined,
            isSuspected: false,
            isOnHold: false,
          } as const
        })
        for (const order of [objects, objects.toReversed()]) {
          const accountId = defined(parseAccountId(randomUUID()))
          await scans.inTurn({ accountId, signal: never }, async (scan) => {
            for (const object of order) assert.equal(await scan(object), 'intact')
          })
        }
      },
      { around: { blobs: quick } },
    )()
  })

  it('is not charged for the scans after the client has disconnected', async () => {
    const reason = new Error('disconnected')
    const client = new AbortController()
    const leaving = (real: Bytes): Bytes => ({
      ...real,
      digest: (...scan) => real.digest(...scan).finally(() => client.abort(reason)),
    })
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const { accountId } = albumOwner
        const blobs = [await keep(world, albumOwner, bytes(1)), await keep(world, albumOwner, bytes(1))]
        const verify = verifyOver(world, { deepBytesPerHour: 2 * MEBIBYTE })
        const questions = aboutAll(blobs)
        await assert.rejects(verify({ accountId, questions, deep: true, signal: client.signal }), reason)
        assert.deepEqual(await askEach(verify, accountId, blobs), [INTACT, LIMITED])
      },
      { around: { blobs: leaving } },
    )()
  })

  it('when used up, leaves a verdict dated by its structural look', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const begun = world.clock.now()
        watch.beforeDigest(async () => world.clock.advance(60))
        const questions = aboutAll([await keep(world, albumOwner, bytes(1)), await keep(world, albumOwner, bytes(1))])
        const verify = verifyOver(world, { deepBytesPerHour: 1 })
        const verdicts = await verify({ accountId: albumOwner.accountId, questions, deep: true, signal: never })
        assert.deepEqual(
          verdicts.map(({ checkedAt }) => checkedAt),
          [addSeconds(begun, 60), begun],
        )
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'when used up, hides no structural fault',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { accountId } = albumOwner
      const original = await keep(world, albumOwner, bytes(10))
      const { assetId } = original
      const metadata = await keep(world, albumOwner, bytes(10), { assetId, role: 'metadata' })
      await mark(world, metadata)
      const verify = verifyOver(world, { deepBytesPerHour: 1 })
      const questions = [about(assetId, original.ciphertextHash, metadata.ciphertextHash)]
      const [verdict] = await verify({ accountId, questions, deep: true, signal: never })
      assert.equal(verdict?.durable, false)
      assert.deepEqual(verdict?.blobs.map(flagsOf), [
        'stored indexed retrievable original intact',
        'stored indexed metadata rate_limited',
      ])
    }),
  )
})
