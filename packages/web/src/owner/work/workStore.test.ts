/** Node has no IndexedDB, like a browser that stores nothing. In one that does: `e2e/longWork.whole.test.ts`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAccountId, parseDropId } from '@blindkeep/protocol/ids'
import { createWorkStore, deleteWorks, storedWorkCount } from './workStore.ts'

const baseUrl = 'https://keep.example'

describe('work in a browser that stores nothing', () => {
  it('goes on: nothing is stored, and no call fails', async () => {
    const accountId = parseAccountId('018f4c2e-0000-7000-8000-000000000001')
    const id = parseDropId('018f4c2e-0000-7000-8000-000000000002')
    assert.ok(accountId !== undefined && id !== undefined)
    const store = createWorkStore({ owner: { accountId, accountKey: new Uint8Array(32) }, baseUrl })
    const order = { kind: 'discard', items: [{ do: 'discard', id }] } as const
    await store.store({ id: 'work', order, begun: new Set(), total: 1, begunAt: 0 }, 'page')
    await store.markBegun(id)
    await store.forgetItems([id])
    await store.forget('work')
    assert.deepEqual(await store.pages(), [])
    assert.deepEqual(await store.takeOver('page', 'another'), [])
    await deleteWorks({ accountId, baseUrl })
    assert.equal(await storedWorkCount({ accountId, baseUrl }), 0)
  })
})
