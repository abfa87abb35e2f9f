import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPassphrase } from './passphrase.ts'

describe('what is known of a passphrase', () => {
  it('still tries one that was given while a file was sealed with the one before', () => {
    const passphrase = createPassphrase(() => undefined)
    passphrase.require(true)
    passphrase.give('wrong')
    const text = passphrase.text()
    passphrase.give('right')
    passphrase.wasUsedFor('file', text)
    assert.equal(passphrase.textUnlessUsedFor('file'), 'right')
    passphrase.wasRefusedFor('file')
    assert.equal(passphrase.standing(), 'given')
  })

  it('is refused once the server has refused the very one', () => {
    const passphrase = createPassphrase(() => undefined)
    passphrase.require(true)
    passphrase.give('wrong')
    passphrase.wasUsedFor('file', passphrase.text())
    passphrase.wasRefusedFor('file')
    assert.deepEqual([passphrase.standing(), passphrase.isThere()], ['refused', false])
  })

  it('is wanted once the server refuses without one, whatever it said of the link', () => {
    const passphrase = createPassphrase(() => undefined)
    passphrase.require(false)
    passphrase.wasRefusedFor('file')
    assert.deepEqual([passphrase.standing(), passphrase.isThere()], ['wanted', false])
  })
})
