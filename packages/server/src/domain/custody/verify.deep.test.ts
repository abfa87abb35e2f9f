import assert from 'node:assert/strict'
import { appendFile, rm, truncate } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { DigestsBusy, StorageUnavailable } from '../../ground/storageErrors.ts'
import { newAlbumOwner, newAssetId } from '../../testing/assets.ts'
import { createFaults } from '../../testing/faults.ts'
import { bytes, never } from '../../testing/guest.ts'
import {
  about,
  askEach,
  askOne,
  CORRUPT,
  fileOf,
  flipBit,
  INTACT,
  type KeptBlob,
  keep,
  LIMITED,
  mark,
  saidOf,
  UNREADABLE,
  verifyOver,
  watchBlobs,
} from '../../testing/verify.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'

const MEBIBYTE = 1024 * 1024

describe('a deep verdict', () => {
  it('is intact for the bytes of the receipt, of any size; a structural verdict reads no bytes', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        for (const size of [1, 1000, 3 * MEBIBYTE]) {
          const blob = await keep(world, albumOwner, bytes(size))
          await askOne(verifyOver(world), albumOwner.accountId, blob)
          assert.deepEqual(watch.calls.digest, [])
          assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob, true)), INTACT)
          assert.deepEqual(watch.calls.digest.splice(0), [blob.location])
        }
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'is corrupt for one flipped bit: not retrievable, not durable',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      for (const size of [1, 1000, 3 * MEBIBYTE]) {
        const blob = await keep(world, albumOwner, bytes(size))
        await flipBit(world, blob)
        assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob, true)), CORRUPT)
      }
    }),
  )

  const changes = {
    'was cut after the structural look': (file: string) => truncate(file, 50),
    'grew after the structural look': (file: string) => appendFile(file, 'x'),
  }
  for (const [name, change] of Object.entries(changes)) {
    it(`is corrupt for an object that ${name}`, async () => {
      const watch = watchBlobs()
      await inWorld(
        async (world) => {
          const albumOwner = await newAlbumOwner(world)
          const blob = await keep(world, albumOwner, bytes(100))
          watch.beforeDigest(() => change(fileOf(world, blob)))
          assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob, true)), CORRUPT)
        },
        { around: { blobs: watch.around } },
      )()
    })
  }

  it('is absent for an object that is not stored, which is not read', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [missing, cut] = [await keep(world, albumOwner, bytes(100)), await keep(world, albumOwner, bytes(100))]
        await rm(fileOf(world, missing))
        await truncate(fileOf(world, cut), 99)
        const answers = await askEach(verifyOver(world), albumOwner.accountId, [missing, cut])
        assert.deepEqual(answers, [UNREADABLE, UNREADABLE])
        assert.deepEqual(watch.calls.digest, [])
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'does not make a marked object retrievable',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blob = await keep(world, albumOwner, bytes(100))
      await mark(world, blob)
      const verdict = await askOne(verifyOver(world), albumOwner.accountId, blob, true)
      assert.equal(saidOf(verdict), 'stored indexed original intact')
    }),
  )

  it('of one content under two roles answers by an intact object, or by the first when none is intact', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [content, assetId] = [bytes(100), newAssetId()]
        const first = await keep(world, albumOwner, content, { assetId })
        const second = await keep(world, albumOwner, content, { assetId, role: 'derivative' })
        const ask = async () => saidOf(await askOne(verifyOver(world), albumOwner.accountId, first, true))
        assert.equal(await ask(), INTACT)
        assert.deepEqual(watch.calls.digest.splice(0), [first.location])
        await flipBit(world, first)
        assert.equal(await ask(), INTACT.replace('original', 'derivative'))
        await flipBit(world, second)
        // The first one is withheld since the last question.
        assert.equal(await ask(), CORRUPT.replace('original', 'derivative'))
        await rm(fileOf(world, first))
        assert.equal(await ask(), CORRUPT.replace('original', 'derivative'))
      },
      { around: { blobs: watch.around } },
    )()
  })

  it('reads an object once per request, however often it is asked for', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [good, bad] = [await keep(world, albumOwner, bytes(100)), await keep(world, albumOwner, bytes(100))]
        await flipBit(world, bad)
        const questions = [
          about(bad.assetId, bad.ciphertextHash, bad.ciphertextHash),
          about(good.assetId, good.ciphertextHash, good.ciphertextHash),
          about(bad.assetId, bad.ciphertextHash),
        ]
        // The budget of two scans.
        const verify = verifyOver(world, { deepBytesPerHour: 2 * MEBIBYTE })
        const { accountId } = albumOwner
        const verdicts = await verify({ accountId, questions, deep: true, signal: never })
        assert.deepEqual(
          verdicts.map(({ blobs }) => blobs.map(({ deep }) => deep)),
          [['corrupt', 'corrupt'], ['intact', 'intact'], ['corrupt']],
        )
        assert.deepEqual(watch.calls.digest, [bad.location, good.location])
      },
      { around: { blobs: watch.around } },
    )()
  })
})

