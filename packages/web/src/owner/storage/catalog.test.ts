import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangePage, Owner } from '@blindkeep/client/owner'
import { parseAssetId } from '@blindkeep/protocol/ids'
import { createAssetFeed } from '../assets/assetFeed.ts'
import { readCatalog } from './catalog.ts'

const [a, b] = ['a', 'b'].map((letter) => {
  const assetId = parseAssetId(`00000000-0000-4000-8000-00000000000${letter}`)
  return assetId ?? assert.fail()
})

function change(assetId: unknown, createdAt: string) {
  const blobs = ['original', 'metadata', 'provenance', 'derivative'].map((role, index) => ({ role, size: 10 ** index }))
  return { assetId, asset: { assetId, createdAt, blobs } }
}

describe('the catalog', () => {
  it('lists all assets, newest first, with the bytes that a deep check reads', async () => {
    const changes = [change(a, '2026-01-01'), change(b, '2026-01-02')]
    const page = { cursor: '1', changes, hasStartedOver: false } as unknown as ChangePage
    const onePage: Owner['changes'] = async function* () {
      yield page
    }
    const forgetful = { load: async () => 0, save: async () => undefined, lower: async () => undefined }
    const feed = createAssetFeed({ changes: onePage }, forgetful)
    const entries = await readCatalog(feed)
    assert.deepEqual(
      entries.map(({ assetId }) => assetId),
      [b, a],
    )
    assert.equal(entries[0]?.sealedBytes, 111, 'a preview is not read')
  })
})
