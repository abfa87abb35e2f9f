import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isLanguage, LANGUAGES, type Language, pickLanguage, readerLocale } from './language.ts'

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

  it('is a key of LANGUAGES, and no inherited property', () => {
    for (const tag of Object.keys(LANGUAGES)) assert.ok(isLanguage(tag))
    for (const text of ['fr', '', 'EN', 'toString', '__proto__', null]) assert.ok(!isLanguage(text))
  })
})

describe('the locale of numbers and dates', () => {
  const cases: readonly (readonly [Language, readonly string[], string])[] = [
    ['en', ['en-GB', 'en'], 'en-GB'],
    ['en', ['en', 'en-AU'], 'en-AU'],
    ['en', ['de-DE', 'de', 'en-US'], 'en-DE'],
    ['de', ['de-Latn-AT'], 'de-AT'],
    ['de', ['es-419'], 'de-419'],
    ['de', ['de'], 'de'],
    ['en', ['en-US@posix', 'xx-'], 'en'],
    ['en', [], 'en'],
  ]
  for (const [language, preferred, locale] of cases)
    it(`is ${locale} for a page in ${language} and a browser that prefers [${preferred.join(', ')}]`, () => {
      assert.equal(readerLocale(language, preferred), locale)
      assert.deepEqual(Intl.getCanonicalLocales(locale), [locale])
    })
})
