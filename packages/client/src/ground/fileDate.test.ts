import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeHeader } from '../seal/header.ts'
import { chosenDateText, fileDateOf, fileDateText } from './fileDate.ts'

const DATES = [
  '0000-01-01T00:00:00.000Z',
  '1899-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
]

describe('the date of a file', () => {
  it('is said of each year that a header takes, and read back', () => {
    for (const text of DATES) {
      assert.equal(fileDateText(Date.parse(text)), text)
      assert.equal(fileDateOf(text)?.getTime(), Date.parse(text))
      encodeHeader({ size: 0, modified_at: fileDateText(Date.parse(text)) })
    }
  })

  it('is left out beyond these years, and where it is no date', () => {
    for (const milliseconds of [Date.UTC(10_000, 0), Date.parse('0000-01-01T00:00:00Z') - 1, 9e18, Number.NaN])
      assert.equal(fileDateText(milliseconds), undefined)
    for (const text of ['+010000-01-01T00:00:00.000Z', '-000001-12-31T00:00:00.000Z', 'yesterday', '', undefined])
      assert.equal(fileDateOf(text), undefined)
  })

  it('cuts off what is finer than milliseconds towards the past', () => {
    assert.equal(fileDateText(-0.5), '1969-12-31T23:59:59.999Z')
  })

  it('is left out where a browser says 1970 for want of a date', () => {
    assert.equal(chosenDateText({ lastModified: 0 }), undefined)
    assert.equal(chosenDateText({ lastModified: -1000 }), '1969-12-31T23:59:59.000Z')
  })
})
