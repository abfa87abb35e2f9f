import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeCbor } from '@blindkeep/protocol/cbor'
import { HEADER_BLOCK_BYTES, MAX_HEADER_BLOCKS } from '@blindkeep/protocol/suites'
import { sealedNameOf } from './sealedName.ts'

describe('the sealed name', () => {
  it('starts with the folder’s path', () => {
    assert.equal(sealedNameOf({ folder: '', name: 'a.txt' }), 'a.txt')
    assert.equal(sealedNameOf({ folder: 'trip/day 1', name: 'a.txt' }), 'trip/day 1/a.txt')
  })

  it('is cut when it is too long, keeps its end, and fits into the header with the longest note', () => {
    const name = sealedNameOf({ folder: '', name: `${'😀'.repeat(40_000)}.jpg` })
    assert.ok(name.endsWith('.jpg'))
    const header = { size: 1, name, note: '€'.repeat(10_000), sender: '😀'.repeat(100) }
    assert.ok(encodeCbor(new Map(Object.entries(header))).length <= MAX_HEADER_BLOCKS * HEADER_BLOCK_BYTES)
  })
})