describe('an object that cannot be read', () => {
  it('is not stored and has no deep verdict; the others are scanned, and its budget is given back', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [bad, good] = [await keep(world, albumOwner, bytes(100)), await keep(world, albumOwner, bytes(100))]
        const { location } = bad
        const verify = verifyOver(world, { deepBytesPerHour: 2 * MEBIBYTE })
        for (const error of [new StorageUnavailable('a test broke it'), new Error('the thread has ended')]) {
          faults.arm('digest', { location, error })
          assert.deepEqual(await askEach(verify, albumOwner.accountId, [bad, good]), [UNREADABLE, INTACT])
          faults.disarm()
          world.clock.advance(3600)
        }
        faults.arm('digest', { location, times: 2 })
        await askOne(verify, albumOwner.accountId, bad, true)
        assert.deepEqual(await askEach(verify, albumOwner.accountId, [bad, good]), [INTACT, INTACT])
      },
      { around: faults.around },
    )()
  })

  it('is read again, as the store may be back', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, bytes(100))
        faults.arm('digest', { times: 1 })
        assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob, true)), INTACT)
      },
      { around: faults.around },
    )()
  })

  it('is not stored either when there is no second read', async () => {
    const [faults, watch] = [createFaults(), watchBlobs()]
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, bytes(100))
        faults.arm('digest', { times: 1 })
        watch.beforeDigest(() => Promise.reject(new DigestsBusy('too many')))
        assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob, true)), UNREADABLE)
      },
      { around: { blobs: (real) => defined(faults.around.blobs)(watch.around(real)) } },
    )()
  })

  it('because it was removed during the request is not stored', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, bytes(100))
        watch.beforeDigest(() => rm(fileOf(world, blob)))
        assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob, true)), UNREADABLE)
      },
      { around: { blobs: watch.around } },
    )()
  })

  it('because the whole store is away gives an error and no verdict', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, bytes(100))
        faults.arm('digest')
        faults.arm('check')
        await assert.rejects(askOne(verifyOver(world), albumOwner.accountId, blob, true), StorageUnavailable)
      },
      { around: faults.around },
    )()
  })

  it('because too many objects are being read is rate_limited without a charge', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, bytes(100))
        const verify = verifyOver(world, { deepBytesPerHour: MEBIBYTE })
        faults.arm('digest', { times: 1, error: new DigestsBusy('too many') })
        assert.equal(saidOf(await askOne(verify, albumOwner.accountId, blob, true)), LIMITED)
        assert.equal(saidOf(await askOne(verify, albumOwner.accountId, blob, true)), INTACT)
      },
      { around: faults.around },
    )()
  })
})

describe('a change to an asset while its bytes are read', () => {
  const events: Record<
    string,
    { happens: (world: World, blob: KeptBlob, accountId: AccountId) => Promise<unknown>; expected: string }
  > = {
    'its deletion': {
      happens: (world, { assetId }, accountId) => world.rules.assets.remove(accountId, assetId),
      expected: 'unknown',
    },
    'a mark by the collector': { happens: mark, expected: 'stored indexed original intact' },
  }
  for (const [name, { happens, expected }] of Object.entries(events)) {
    it(`counts: ${name}`, async () => {
      const watch = watchBlobs()
      await inWorld(
        async (world) => {
          const albumOwner = await newAlbumOwner(world)
          const blob = await keep(world, albumOwner, bytes(100))
          watch.beforeDigest(async () => {
            world.clock.advance(60)
            await happens(world, blob, albumOwner.accountId)
          })
          const verdict = await askOne(verifyOver(world), albumOwner.accountId, blob, true)
          assert.equal(saidOf(verdict), expected)
          assert.equal(verdict.checkedAt, world.clock.now())
        },
        { around: { blobs: watch.around } },
      )()
    })
  }
})
