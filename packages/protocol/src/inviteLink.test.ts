import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exposedInvite, inviteLink, inviteOf } from './inviteLink.ts'

describe('an invite', () => {
  it('is a link with the code in its fragment alone', () => {
    const { origin, pathname, search, hash } = new URL(inviteLink('https://keep.example/below', 'abcd-efgh'))
    assert.deepEqual([origin, pathname, search], ['https://keep.example', '/below/', ''])
    assert.equal(hash, '#/register?invite=abcd-efgh')
  })

  it('gives its code, as a link and by itself', () => {
    for (const code of ['abcd-efgh', 'a b+c&d=#%é']) {
      const invite = { code, isExposed: false }
      assert.deepEqual(inviteOf(` ${inviteLink('http://127.0.0.1:8080', code)}\n`), invite)
      assert.deepEqual(inviteOf(`${code}\n`), invite)
    }
    assert.equal(inviteOf('https://keep.example/#/register').code, 'https://keep.example/#/register')
  })

  it('gives its code when a program has rewritten its link, and says that servers have seen it', () => {
    for (const rest of ['%23/register?invite=abcd-efgh', '%2523%252Fregister%253Finvite%253Dabcd-efgh&amp;from=mail']) {
      assert.deepEqual(inviteOf(`https://keep.example/${rest}`), { code: 'abcd-efgh', isExposed: true })
      assert.equal(exposedInvite(`/${rest}`), '#/register?invite=abcd-efgh&exposed')
    }
    for (const path of ['/', '/u/%23abc', '/register?invite=abcd-efgh', '/%23/register', '/%23/register?invite=%zz'])
      assert.equal(exposedInvite(path), undefined, path)
  })
})
