import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { missingSupport } from './browserSupport.ts'

const all = { isSecureContext: true, hasSubtleCrypto: true, hasToWellFormed: true, hasWorkers: true }

describe('missingSupport', () => {
  it('returns undefined for a browser that has all features', () => {
    assert.equal(missingSupport(all), undefined)
  })

  it('returns "insecure" before "old", because http hides WebCrypto even in new browsers', () => {
    assert.equal(missingSupport({ ...all, isSecureContext: false, hasSubtleCrypto: false }), 'insecure')
    assert.equal(missingSupport({ ...all, hasSubtleCrypto: false }), 'old')
    assert.equal(missingSupport({ ...all, hasToWellFormed: false }), 'old')
    assert.equal(missingSupport({ ...all, hasWorkers: false }), 'old')
  })
})
