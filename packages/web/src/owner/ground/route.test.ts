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

  it('leads to the inbox when it names no page', () => {
    for (const hash of ['', '#', '#/', '#/toString', '#/Links', '#/register'])
      assert.equal(parseRoute(hash).page, 'inbox', hash)
  })

  it('names a page of a visitor, with its query', () => {
    const { signedOutPage, query } = parseRoute('#/register?invite=a%2Fb%20c')
    assert.deepEqual([signedOutPage, query.get('invite')], ['register', 'a/b c'])
    assert.deepEqual(
      [parseRoute('#/inbox').signedOutPage, parseRoute('#/recover').signedOutPage],
      [undefined, 'recover'],
    )
  })
})
