import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startDiskWatch } from './diskWatch.ts'

const FLOOR = 2 * 1024 ** 3

it('a disk below its floor is said at the start and again at each look, with the figures, until there is room', async () => {
  const said: string[] = []
  let freeBytes = 1024 ** 3
  let looks = 0
  const { promise: hasLooked, resolve } = Promise.withResolvers<void>()
  const say = (level: string) => (event: string, facts: unknown) => {
    said.push(`${level} ${event} ${JSON.stringify(facts)}`)
    if (level === 'info') resolve()
  }
  const disk = {
    async check() {
      looks += 1
      if (looks === 3) freeBytes = FLOOR
      return freeBytes
    },
  }
  const log = { info: say('info'), warn: say('warn'), error: say('error') }
  const watch = await startDiskWatch({ disk, floorBytes: FLOOR, log, pauseMs: 1 })
  assert.match(watch.warnings.join(), /^The disk has .* below FREE_SPACE_FLOOR_BYTES .*\.$/)
  // The timer of the watch does not keep a process.
  const alive = setInterval(() => undefined, 1000)
  await hasLooked
  clearInterval(alive)
  watch.stop()
  const low = `warn the disk is below its floor: uploads are refused {"freeBytes":${1024 ** 3},"floorBytes":${FLOOR}}`
  assert.deepEqual(said, [
    low,
    low,
    `info the disk is above its floor again {"freeBytes":${FLOOR},"floorBytes":${FLOOR}}`,
  ])
})
