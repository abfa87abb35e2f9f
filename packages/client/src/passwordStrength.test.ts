import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { passwordStrength } from './passwordStrength.ts'

describe('the strength of a password', () => {
  it('says how many characters are missing', () => {
    assert.deepEqual(passwordStrength(''), { level: 'short', missing: 12 })
    assert.deepEqual(passwordStrength('eleven char'), { level: 'short', missing: 1 })
    assert.deepEqual(passwordStrength('🔑🔑🔑'), { level: 'short', missing: 9 })
  })

  it('is weak for a long password that is a pattern', () => {
    for (const pattern of [
      'aaaaaaaaaaaaaaaaaaaaaaaa',
      '190219841902',
      'Passwort12345',
      'olga.mueller2026',
      '123456olga123456',
    ])
      assert.equal(passwordStrength(pattern, 'olga.mueller@example.org').level, 'weak', pattern)
  })

  it('is good only for a long password', () => {
    assert.equal(passwordStrength('kT7!vmq2#Lxp').level, 'fair')
    assert.equal(passwordStrength('anchor violet gravel tuba').level, 'good')
  })
})
