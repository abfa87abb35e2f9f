import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inviteCodeOf, inviteLink } from './inviteLink.ts'

describe('an invite', () => {
  it('is a link with the code in its fragment alone', () => {
    const { origin, pathname, search, hash } = new URL(inviteLink('https://keep.example/below', 'abcd-efgh'))
    assert.deepEqual([origin, pathname, search], ['https://keep.example', '/below/', ''])
    assert.equal(hash, '#/register?invite=abcd-efgh')
  })

  it('gives its code, as a link and by itself', () => {
    for (const code of ['abcd-efgh', 'a b+c&d=#%é']) {
      assert.equal(inviteCodeOf(` ${inviteLink('http://127.0.0.1:8080', code)}\n`), code)
      assert.equal(inviteCodeOf(`${code}\n`), code)
    }
    assert.equal(inviteCodeOf('https://keep.example/#/register'), 'https://keep.example/#/register')
  })
})
