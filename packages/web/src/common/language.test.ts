import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isLanguage, LANGUAGES, pickLanguage, plural } from './language.ts'

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

describe('the form of a word', () => {
  it('is that of one for exactly one', () => {
    const forms = { one: 'Datei', other: 'Dateien' }
    for (const language of ['en', 'de'] as const) {
      assert.equal(plural(language, 1, forms), 'Datei')
      for (const count of [0, 2, 11, 21, 101, 1.5]) assert.equal(plural(language, count, forms), 'Dateien')
    }
  })
})
