import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import derivations from '../../../../vectors/derivations.json' with { type: 'json' }
import { normalPassphrase, passphraseSpellings } from './passphraseSpellings.ts'

describe('the normal form of a passphrase', () => {
  for (const { name, typed, normal } of derivations.passphrase_normal)
    it(`is that of the vector: ${name}`, () => {
      for (const text of typed) assert.equal(normalPassphrase(text), normal, text)
      assert.equal(normalPassphrase(normal), normal)
    })

  it('keeps passphrases apart that sound different', () => {
    const others = ['lake', 'lakes', 'läke', 'l.ake', '1ake', 'lаke']
    assert.equal(new Set(others.map(normalPassphrase)).size, others.length)
  })
})

describe('the spellings of a passphrase', () => {
  it('are the normal one, then the typed one if it differs', () => {
    assert.deepEqual(passphraseSpellings('Open-Sesame'), ['opensesame', 'Open-Sesame'])
    assert.deepEqual(passphraseSpellings('lake'), ['lake'])
    assert.deepEqual(passphraseSpellings('cafe\u0301'), ['caf\u00e9'])
  })
})
