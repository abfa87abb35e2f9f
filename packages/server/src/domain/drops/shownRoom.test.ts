/** What a guest is shown of the room that is left. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import { append, bytes, creation, land, newLink, notRefused, openDrop } from '../../testing/guest.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'

const CAP = 1_000_000

async function declare(world: World, opaqueId: OpaqueId, size: number): Promise<UploadId | undefined> {
  const answer = await world.rules.drops.create(creation(opaqueId, bytes(1), { declaration: { size } }))
  return isRefusal(answer) ? undefined : answer
}

const seen = async (world: World, opaqueId: OpaqueId) =>
  defined(notRefused(await world.rules.links.asGuestSees(opaqueId)).remainingBytes)

describe('what a guest is shown', () => {
  for (const limit of ['link', 'quota'] as const)
    it(
      `is what is free of the ${limit}, rounded down to a hundredth, with sessions on their way as large as declared`,
      inWorld(
        async (world) => {
          const owner = await newAccount(world)
          const opaqueId = await newLink(world, limit === 'link' ? { maxTotalBytes: CAP } : {}, owner)
          assert.equal(await seen(world, opaqueId), CAP)
          await land(world, opaqueId, bytes(123_457))
          assert.equal(await seen(world, opaqueId), 870_000)
          for (let count = 0; count < 9; count += 1) defined(await declare(world, opaqueId, 1))
          assert.equal(await seen(world, opaqueId), 870_000)
          assert.equal(await declare(world, opaqueId, CAP - 123_457 - 8), undefined)
          defined(await declare(world, opaqueId, CAP - 123_457 - 9))
          assert.equal(await seen(world, opaqueId), 0)
        },
        limit === 'quota' ? { settings: { quotaHardBytes: CAP } } : {},
      ),
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
