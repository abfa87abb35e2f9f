import assert from 'node:assert/strict'
import { appendFile, rm, truncate } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Store } from '../../ports/store.ts'
import { landBlob, newAlbumOwner, newAssetId, newDrop } from '../../testing/assets.ts'
import { createFaults } from '../../testing/faults.ts'
import { bytes, never } from '../../testing/guest.ts'
import {
  about,
  aboutAll,
  askOne,
  fileOf,
  flagsOf,
  flipBit,
  keep,
  mark,
  saidOf,
  strange,
  verifyOver,
  watchBlobs,
} from '../../testing/verify.ts'
import { type Bytes, inWorld, sha256 } from '../../testing/world.ts'

const WHOLE = 'durable stored indexed retrievable original'
const UNKNOWN = 'unknown'

describe('a structural verdict', () => {
  it(
    'is durable for a landed upload, and gives the time of the check',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const [content, assetId] = [bytes(3000), newAssetId()]
      await landBlob(world, albumOwner, content, { assetId })
      world.clock.advance(3600)
      const verdict = await askOne(verifyOver(world), albumOwner.accountId, {
        assetId,
        ciphertextHash: sha256(content),
      })
      assert.equal(saidOf(verdict), WHOLE)
      assert.equal(verdict.assetId, assetId)
      assert.equal(verdict.checkedAt, world.clock.now())
    }),
  )

  it('is dated before its rows were read, however long the looks at the files take', async () => {
    let onLook = () => {}
    const slowly = (real: Bytes): Bytes => ({
      ...real,
      size(location) {
        onLook()
        return real.size(location)
      },
    })
    const slowReads = (real: Store): Store => ({
      ...real,
      async read(work) {
        const rows = await real.read(work)
        onLook()
        return rows
      },
    })
    await inWorld(
      async (world) => {
        onLook = () => world.clock.advance(5)
        const albumOwner = await newAlbumOwner(world)
        const begun = world.clock.now()
        const questions = [...aboutAll([await keep(world, albumOwner, bytes(10))]), about(newAssetId(), strange())]
        const { accountId } = albumOwner
        const verdicts = await verifyOver(world)({ accountId, questions, deep: false, signal: never })
        assert.ok(world.clock.now() > begun)
        assert.deepEqual(
          verdicts.map(({ checkedAt }) => checkedAt),
          [begun, begun],
        )
      },
      { around: { blobs: slowly, store: slowReads } },
    )()
  })

  it('looks at all objects of a long request, at most 32 in parallel', async () => {
    let [looking, maxLooking] = [0, 0]
    const counting = (real: Bytes): Bytes => ({
      ...real,
      async size(location) {
        looking += 1
        maxLooking = Math.max(maxLooking, looking)
        return real.size(location).finally(() => {
          looking -= 1
        })
      },
    })
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const kept = []
        for (let count = 0; count < 70; count += 1) kept.push(await keep(world, albumOwner, bytes(10)))
        const { accountId } = albumOwner
        const verdicts = await verifyOver(world)({ accountId, questions: aboutAll(kept), deep: false, signal: never })
        assert.equal(verdicts.filter(({ durable }) => durable).length, 70)
        assert.equal(maxLooking, 32)
      },
      { around: { blobs: counting } },
    )()
  })

  const damages = {
    'is missing': rm,
    'was cut short by a byte': (file: string) => truncate(file, 99),
    'was emptied': (file: string) => truncate(file, 0),
    'has grown by a byte': (file: string) => appendFile(file, 'x'),
  }
  for (const [damage, inflict] of Object.entries(damages)) {
    it(
      `is not stored for an object that ${damage}`,
      inWorld(async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, bytes(100))
        await inflict(fileOf(world, blob))
        assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob)), 'indexed original')
      }),
    )
  }

  it(
    'does not read bytes: only a deep scan detects a flipped bit',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blob = await keep(world, albumOwner, bytes(100))
      await flipBit(world, blob)
      const verdict = await askOne(verifyOver(world), albumOwner.accountId, blob)
      assert.equal(saidOf(verdict), WHOLE)
      assert.equal(verdict.blob.deep, undefined)
    }),
  )

  it(
    'is not retrievable for a marked object, though its bytes are there',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const blob = await keep(world, albumOwner, bytes(100))
      await mark(world, blob)
      assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob)), 'stored indexed original')
    }),
  )

  it(
    'is durable only if every hash that was asked for is',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const original = await keep(world, albumOwner, bytes(100))
      const { assetId } = original
      const metadata = await keep(world, albumOwner, bytes(50), { assetId, role: 'metadata' })
      await rm(fileOf(world, metadata))
      const ask = async (...hashes: Parameters<typeof about>[1][]) => {
        const questions = [about(assetId, ...hashes)]
        const [verdict] = await verifyOver(world)({
          accountId: albumOwner.accountId,
          questions,
          deep: false,
          signal: never,
        })
        return verdict?.durable
      }
      assert.equal(await ask(original.ciphertextHash), true)
      assert.equal(await ask(original.ciphertextHash, metadata.ciphertextHash), false)
      assert.equal(await ask(original.ciphertextHash, strange()), false)
      assert.equal(await ask(), false)
    }),
  )

  it('answers every question in order, repeated ones too, and looks at each object once', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const one = await keep(world, albumOwner, bytes(10))
        const derivative = await keep(world, albumOwner, bytes(20), { assetId: one.assetId, role: 'derivative' })
        const two = await keep(world, albumOwner, bytes(30))
        const none = strange()
        const questions = [
          about(two.assetId, two.ciphertextHash, none, two.ciphertextHash),
          about(one.assetId, derivative.ciphertextHash, one.ciphertextHash),
          about(two.assetId, two.ciphertextHash),
        ]
        const { accountId } = albumOwner
        const verdicts = await verifyOver(world)({ accountId, questions, deep: false, signal: never })
        assert.deepEqual(
          verdicts.map(({ assetId, blobs }) => ({ assetId, blobHashes: blobs.map(({ hash }) => hash) })),
          questions,
        )
        assert.deepEqual(
          verdicts.map(({ durable }) => durable),
          [false, true, true],
        )
        const whole = 'stored indexed retrievable'
        assert.deepEqual(
          verdicts.map(({ blobs }) => blobs.map(flagsOf)),
          [
            [`${whole} original`, 'unknown', `${whole} original`],
            [`${whole} derivative`, `${whole} original`],
            [`${whole} original`],
          ],
        )
        assert.equal(watch.calls.size.length, 3)
      },
      { around: { blobs: watch.around } },
    )()
  })
})

