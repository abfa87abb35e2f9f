import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFile, rm, truncate } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { type AccountId, addSeconds, parseAccountId, parseSha256Hex } from '@blindkeep/protocol/ids'
import { type Blobs, DigestsBusy, StorageUnavailable } from '../ports/blobs.ts'
import { newAssetId, newKeeper } from '../testing/assets.ts'
import { createFaults } from '../testing/faults.ts'
import { bytes, never } from '../testing/guest.ts'
import {
  about,
  aboutAll,
  askOne,
  fileOf,
  flagsOf,
  flipBit,
  type KeptBlob,
  keep,
  mark,
  saidOf,
  verifyOver,
  watchBlobs,
} from '../testing/verify.ts'
import { inWorld, known, sha256, type World } from '../testing/world.ts'
import { createDeepScans } from './deepScans.ts'
import type { Verify } from './verify.ts'

const MEBIBYTE = 1024 * 1024
const INTACT = 'durable stored indexed retrievable original intact'
const LIMITED = 'durable stored indexed retrievable original rate_limited'
const CORRUPT = 'stored indexed original corrupt'
const UNREADABLE = 'indexed original'

/** What was found of each of these blobs, asked for one by one in one request. */
async function askEach(verify: Verify, accountId: AccountId, blobs: readonly KeptBlob[]): Promise<readonly string[]> {
  const verdicts = await verify({ accountId, questions: aboutAll(blobs), deep: true, signal: never })
  return verdicts.map(({ durable, blobs }) => `${durable ? 'durable ' : ''}${blobs.map(flagsOf).join(', ')}`)
}

