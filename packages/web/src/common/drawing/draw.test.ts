import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { h } from 'preact'
import { makePlain, withoutDirections } from './draw.ts'

const HOSTILE = 'invoice\u202Efdp.exe'

describe('what a page draws', () => {
  it('turns no direction, in texts and in labels, and keeps what is typed', () => {
    const node = h('input', { title: HOSTILE, 'aria-label': HOSTILE, placeholder: HOSTILE, value: HOSTILE })
    makePlain(node)
    const plain = 'invoicefdp.exe'
    assert.deepEqual({ ...node.props }, { title: plain, 'aria-label': plain, placeholder: plain, value: HOSTILE })
    const text = { type: null, props: HOSTILE }
    makePlain(text)
    assert.equal(text.props, plain)
  })

  it('keeps every other character', () => {
    assert.equal(withoutDirections('a\u200D\u2068שלום\u2069 👩\u200D👧'), 'a\u200D\u2068שלום\u2069 👩\u200D👧')
    for (const control of '\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067')
      assert.equal(withoutDirections(control), '')
  })
})
