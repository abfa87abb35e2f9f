import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Log } from '../ports/log.ts'
import { append, bytes, newLink, notRefused, openDrop } from '../testing/guest.ts'
import { inWorld, type World } from '../testing/world.ts'
import { openConditionWatch } from './conditions.ts'

const FLOOR = 2 * 1024 ** 3
/** More than any condition of these tests lasts. */
const MAX_LOOKS = 10

interface Scene {
  readonly checkPlaces?: () => Promise<void>
  /** Before the look of this number, from 1. */
  readonly before: (look: number) => void
  readonly freeBytes: () => number
}

/** Watches until a condition has ended. Returns the warnings of the start and what was logged. */
async function watched({ store, clock }: World, { before, freeBytes, checkPlaces }: Scene) {
  const said: string[] = []
  let hasEnded = false
  const say = (level: keyof Log) => (event: string, facts: unknown) => {
    said.push(`${level} ${event} ${JSON.stringify(facts)}`)
    if (level === 'info') hasEnded = true
  }
  let looks = 0
  const disk = {
    async check() {
      looks += 1
      before(looks)
      return freeBytes()
    },
    ...(checkPlaces && { checkPlaces }),
  }
  const log = { info: say('info'), warn: say('warn'), error: say('error') }
  const watch = await openConditionWatch({ disk, store, clock, floorBytes: FLOOR, log })
  while (!hasEnded && looks < MAX_LOOKS) await watch.look()
  return { warnings: watch.warnings, words: watch.words(), said: [...new Set(said)], times: said.length }
}

describe('at the start and again at each look, until it has ended, the server says', () => {
  it(
    'that the disk is below its floor, with the figures',
    inWorld(async (world) => {
      // At the floor nothing is left above it.
      let freeBytes = FLOOR
      const before = (look: number) => {
        if (look === 3) freeBytes = FLOOR + 1
      }
      const { warnings, said, times } = await watched(world, { before, freeBytes: () => freeBytes })
      assert.match(warnings.join(), /^The disk has .* below FREE_SPACE_FLOOR_BYTES .*\.$/)
      assert.deepEqual(said, [
        `warn the disk is below its floor: uploads are refused {"freeBytes":${FLOOR},"floorBytes":${FLOOR}}`,
        `info the disk is above its floor again {"freeBytes":${FLOOR + 1},"floorBytes":${FLOOR}}`,
      ])
      assert.equal(times, 3)
    }),
  )

  it(
    'that a directory takes no objects, with the reason',
    inWorld(async (world) => {
      const place = join(world.blobsDirectory, 'ab')
      await rename(place, `${place}.away`)
      let looks = 0
      const checkPlaces = async () => {
        looks += 1
        if (looks === 2) await rename(`${place}.away`, place)
        await world.blobs.checkPlaces?.()
      }
      const { warnings, words, said } = await watched(world, {
        before: () => {},
        freeBytes: () => FLOOR + 1,
        checkPlaces,
      })
      assert.match(warnings.join(), new RegExp(`^A directory of objects cannot be written, .*ENOENT.*${place}`))
      assert.deepEqual(words, [])
      assert.equal(said.length, 2)
      assert.match(String(said[0]), new RegExp(`^warn a directory of objects cannot be written.*"reason":".*${place}`))
      assert.equal(said[1], 'info all directories of objects can be written again {}')
    }),
  )

  it(
    'that the clock was set back behind the last receipt by more than a minute',
    inWorld(async (world) => {
      const content = bytes(10)
      notRefused(
        await append(world, await openDrop(world, await newLink(world), content), { offset: 0, bytes: content }),
      )
      world.clock.advance(-3600)
      const before = (look: number) => {
        if (look === 3) world.clock.advance(3540)
      }
      const { warnings, said } = await watched(world, { before, freeBytes: () => FLOOR + 1 })
      assert.match(warnings.join(), /^The clock is 3600 s behind the last receipt\./)
      assert.deepEqual(said, [
        'warn the clock is behind the last receipt: new receipts have the date of that one {"behindSeconds":3600}',
        'info the clock is no longer behind the last receipt {"behindSeconds":60}',
      ])
    }),
  )
})
