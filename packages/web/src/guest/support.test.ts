import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { missingOf } from './support.ts'

const all = { isSecureContext: true, hasSubtleCrypto: true, hasToWellFormed: true, hasWorkers: true }

describe('missingOf', () => {
  it('answers nothing for a browser that has all features', () => {
    assert.equal(missingOf(all), undefined)
  })

  it('answers "insecure" before "old", because http hides WebCrypto even in new browsers', () => {
    assert.equal(missingOf({ ...all, isSecureContext: false, hasSubtleCrypto: false }), 'insecure')
    assert.equal(missingOf({ ...all, hasSubtleCrypto: false }), 'old')
    assert.equal(missingOf({ ...all, hasToWellFormed: false }), 'old')
    assert.equal(missingOf({ ...all, hasWorkers: false }), 'old')
  })
})
