/** What a guest can learn of other guests' files from what fits. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import { append, bytes, creation, land, newLink, notRefused, openDrop, uploadRow } from '../../testing/guest.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'

const CAP = 1_000_000
/** The file of another guest. */
const SECRET_SIZE = 123_457

interface Spy {
  /** Free bytes are at least `low` and less than `high`. */
  low: number
  high: number
}

async function declare(world: World, opaqueId: OpaqueId, size: number): Promise<UploadId | undefined> {
  const answer = await world.rules.drops.create(creation(opaqueId, bytes(1), { declaration: { size } }))
  return isRefusal(answer) ? undefined : answer
}

const cancel = async (world: World, uploadId: UploadId) => world.rules.ending.cancel(await uploadRow(world, uploadId))

const seen = async (world: World, opaqueId: OpaqueId) =>
  defined(notRefused(await world.rules.links.asGuestSees(opaqueId)).remainingBytes)

/** Bisects by what is accepted. What an honest server answers to a size between what is shown and what is free is 'no', beyond its few trials. */
async function bisectByAnswers(world: World, opaqueId: OpaqueId): Promise<Spy> {
  const spy: Spy = { low: 0, high: CAP }
  for (let count = 0; count < 60 && spy.high - spy.low > 1; count += 1) {
    const middle = Math.floor((spy.low + spy.high) / 2)
    const uploadId = await declare(world, opaqueId, middle)
    if (uploadId === undefined) spy.high = middle
    else {
      spy.low = middle
      await cancel(world, uploadId)
    }
  }
  return spy
}

/** Bisects by where the shown number steps, when a session of a chosen size is open. */
async function bisectBySteps(world: World, opaqueId: OpaqueId): Promise<Spy> {
  const [before, step] = [await seen(world, opaqueId), CAP / 100]
  const spy: Spy = { low: 0, high: step }
  for (let count = 0; count < 60 && spy.high - spy.low > 1; count += 1) {
    const middle = Math.floor((spy.low + spy.high) / 2)
    const uploadId = defined(await declare(world, opaqueId, middle))
    if ((await seen(world, opaqueId)) < before) spy.high = middle
    else spy.low = middle
    await cancel(world, uploadId)
  }
  return { low: before + spy.low, high: before + spy.high }
}

describe('a guest who tries sizes', () => {
  for (const [how, bisect] of [
    ['and looks at the answers', bisectByAnswers],
    ['and looks at what is left', bisectBySteps],
  ] as const)
    for (const limit of ['link', 'quota'] as const)
      it(
        `${how} does not find the size of another guest’s file, which the ${limit} bounds`,
        inWorld(
          async (world) => {
            const owner = await newAccount(world)
            const opaqueId = await newLink(world, limit === 'link' ? { maxTotalBytes: CAP } : {}, owner)
            await land(world, opaqueId, bytes(SECRET_SIZE))
            const { low, high } = await bisect(world, opaqueId)
            const isFound = low <= CAP - SECRET_SIZE && CAP - SECRET_SIZE < high && high - low <= 16
            assert.ok(!isFound, `between ${low} and ${high}`)
          },
          limit === 'quota' ? { settings: { quotaHardBytes: CAP } } : {},
        ),
      )

  it(
    'does not find it by the sessions that end for a larger one',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { maxTotalBytes: CAP })
      await land(world, opaqueId, bytes(SECRET_SIZE))
      const spy: Spy = { low: 0, high: CAP }
      for (let count = 0; count < 60 && spy.high - spy.low > 1; count += 1) {
        const own = await openDrop(world, opaqueId, bytes(50_000))
        world.clock.advance(11)
        // With the own session, of which the guest knows the size.
        const middle = Math.floor((spy.low + spy.high) / 2)
        const next = middle > 50_000 ? await declare(world, opaqueId, middle - 50_000) : undefined
        const isGone = (await uploadRow(world, own)).state !== 'open'
        if (isGone || next === undefined) spy.high = middle
        else spy.low = middle
        for (const uploadId of [own, next]) if (uploadId !== undefined) await cancel(world, uploadId)
      }
      assert.ok(spy.high - spy.low > 16 || spy.low > CAP - SECRET_SIZE || spy.high <= CAP - SECRET_SIZE)
    }),
  )
})

describe('an honest guest', () => {
  it(
    'fills a link and a quota to the last byte',
    inWorld(
      async (world) => {
        const opaqueId = await newLink(world, { maxTotalBytes: 1021 })
        for (const size of [333, 344, 344]) await land(world, opaqueId, bytes(size))
        assert.equal(await seen(world, opaqueId), 0)
        const other = await newLink(world)
        for (const size of [1000, 20, 1]) await land(world, other, bytes(size))
        assert.equal(await declare(world, other, 1), undefined)
      },
      { settings: { quotaHardBytes: 1021 } },
    ),
  )

  it(
    'is offered no more than the account has room for',
    inWorld(
      async (world) => {
        const owner = await newAccount(world)
        const [large, open] = [
          await newLink(world, { maxTotalBytes: 10_000_000_000 }, owner),
          await newLink(world, {}, owner),
        ]
        assert.deepEqual([await seen(world, large), await seen(world, open)], [20_000_000, 20_000_000])
        const session = await openDrop(world, open, bytes(300_000))
        assert.equal(await seen(world, large), 19_600_000)
        notRefused(await append(world, session, { offset: 0, bytes: bytes(1) }))
      },
      { settings: { quotaHardBytes: 20_000_000 } },
    ),
  )
})