describe('a deep verdict', () => {
  it('is intact for bytes that are those of the receipt, of any size, and the bytes are not read without being asked for', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        for (const size of [1, 1000, 3 * MEBIBYTE]) {
          const blob = await keep(world, keeper, bytes(size))
          await askOne(verifyOver(world), keeper.accountId, blob)
          assert.deepEqual(watch.calls.digest, [])
          assert.equal(saidOf(await askOne(verifyOver(world), keeper.accountId, blob, true)), INTACT)
          assert.deepEqual(watch.calls.digest.splice(0), [blob.location])
        }
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'is corrupt for one bit that was flipped: not retrievable, not durable',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      for (const size of [1, 1000, 3 * MEBIBYTE]) {
        const blob = await keep(world, keeper, bytes(size))
        await flipBit(world, blob)
        assert.equal(saidOf(await askOne(verifyOver(world), keeper.accountId, blob, true)), CORRUPT)
      }
    }),
  )

  const changes = {
    'was cut after it was looked at': (file: string) => truncate(file, 50),
    'grew after it was looked at': (file: string) => appendFile(file, 'x'),
  }
  for (const [name, change] of Object.entries(changes)) {
    it(`is corrupt for a copy that ${name}`, async () => {
      const watch = watchBlobs()
      await inWorld(
        async (world) => {
          const keeper = await newKeeper(world)
          const blob = await keep(world, keeper, bytes(100))
          watch.beforeDigest(() => change(fileOf(world, blob)))
          assert.equal(saidOf(await askOne(verifyOver(world), keeper.accountId, blob, true)), CORRUPT)
        },
        { around: { blobs: watch.around } },
      )()
    })
  }

  it('is absent for what is not stored, which is not read', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const [missing, cut] = [await keep(world, keeper, bytes(100)), await keep(world, keeper, bytes(100))]
        await rm(fileOf(world, missing))
        await truncate(fileOf(world, cut), 99)
        const said = await askEach(verifyOver(world), keeper.accountId, [missing, cut])
        assert.deepEqual(said, [UNREADABLE, UNREADABLE])
        assert.deepEqual(watch.calls.digest, [])
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'does not make a copy retrievable that the collector has marked',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const blob = await keep(world, keeper, bytes(100))
      await mark(world, blob)
      const verdict = await askOne(verifyOver(world), keeper.accountId, blob, true)
      assert.equal(saidOf(verdict), 'stored indexed original intact')
    }),
  )

  it('of the same content under two roles answers by an intact copy, and by the first when there is none', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const [content, assetId] = [bytes(100), newAssetId()]
        const first = await keep(world, keeper, content, { assetId })
        const second = await keep(world, keeper, content, { assetId, role: 'derivative' })
        const ask = async () => saidOf(await askOne(verifyOver(world), keeper.accountId, first, true))
        assert.equal(await ask(), INTACT)
        assert.deepEqual(watch.calls.digest.splice(0), [first.location])
        await flipBit(world, first)
        assert.equal(await ask(), INTACT.replace('original', 'derivative'))
        await flipBit(world, second)
        assert.equal(await ask(), CORRUPT)
        await rm(fileOf(world, first))
        assert.equal(await ask(), CORRUPT.replace('original', 'derivative'))
      },
      { around: { blobs: watch.around } },
    )()
  })

  it('reads a copy once in a request, however often it is asked for, and answers every time', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const [good, bad] = [await keep(world, keeper, bytes(100)), await keep(world, keeper, bytes(100))]
        await flipBit(world, bad)
        const questions = [
          about(bad.assetId, bad.ciphertextHash, bad.ciphertextHash),
          about(good.assetId, good.ciphertextHash, good.ciphertextHash),
          about(bad.assetId, bad.ciphertextHash),
        ]
        // As much as two scans take.
        const verify = verifyOver(world, { deepBytesPerHour: 2 * MEBIBYTE })
        const { accountId } = keeper
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

describe('a copy that cannot be read', () => {
  it('is not stored and has no deep, while the others are scanned; its budget is given back', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const [bad, good] = [await keep(world, keeper, bytes(100)), await keep(world, keeper, bytes(100))]
        const { location } = bad
        const verify = verifyOver(world, { deepBytesPerHour: 2 * MEBIBYTE })
        for (const error of [new StorageUnavailable('a test broke it'), new Error('the thread has ended')]) {
          faults.arm('digest', { location, error })
          assert.deepEqual(await askEach(verify, keeper.accountId, [bad, good]), [UNREADABLE, INTACT])
          faults.disarm()
          world.clock.advance(3600)
        }
        faults.arm('digest', { location, times: 1 })
        await askOne(verify, keeper.accountId, bad, true)
        assert.deepEqual(await askEach(verify, keeper.accountId, [bad, good]), [INTACT, INTACT])
      },
      { around: faults.around },
    )()
  })

  it('because it has gone meanwhile is not stored', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const blob = await keep(world, keeper, bytes(100))
        watch.beforeDigest(() => rm(fileOf(world, blob)))
        assert.equal(saidOf(await askOne(verifyOver(world), keeper.accountId, blob, true)), UNREADABLE)
      },
      { around: { blobs: watch.around } },
    )()
  })

  it('because the whole store has gone meanwhile is a failure, and no verdict', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const blob = await keep(world, keeper, bytes(100))
        faults.arm('digest')
        faults.arm('freeBytes')
        await assert.rejects(askOne(verifyOver(world), keeper.accountId, blob, true), StorageUnavailable)
      },
      { around: faults.around },
    )()
  })

  it('because too many are being read is rate_limited, and charged nothing', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const blob = await keep(world, keeper, bytes(100))
        const verify = verifyOver(world, { deepBytesPerHour: MEBIBYTE })
        faults.arm('digest', { times: 1, error: new DigestsBusy('too many') })
        assert.equal(saidOf(await askOne(verify, keeper.accountId, blob, true)), LIMITED)
        assert.equal(saidOf(await askOne(verify, keeper.accountId, blob, true)), INTACT)
      },
      { around: faults.around },
    )()
  })
})

