import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inWorld } from '../../testing/world.ts'
import { applySettings, SettingsDiffer, settledSettings, settleSettings } from './sharedSettings.ts'

const SOLE = { isSole: true }
const AMONG_OTHERS = { isSole: false }

describe('the settings that all nodes share', () => {
  it(
    'are those of the last start while there is one node',
    inWorld(async ({ store }) => {
      await settleSettings(store, { QUOTA_HARD_BYTES: 5, GC_GRACE_SECONDS: 60 }, SOLE)
      await settleSettings(store, { QUOTA_HARD_BYTES: null, GC_GRACE_SECONDS: 60 }, SOLE)
      assert.deepEqual(await store.read(settledSettings), { QUOTA_HARD_BYTES: null, GC_GRACE_SECONDS: 60 })
    }),
  )

  it(
    'are those of the first start of a node among others; one with other values is refused, and changes nothing',
    inWorld(async ({ store }) => {
      const first = { QUOTA_HARD_BYTES: 5, GC_GRACE_SECONDS: 60 }
      await settleSettings(store, first, AMONG_OTHERS)
      await settleSettings(store, first, AMONG_OTHERS)
      const other = settleSettings(store, { QUOTA_HARD_BYTES: null, GC_GRACE_SECONDS: 60 }, AMONG_OTHERS)
      await assert.rejects(
        other,
        (error) =>
          error instanceof SettingsDiffer &&
          /: QUOTA_HARD_BYTES is 5 there and unset here\. .*settings apply/.test(error.message),
      )
      assert.deepEqual(await store.read(settledSettings), first)
    }),
  )

  it(
    'change by a command, for the nodes that start afterwards',
    inWorld(async ({ store }) => {
      await settleSettings(store, { QUOTA_HARD_BYTES: 5 }, AMONG_OTHERS)
      const changes = await applySettings(store, { QUOTA_HARD_BYTES: 6 })
      assert.deepEqual(changes, [{ name: 'QUOTA_HARD_BYTES', from: 5, to: 6 }])
      await settleSettings(store, { QUOTA_HARD_BYTES: 6 }, AMONG_OTHERS)
      await assert.rejects(settleSettings(store, { QUOTA_HARD_BYTES: 5 }, AMONG_OTHERS), SettingsDiffer)
    }),
  )

  it(
    'may be more for a node of a newer release, and fewer for one of an older',
    inWorld(async ({ store }) => {
      await settleSettings(store, { QUOTA_HARD_BYTES: 5 }, AMONG_OTHERS)
      await settleSettings(store, { QUOTA_HARD_BYTES: 5, NEW_SECONDS: 1 }, AMONG_OTHERS)
      await settleSettings(store, { QUOTA_HARD_BYTES: 5 }, AMONG_OTHERS)
      assert.deepEqual(await store.read(settledSettings), { QUOTA_HARD_BYTES: 5, NEW_SECONDS: 1 })
    }),
  )
})