describe('a hash that the named asset does not hold', () => {
  it('is unknown, with every flag false, and the blob store is not asked', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const other = await newAlbumOwner(world)
        const own = await keep(world, albumOwner, bytes(100))
        const foreign = await keep(world, other, bytes(100))
        const deleted = await keep(world, albumOwner, bytes(100))
        await world.rules.assets.remove(albumOwner.accountId, deleted.assetId)
        const drop = await newDrop(world, albumOwner, bytes(100))
        const reserved = newAssetId()
        const { accountId, albumId } = albumOwner
        await world.store.write([], (tx) => tx.assets.reserve({ assetId: reserved, accountId, albumId }))
        const cases = {
          'a hash that no asset holds': about(own.assetId, strange()),
          'another account’s asset': about(foreign.assetId, foreign.ciphertextHash),
          'another account’s hash under an own asset': about(own.assetId, foreign.ciphertextHash),
          'an asset that does not exist': about(newAssetId(), own.ciphertextHash),
          'an asset without a landed blob': about(reserved, own.ciphertextHash),
          'a deleted asset, while its bytes are still there': about(deleted.assetId, deleted.ciphertextHash),
          'the hash of a pending drop': about(own.assetId, drop.ciphertextHash),
        }
        assert.equal(await world.blobs.size(deleted.location), 100)
        // Any look at the blob store throws.
        faults.arm('size')
        faults.arm('check')
        for (const deep of [false, true]) {
          const verdicts = await verifyOver(world)({
            accountId,
            questions: Object.values(cases),
            deep,
            signal: never,
          })
          for (const [at, name] of Object.keys(cases).entries()) {
            assert.equal(verdicts[at]?.durable, false, name)
            assert.deepEqual(verdicts[at]?.blobs.map(flagsOf), [UNKNOWN], name)
          }
        }
      },
      { around: faults.around },
    )()
  })

  it(
    'is unknown although another asset of the caller holds it',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const [one, two] = [await keep(world, albumOwner, bytes(100)), await keep(world, albumOwner, bytes(100))]
      const swapped = { assetId: one.assetId, ciphertextHash: two.ciphertextHash }
      assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, swapped)), UNKNOWN)
    }),
  )
})

