import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StoredUpload } from '../store/guestStore.ts'
import { matchOf } from './uploadMatch.ts'

const file = { name: 'a.jpg', folder: '', size: 10, lastModified: 5 }
const state = {} as StoredUpload['state']
const stored = (change: Partial<StoredUpload>): StoredUpload => ({
  ...{ ...file, id: 'one', linkId: 'link', state, keptAt: 0, sentBytes: 0 },
  ...change,
})

describe('matching a chosen file with a stored upload', () => {
  it('finds the one of the same name, size and time', () => {
    const uploads = [stored({ lastModified: 4, id: 'older' }), stored({})]
    assert.deepEqual(matchOf(file, uploads), { is: 'same', upload: uploads[1] })
  })

  it('answers "perhaps" when name and size agree, because phones give every copy a new time', () => {
    assert.equal(matchOf(file, [stored({ lastModified: 4 })])?.is, 'perhaps')
  })

  it('answers "perhaps" when name, size and time agree with two, because only the bytes tell which one it is', () => {
    assert.equal(matchOf(file, [stored({}), stored({ id: 'two' })])?.is, 'perhaps')
  })

  it('answers "changed" when only the name agrees', () => {
    assert.equal(matchOf(file, [stored({ size: 11 })])?.is, 'changed')
  })

  it('compares an upload from a folder with a file without one, and knows none from a different folder', () => {
    assert.equal(matchOf(file, [stored({ folder: 'trip' })])?.is, 'perhaps')
    assert.equal(matchOf({ ...file, folder: 'home' }, [stored({ folder: 'trip' })]), undefined)
  })

  it('finds the one that was chosen from higher up or further down by its bytes: archives give many files one time', () => {
    const [deep, flat] = [stored({ folder: 'trip/day 1' }), stored({ id: 'two' })]
    for (const folder of ['day 1', 'of/trip/day 1']) assert.equal(matchOf({ ...file, folder }, [deep])?.is, 'perhaps')
    assert.equal(matchOf({ ...file, folder: 'day 1' }, [flat, deep])?.is, 'perhaps')
    assert.equal(matchOf({ ...file, folder: 'ay 1' }, [deep]), undefined)
    assert.deepEqual(matchOf(file, [deep, flat]), { is: 'same', upload: flat })
  })

  it('finds none for a file of another name', () => {
    assert.equal(matchOf(file, [stored({ name: 'b.jpg' })]), undefined)
  })
})
