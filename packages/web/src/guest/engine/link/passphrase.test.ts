import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPassphrase } from './passphrase.ts'

describe('a passphrase', () => {
  it('is tried when it was given while a file was prepared with the one before', () => {
    const passphrase = createPassphrase(() => undefined)
    passphrase.require(true)
    passphrase.set('wrong')
    const spelling = passphrase.spelling()
    passphrase.set('right')
    passphrase.wasUsedFor('file', spelling)
    assert.equal(passphrase.spellingUnlessUsedFor('file'), 'right')
    passphrase.wasRefusedFor('file')
    assert.equal(passphrase.status(), 'given')
  })

  it('is refused when the server has refused exactly this one', () => {
    const passphrase = createPassphrase(() => undefined)
    passphrase.require(true)
    passphrase.set('wrong')
    passphrase.wasUsedFor('file', passphrase.spelling())
    passphrase.wasRefusedFor('file')
    assert.deepEqual([passphrase.status(), passphrase.isReady()], ['refused', false])
  })

  it('is tried in its normal spelling, then as typed, and is refused when neither opens the link', () => {
    const passphrase = createPassphrase(() => undefined)
    passphrase.require(true)
    passphrase.set('Open-Sesame')
    const tried: (string | undefined)[] = []
    while (passphrase.isReady()) {
      const spelling = passphrase.spellingUnlessUsedFor('file')
      tried.push(spelling)
      passphrase.wasUsedFor('file', spelling)
      passphrase.wasRefusedFor('file')
    }
    assert.deepEqual([tried, passphrase.status()], [['opensesame', 'Open-Sesame'], 'refused'])
  })

  it('is wanted when the server refuses an upload without one, even if it said that the link has none', () => {
    const passphrase = createPassphrase(() => undefined)
    passphrase.require(false)
    passphrase.wasRefusedFor('file')
    assert.deepEqual([passphrase.status(), passphrase.isReady()], ['wanted', false])
  })
})
