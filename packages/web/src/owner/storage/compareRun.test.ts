import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetFacts } from '@blindkeep/client/owner'
import { type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import { verdictOn } from './compare.ts'
import { createCompareRun } from './compareRun.ts'

const ID = parseAssetId('00000000-0000-4000-8000-000000000001')
assert.ok(ID !== undefined)

const stored = (changed: Partial<Record<'album' | 'metadata' | 'preview', string>> = {}) =>
  ({
    assetId: ID,
    albumId: changed.album ?? 'album',
    createdAt: '2026-01-01T10:00:00Z',
    envelope: { plaintext_size: 2 },
    blobs: [
      { role: 'original', hash: 'a', size: 3 },
      { role: 'metadata', hash: changed.metadata ?? 'b', size: 3 },
      ...(changed.preview === undefined ? [] : [{ role: 'derivative', hash: changed.preview, size: 3 }]),
    ],
  }) as unknown as AssetFacts

/** A copy that the client has confirmed, and the list of stored files as it is then. */
async function confirmed(list: () => ReadonlyMap<AssetId, AssetFacts> | Error, onVerified = () => {}) {
  const run = createCompareRun({
    baseUrl: 'http://127.0.0.1',
    feed: {
      refresh: async () => {
        const assets = list()
        if (assets instanceof Error) throw assets
        return assets
      },
    },
    owner: {
      describeAsset: async () => assert.fail('its name is of no use'),
      verifyBeforeDestroying: async () => {
        onVerified()
        return { safe: true, examined: 'deep', checkedAt: '2026-01-01T11:00:00Z', receipts: { keys: [] } } as never
      },
    },
  })
  await run.add([{ file: new File(['12'], 'x'), name: 'x' }])
  return run
}

const only = (facts: AssetFacts) => new Map([[facts.assetId, facts]])

describe('a confirmed copy', () => {
  for (const [what, later, answer] of [
    ['deleted', new Map<AssetId, AssetFacts>(), 'no'],
    ['in another album', only(stored({ album: 'other' })), 'no'],
    ['changed', only(stored({ metadata: 'c' })), 'no'],
    ['shown with a preview', only(stored({ preview: 'd' })), 'yes'],
    ['not known any more, without an answer', new Error('offline'), 'none'],
  ] as const)
    it(`is ${answer === 'yes' ? 'still' : 'not'} confirmed when the stored file is ${what}`, async () => {
      let list: ReadonlyMap<AssetId, AssetFacts> | Error = only(stored())
      const run = await confirmed(() => list)
      assert.equal(verdictOn(run.get()).answer, 'yes')
      list = later
      const reviewed = run.review()
      assert.equal(verdictOn(run.get()).answer, 'none', 'nothing is a yes before the list is there')
      await reviewed
      assert.equal(verdictOn(run.get()).answer, answer)
    })

  it('is confirmed again, without the error, when the list can be had again', async () => {
    let list: ReadonlyMap<AssetId, AssetFacts> | Error = only(stored())
    const run = await confirmed(() => list)
    list = new Error('offline')
    await run.review()
    assert.equal(run.get().error, list)
    list = only(stored())
    await run.review()
    assert.deepEqual([verdictOn(run.get()).answer, run.get().error], ['yes', undefined])
  })

  it('is not confirmed when the stored file is deleted while it is compared', async () => {
    let list = only(stored())
    const run = await confirmed(
      () => list,
      () => {
        list = new Map()
      },
    )
    assert.equal(verdictOn(run.get()).answer, 'no')
  })
})
