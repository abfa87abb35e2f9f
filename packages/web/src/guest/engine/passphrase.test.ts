import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPassphrase } from './passphrase.ts'

describe('a passphrase', () => {
  it('is tried when it was given while a file was prepared with the one before', () => {
    const passphrase = createPassphrase(() => undefined)
    passphrase.require(true)
    passphrase.set('wrong')
    const text = passphrase.text()
    passphrase.set('right')
    passphrase.wasUsedFor('file', text)
    assert.equal(passphrase.textUnlessUsedFor('file'), 'right')
    passphrase.wasRefusedFor('file')
    assert.equal(passphrase.status(), 'given')
  })

  it('is refused when the server has refused exactly this one', () => {
    const passphrase = createPassphrase(() => undefined)
    passphrase.require(true)
    passphrase.set('wrong')
    passphrase.wasUsedFor('file', passphrase.text())
    passphrase.wasRefusedFor('file')
    assert.deepEqual([passphrase.status(), passphrase.isReady()], ['refused', false])
  })

  it('is wanted when the server refuses an upload without one, even if it said that the link has none', () => {
    const passphrase = createPassphrase(() => undefined)
    passphrase.require(false)
    passphrase.wasRefusedFor('file')
    assert.deepEqual([passphrase.status(), passphrase.isReady()], ['wanted', false])
  })
})
