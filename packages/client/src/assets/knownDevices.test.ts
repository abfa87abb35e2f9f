import assert from 'node:assert/strict'
import { it } from 'node:test'
import { instantOf } from '@blindkeep/protocol/ids'
import { createKnownDevices } from './knownDevices.ts'

it('remembered devices are read again after a minute, and when the clock was set, forwards or back', async () => {
  let [nowMs, reads] = [Date.UTC(2026, 0, 1), 0]
  const known = createKnownDevices({
    devices: async () => {
      reads++
      return []
    },
    environment: { now: () => instantOf(nowMs) },
  })
  const readsAfter = async (ms: number) => {
    nowMs += ms
    await known.using((devices) => devices())
    return reads
  }
  assert.deepEqual([await readsAfter(0), await readsAfter(59_000)], [1, 1])
  assert.equal(await readsAfter(2_000), 2)
  assert.equal(await readsAfter(7_200_000), 3)
  assert.equal(await readsAfter(-7_200_000), 4)
})
