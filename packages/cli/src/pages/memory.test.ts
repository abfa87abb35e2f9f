import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seenByPage } from './memory.ts'

const SERVER = 'https://keep.example'
const DEVICE = '0198f0a0-0000-7000-8000-000000000001'

describe('what a page writes', () => {
  it('is its record, revoked devices and the keys of the server, each if it is there', () => {
    assert.deepEqual(seenByPage({ version: 3 }, SERVER), {
      version: 3,
      seen: undefined,
      revoked: undefined,
      pins: undefined,
    })
    const revoked = [[DEVICE, '2026-01-01T00:00:00Z']]
    assert.deepEqual(seenByPage({ version: 3, seen: { a: 1 }, revoked }, SERVER), {
      version: 3,
      seen: { a: 1 },
      revoked,
      pins: undefined,
    })
    assert.equal(seenByPage({ version: 0, pins: { serverId: SERVER, keys: [] } }, SERVER)?.pins?.serverId, SERVER)
  })

  it('is nothing else, and no keys of another server or of one that has moved', () => {
    for (const json of [
      undefined,
      null,
      'x',
      [],
      {},
      { version: -1 },
      { version: 0, seen: 'x' },
      { version: 0, revoked: {} },
      { version: 0, revoked: [['x', 'y']] },
      { version: 0, revoked: [[DEVICE, 1]] },
      { version: 0, pins: {} },
      { version: 0, pins: { serverId: 'https://other.example', keys: [] } },
      { version: 0, pins: { serverId: SERVER, keys: [], movedTo: 'https://other.example' } },
    ])
      assert.equal(seenByPage(json, SERVER), undefined, JSON.stringify(json))
  })
})
