import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { missingOf } from './support.ts'

const all = { isSecureContext: true, hasSubtleCrypto: true, hasNewTexts: true, hasWorkers: true }

describe('a browser', () => {
  it('can seal when it has all that it takes', () => {
    assert.equal(missingOf(all), undefined)
  })

  it('is told of the address before it is called old, as http takes WebCrypto away from the newest', () => {
    assert.equal(missingOf({ ...all, isSecureContext: false, hasSubtleCrypto: false }), 'insecure')
    assert.equal(missingOf({ ...all, hasSubtleCrypto: false }), 'old')
    assert.equal(missingOf({ ...all, hasNewTexts: false }), 'old')
    assert.equal(missingOf({ ...all, hasWorkers: false }), 'old')
  })
})
