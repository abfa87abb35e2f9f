import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isLanguage, LANGUAGES, pickLanguage } from './language.ts'

describe('the language of a page', () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['de-DE', 'en'], 'de'],
    [['DE'], 'de'],
    [['de-Latn-AT'], 'de'],
    [['fr-FR', 'de-CH', 'en-GB'], 'de'],
    [['en-US', 'de'], 'en'],
    [['fr', 'nl'], 'en'],
    [['', '-', 'x-de', 'den'], 'en'],
    [[], 'en'],
  ]
  for (const [wanted, picked] of cases)
    it(`is ${picked} for [${wanted.join(', ')}]`, () => assert.equal(pickLanguage(wanted), picked))

  it('is one that there are texts in, and nothing that an object has besides', () => {
    for (const tag of Object.keys(LANGUAGES)) assert.ok(isLanguage(tag))
    for (const text of ['fr', '', 'EN', 'toString', '__proto__', null]) assert.ok(!isLanguage(text))
  })
})
