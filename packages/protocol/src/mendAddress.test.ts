import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mendAddress } from './mendAddress.ts'

const whole = 'https://keep.example/below/u/0011#AbC-_9'
const address = { address: whole, isExposed: true }

describe('an address of which a program has rewritten the #', () => {
  for (const sign of ['%23', '%2523', '%252523'])
    it(`gets its fragment back, from ${sign}`, () => {
      assert.deepEqual(mendAddress(whole.replace('#', sign)), address)
      assert.deepEqual(mendAddress(` <${whole.replace('#', sign)}\n`), address)
      assert.deepEqual(mendAddress(`${whole.replace('#', sign)}#:~:text=x`), address)
      assert.deepEqual(mendAddress(whole.replace('#', `?from=mail${sign}`)), {
        address: whole.replace('#', '?from=mail#'),
        isExposed: true,
      })
    })

  it('has what was encoded with the #', () =>
    assert.equal(
      mendAddress('https://keep.example/%2523%252Fregister%253Finvite%253Dabcd-efgh').address,
      'https://keep.example/#/register?invite=abcd-efgh',
    ))
})

describe('any other address', () => {
  for (const text of [whole, whole.replace('#', '?q=%23#'), 'https://keep.example/', '', '#', `${whole}%23`])
    it(`stays as it is: ${text}`, () => assert.deepEqual(mendAddress(text), { address: text, isExposed: false }))
})