describe('the budget of an account', () => {
  it('counts a small copy as a mebibyte; past it the structural verdict stands, until the hour is over', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const [keeper, other] = [await newKeeper(world), await newKeeper(world)]
        const first = await keep(world, keeper, bytes(1))
        const blobs = [first, await keep(world, keeper, bytes(1)), await keep(world, keeper, bytes(1))]
        const verify = verifyOver(world, { deepBytesPerHour: 2 * MEBIBYTE + 1 })
        assert.deepEqual(await askEach(verify, keeper.accountId, blobs), [INTACT, INTACT, LIMITED])
        await rm(fileOf(world, first))
        assert.deepEqual(await askEach(verify, keeper.accountId, blobs), [UNREADABLE, LIMITED, LIMITED])
        assert.equal(watch.calls.digest.length, 2)
        assert.deepEqual(await askEach(verify, other.accountId, [await keep(world, other, bytes(1))]), [INTACT])
        world.clock.advance(3600)
        assert.deepEqual(await askEach(verify, keeper.accountId, blobs), [UNREADABLE, INTACT, INTACT])
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'goes on with a smaller copy when a larger one does not fit',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const blobs = [
        await keep(world, keeper, bytes(1)),
        await keep(world, keeper, bytes(2 * MEBIBYTE + 1)),
        await keep(world, keeper, bytes(2 * MEBIBYTE)),
        await keep(world, keeper, bytes(1)),
      ]
      const verify = verifyOver(world, { deepBytesPerHour: 3 * MEBIBYTE })
      assert.deepEqual(await askEach(verify, keeper.accountId, blobs), [INTACT, LIMITED, INTACT, LIMITED])
    }),
  )

  it(
    'lets a copy that is larger than all of it be read when it is full',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const [large, small] = [await keep(world, keeper, bytes(3 * MEBIBYTE)), await keep(world, keeper, bytes(1))]
      const verify = verifyOver(world, { deepBytesPerHour: 2 * MEBIBYTE })
      assert.deepEqual(await askEach(verify, keeper.accountId, [small, large]), [INTACT, LIMITED])
      world.clock.advance(3600)
      assert.deepEqual(await askEach(verify, keeper.accountId, [large, small]), [INTACT, LIMITED])
    }),
  )

  it('has room for the small blobs of an asset beside an original that is larger than all of it', async () => {
    // No test has a tebibyte: what stands in for the disk says at once what it would.
    const quick = (real: Blobs): Blobs => ({
      ...real,
      digest: async (location, size) => ({ sha256: known(parseSha256Hex(location.slice(3, 67))), size }),
    })
    await inWorld(
      async ({ blobs, limiter, settings }) => {
        const scans = createDeepScans({ blobs, limiter, giveUpAfter: () => never, suspect: () => undefined }, settings)
        const copies = [2 ** 40, 1, 1].map((size) => {
          const ciphertextHash = sha256(bytes(8))
          return {
            role: 'original',
            ciphertextHash,
            size,
            location: `ab/${ciphertextHash}`,
            copyState: 'kept',
            damagedAt: undefined,
            isOnHold: false,
          } as const
        })
        for (const order of [copies, copies.toReversed()]) {
          const accountId = known(parseAccountId(randomUUID()))
          await scans.inTurn({ accountId, signal: never }, async (scan) => {
            for (const copy of order) assert.equal(await scan(copy), 'intact')
          })
        }
      },
      { around: { blobs: quick } },
    )()
  })

  it('is not taken from for a request that goes between two scans', async () => {
    const reason = new Error('gone')
    const gone = new AbortController()
    const leaving = (real: Blobs): Blobs => ({
      ...real,
      digest: (...scan) => real.digest(...scan).finally(() => gone.abort(reason)),
    })
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const { accountId } = keeper
        const blobs = [await keep(world, keeper, bytes(1)), await keep(world, keeper, bytes(1))]
        const verify = verifyOver(world, { deepBytesPerHour: 2 * MEBIBYTE })
        const questions = aboutAll(blobs)
        await assert.rejects(verify({ accountId, questions, deep: true, signal: gone.signal }), reason)
        assert.deepEqual(await askEach(verify, accountId, blobs), [INTACT, LIMITED])
      },
      { around: { blobs: leaving } },
    )()
  })

  it('that is used up leaves a verdict of the time of its structural look', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const begun = world.clock.now()
        watch.beforeDigest(async () => world.clock.advance(60))
        const questions = aboutAll([await keep(world, keeper, bytes(1)), await keep(world, keeper, bytes(1))])
        const verify = verifyOver(world, { deepBytesPerHour: 1 })
        const verdicts = await verify({ accountId: keeper.accountId, questions, deep: true, signal: never })
        assert.deepEqual(
          verdicts.map(({ checkedAt }) => checkedAt),
          [addSeconds(begun, 60), begun],
        )
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'never hides what is structurally wrong',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const { accountId } = keeper
      const original = await keep(world, keeper, bytes(10))
      const { assetId } = original
      const metadata = await keep(world, keeper, bytes(10), { assetId, role: 'metadata' })
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

describe('what happens to an asset while its bytes are read', () => {
  const events: Record<
    string,
    { happens: (world: World, blob: KeptBlob, accountId: AccountId) => Promise<unknown>; said: string }
  > = {
    'that it is deleted': {
      happens: (world, { assetId }, accountId) => world.rules.assets.remove(accountId, assetId),
      said: 'unknown',
    },
    'that the collector marks its copy': { happens: mark, said: 'stored indexed original intact' },
  }
  for (const [name, { happens, said }] of Object.entries(events)) {
    it(`counts: ${name}`, async () => {
      const watch = watchBlobs()
      await inWorld(
        async (world) => {
          const keeper = await newKeeper(world)
          const blob = await keep(world, keeper, bytes(100))
          watch.beforeDigest(async () => {
            world.clock.advance(60)
            await happens(world, blob, keeper.accountId)
          })
          const verdict = await askOne(verifyOver(world), keeper.accountId, blob, true)
          assert.equal(saidOf(verdict), said)
          assert.equal(verdict.checkedAt, world.clock.now())
        },
        { around: { blobs: watch.around } },
      )()
    })
  }
})