describe('the same content under two roles', () => {
  for (const [name, broken, expected] of [
    ['answers by the first that landed', [], WHOLE],
    ['answers by the second when the first is missing', [0], WHOLE.replace('original', 'derivative')],
    ['answers by the first when the second is missing', [1], WHOLE],
    ['is not durable when both are missing', [0, 1], 'indexed original'],
  ] as const) {
    it(
      name,
      inWorld(async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [content, assetId] = [bytes(100), newAssetId()]
        const first = await keep(world, albumOwner, content, { assetId })
        const second = await keep(world, albumOwner, content, { assetId, role: 'derivative' })
        for (const at of broken) await rm(fileOf(world, at === 0 ? first : second))
        assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, first)), expected)
      }),
    )
  }

  it(
    'answers by the object that is not withheld',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const [content, assetId] = [bytes(100), newAssetId()]
      const first = await keep(world, albumOwner, content, { assetId })
      await keep(world, albumOwner, content, { assetId, role: 'metadata' })
      await mark(world, first)
      const verdict = await askOne(verifyOver(world), albumOwner.accountId, first)
      assert.equal(saidOf(verdict), WHOLE.replace('original', 'metadata'))
    }),
  )

  it(
    'answers by a withheld object when the other is missing',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const [content, assetId] = [bytes(100), newAssetId()]
      const first = await keep(world, albumOwner, content, { assetId })
      await mark(world, await keep(world, albumOwner, content, { assetId, role: 'metadata' }))
      await rm(fileOf(world, first))
      assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, first)), 'stored indexed metadata')
    }),
  )
})

describe('a store that fails', () => {
  it('affects one blob only when only its look fails, and the store is asked once whether it is there', async () => {
    const faults = createFaults()
    const watch = watchBlobs()
    const blobs = (real: Bytes) => watch.around(faults.around.blobs?.(real) ?? real)
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [one, two, three] = [
          await keep(world, albumOwner, bytes(10)),
          await keep(world, albumOwner, bytes(10)),
          await keep(world, albumOwner, bytes(10)),
        ]
        const questions = aboutAll([one, two, three])
        const ask = () => verifyOver(world)({ accountId: albumOwner.accountId, questions, deep: false, signal: never })
        await ask()
        assert.equal(watch.calls.check, 0)
        for (const error of [new StorageUnavailable('a test broke it'), new Error('a fault in our own code')]) {
          faults.arm('size', { location: two.location, error })
          const verdicts = await ask()
          assert.deepEqual(
            verdicts.map(({ durable }) => durable),
            [true, false, true],
          )
          assert.deepEqual(verdicts[1]?.blobs.map(flagsOf), ['indexed original'])
        }
        // Before the second look, and before the answer.
        assert.equal(watch.calls.check, 4)
        await rm(fileOf(world, one))
        await rm(fileOf(world, three))
        await ask()
        assert.equal(watch.calls.check, 6)
      },
      { around: { blobs } },
    )()
  })

  it('looks again where the first look failed, as the store may be back', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, bytes(10))
        faults.arm('size', { times: 1 })
        assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob)), WHOLE)
      },
      { around: faults.around },
    )()
  })

  it('gives an error and no verdict when the whole blob store is away', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, bytes(10))
        faults.arm('size')
        faults.arm('check')
        await assert.rejects(askOne(verifyOver(world), albumOwner.accountId, blob), StorageUnavailable)
        faults.disarm()
        assert.equal(saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob)), WHOLE)
        await rm(fileOf(world, blob))
        faults.arm('check')
        await assert.rejects(askOne(verifyOver(world), albumOwner.accountId, blob), StorageUnavailable)
      },
      { around: faults.around },
    )()
  })

  it('gives an error when the database is away', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, bytes(10))
        faults.arm('storeRead')
        await assert.rejects(askOne(verifyOver(world), albumOwner.accountId, blob), StorageUnavailable)
        faults.disarm()
        // A deep verdict reads the rows once more after the bytes.
        faults.arm('storeRead', { after: 1 })
        await assert.rejects(askOne(verifyOver(world), albumOwner.accountId, blob, true), StorageUnavailable)
      },
      { around: faults.around },
    )()
  })
})
