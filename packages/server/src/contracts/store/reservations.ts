import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linkCapsOf } from '@blindkeep/protocol/schemas/links'
import fc from 'fast-check'
import type { LinkCaps, Store } from '../../ports/store.ts'
import { accountId, at, atOnce, countTrue, type InStore, link, opaqueId, seed } from './world.ts'

export function describeReservations(inStore: InStore): void {
  describe('reservations on a link', () => {
    describeRaces(inStore)
    describeCounting(inStore)
    describeDeadLinks(inStore)
    describeArithmetic(inStore)
  })
}

const noCaps: LinkCaps = {
  expiresAt: undefined,
  ...linkCapsOf({}),
  singleUse: false,
}

async function counters(store: Store, number: number): Promise<readonly (number | undefined)[]> {
  const found = await store.read((tx) => tx.links.find(opaqueId(number)))
  return [found?.openSessions, found?.openBytes, found?.landedFiles, found?.landedBytes]
}

function describeRaces(inStore: InStore): void {
  const races: readonly { name: string; caps: Partial<LinkCaps>; max: number; room: number }[] = [
    { name: 'a number of files', caps: { maxFileCount: 7 }, max: 64, room: 7 },
    { name: 'a number of bytes that is full to the last one', caps: { maxTotalBytes: 130 }, max: 64, room: 13 },
    { name: 'a number of bytes with a rest too small', caps: { maxTotalBytes: 139 }, max: 64, room: 13 },
    { name: 'open sessions', caps: {}, max: 5, room: 5 },
    { name: 'all of them', caps: { maxFileCount: 9, maxTotalBytes: 89, maxFileSize: 10 }, max: 9, room: 8 },
    { name: 'nothing, as no file is that small', caps: { maxFileSize: 9 }, max: 64, room: 0 },
    { name: 'no file at all', caps: { maxFileCount: 0 }, max: 64, room: 0 },
    { name: 'any number while it is for a single use', caps: { singleUse: true }, max: 64, room: 64 },
  ]
  for (const { name, caps, max, room } of races) {
    it(
      `admits exactly the ${room} of 64 simultaneous files that fit into a link that takes ${name}`,
      inStore(async (store) => {
        await seed(store)
        await store.write([], (tx) => tx.links.insert(link(3, caps)))
        const admitted = await atOnce(store, 64, (tx) =>
          tx.links.reserve(opaqueId(3), { size: 10, at: at(5), maxOpenSessions: max }),
        )
        assert.equal(countTrue(admitted), room)
        assert.deepEqual(await counters(store, 3), [room, room * 10, 0, 0])
      }),
    )
  }
}

function describeCounting(inStore: InStore): void {
  const reservation = { size: 10, at: at(5), maxOpenSessions: 64 }

  it(
    'marks a single-use link as spent at its first landing, and no other link',
    inStore(async (store) => {
      await seed(store)
      const spent = await store.write([], async (tx) => {
        await tx.links.insert(link(3, { singleUse: true }))
        for (const number of [1, 3, 3]) await tx.links.reserve(opaqueId(number), reservation)
        const answers = [
          await tx.links.land([{ opaqueId: opaqueId(1), files: 1, bytes: 10 }], at(6)),
          await tx.links.land([{ opaqueId: opaqueId(3), files: 1, bytes: 10 }], at(7)),
          await tx.links.land([{ opaqueId: opaqueId(3), files: 1, bytes: 10 }], at(8)),
        ]
        assert.deepEqual(answers, [[], [opaqueId(3)], [opaqueId(3)]])
        return [(await tx.links.find(opaqueId(1)))?.spentAt, (await tx.links.find(opaqueId(3)))?.spentAt]
      })
      assert.deepEqual(spent, [undefined, at(7)])
      assert.equal(await store.write([], (tx) => tx.links.reserve(opaqueId(3), reservation)), false)
    }),
  )

  it(
    'throws if more is released or landed than was reserved, and changes nothing',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.links.reserve(opaqueId(1), reservation))
      await assert.rejects(store.write([], (tx) => tx.links.release(opaqueId(1), 11)))
      await assert.rejects(
        store.write([], (tx) => tx.links.land([{ opaqueId: opaqueId(1), files: 1, bytes: 11 }], at(6))),
      )
      assert.deepEqual(await counters(store, 1), [1, 10, 0, 0])
      await store.write([], (tx) => tx.links.release(opaqueId(1), 10))
      await assert.rejects(store.write([], (tx) => tx.links.release(opaqueId(1), 0)))
      await assert.rejects(
        store.write([], (tx) => tx.links.land([{ opaqueId: opaqueId(9), files: 1, bytes: 0 }], at(6))),
      )
      await assert.rejects(store.write([], (tx) => tx.links.release(opaqueId(9), 0)))
    }),
  )
}

