import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LocalError } from './exits.ts'
import { type Picking, pick } from './pick.ts'
import { parseDuration } from './texts.ts'

interface Album {
  readonly id: string
  readonly name: string | undefined
}

const albums: readonly Album[] = [
  { id: 'aaaa1111', name: 'Wedding' },
  { id: 'aaaa2222', name: 'Wedding' },
  { id: 'bbbb3333', name: 'aaaa1' },
  { id: 'cccc4444', name: undefined },
]
const picking: Picking<Album> = {
  what: 'album',
  listedBy: 'album list',
  id: ({ id }) => id,
  name: ({ name }) => name,
}
const picked = (given: string) => pick(albums, given, picking).id

describe('what a person means', () => {
  it('is an id, its beginning, or a name', () => {
    assert.deepEqual(['aaaa2222', 'bbbb', 'CCCC44', 'aaaa1'].map(picked), [
      'aaaa2222',
      'bbbb3333',
      'cccc4444',
      'bbbb3333',
    ])
  })

  it('is never guessed', () => {
    for (const given of ['aaaa', 'Wedding', 'dddd', 'bbb', '', 'wedding'])
      assert.throws(() => picked(given), LocalError)
  })
})

describe('a duration', () => {
  it('is a number with one unit', () => {
    assert.deepEqual(['30s', '90m', '12h', '7d', '4 w'].map(parseDuration), [30, 5400, 43_200, 604_800, 2_419_200])
    for (const text of ['', '7', 'd', '0d', '-1d', '1.5h', '7 days', '9999999d'])
      assert.equal(parseDuration(text), undefined)
  })
})
