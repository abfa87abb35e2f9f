import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRoute } from './route.ts'

describe('the address of a page', () => {
  it('names the page and what follows it', () => {
    const read = (hash: string) => {
      const { page, rest } = parseRoute(hash)
      return [page, rest]
    }
    assert.deepEqual(read('#/links'), ['links', ''])
    assert.deepEqual(read('#/albums/0192e8a4/photo'), ['albums', '0192e8a4/photo'])
    assert.deepEqual(read('#links'), ['links', ''])
  })

  it('is the inbox’s where it names no page', () => {
    for (const hash of ['', '#', '#/', '#/toString', '#/Links', '#/register'])
      assert.equal(parseRoute(hash).page, 'inbox', hash)
  })

  it('names a way in, with what was given for it', () => {
    const { door, query } = parseRoute('#/register?invite=a%2Fb%20c')
    assert.deepEqual([door, query.get('invite')], ['register', 'a/b c'])
    assert.deepEqual([parseRoute('#/inbox').door, parseRoute('#/recover').door], [undefined, 'recover'])
  })
})