function describeDeadLinks(inStore: InStore): void {
  it(
    'refuses a reservation on a revoked, expired or unknown link',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.links.insert(link(3, { expiresAt: at(100) }))
        await tx.links.revoke(opaqueId(1), accountId(1), at(1))
      })
      const reserve = (number: number, seconds: number) =>
        store.write([], (tx) => tx.links.reserve(opaqueId(number), { size: 1, at: at(seconds), maxOpenSessions: 64 }))
      assert.deepEqual(await Promise.all([reserve(1, 50), reserve(3, 100), reserve(9, 50)]), [false, false, false])
      assert.equal(await reserve(3, 99), true)
      assert.deepEqual(await counters(store, 1), [0, 0, 0, 0])
    }),
  )
}

const size = fc.oneof(
  fc.integer({ min: 1, max: 60 }),
  fc.maxSafeNat().filter((value) => value > 0),
)
const cap = (value: fc.Arbitrary<number>) => fc.option(value, { nil: undefined })
const step = fc.record({ kind: fc.constantFrom('reserve', 'reserve', 'release', 'land'), size })

/** The rule of the caps, in numbers of any size. */
function admits(caps: LinkCaps, open: readonly number[], landed: readonly number[], size: number): boolean {
  const sum = [...open, ...landed, size].reduce((total, each) => total + BigInt(each), 0n)
  return (
    size <= (caps.maxFileSize ?? size) &&
    open.length + landed.length < (caps.maxFileCount ?? Number.POSITIVE_INFINITY) &&
    sum <= BigInt(caps.maxTotalBytes ?? Number.MAX_SAFE_INTEGER)
  )
}

function describeArithmetic(inStore: InStore): void {
  it(
    'counts correctly for any caps and any order of events',
    inStore(async (store) => {
      await seed(store)
      let number = 100
      const caps = fc.record({
        maxTotalBytes: cap(fc.oneof(fc.nat(200), fc.maxSafeNat())),
        maxFileCount: cap(fc.nat(6)),
        maxFileSize: cap(fc.oneof(fc.nat(60), fc.maxSafeNat())),
      })
      const property = fc.asyncProperty(caps, fc.array(step, { maxLength: 30 }), async (given, steps) => {
        number += 1
        const inserted = link(number, { ...noCaps, ...given })
        await store.write([], async (tx) => {
          await tx.links.insert(inserted)
          const open: number[] = []
          const landed: number[] = []
          for (const { kind, size } of steps) {
            if (kind === 'reserve') {
              const admitted = await tx.links.reserve(inserted.opaqueId, { size, at: at(5), maxOpenSessions: 64 })
              assert.equal(admitted, admits(inserted, open, landed, size))
              if (admitted) open.push(size)
              continue
            }
            const reserved = open.shift()
            if (reserved === undefined) continue
            if (kind === 'release') await tx.links.release(inserted.opaqueId, reserved)
            else {
              await tx.links.land([{ opaqueId: inserted.opaqueId, files: 1, bytes: reserved }], at(6))
              landed.push(reserved)
            }
          }
          const total = (sizes: readonly number[]) => sizes.reduce((sum, each) => sum + each, 0)
          const found = await tx.links.find(inserted.opaqueId)
          assert.deepEqual(
            [found?.openSessions, found?.openBytes, found?.landedFiles, found?.landedBytes],
            [open.length, total(open), landed.length, total(landed)],
          )
        })
      })
      await fc.assert(property, { numRuns: 200 })
    }),
  )
}
