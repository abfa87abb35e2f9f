import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import vectors from '../../../../vectors/recovery-words.json' with { type: 'json' }
import { recoveryKeySeed, recoveryWrapKey } from '../seal/derive.ts'
import { secretOfWords, typedWords, wordsOfSecret } from './recoveryWords.ts'
import { WordsError } from './wordsError.ts'

describe('recovery words', () => {
  it('are those of BIP-39, and give the same keys in any typing', async () => {
    assert.ok(vectors.valid.length >= 11)
    for (const { words, secret, ...keys } of vectors.valid) {
      const typed = await secretOfWords(words)
      assert.equal(toHex(typed), secret)
      assert.equal(toHex(recoveryWrapKey(typed)), keys.recovery_wrap)
      assert.equal(toHex(recoveryKeySeed(typed)), keys.recovery_key_seed)
      const plain = (await wordsOfSecret(fromHex(secret))).join(' ')
      assert.equal(plain, words.normalize('NFKD').trim().toLowerCase().replace(/\s+/g, ' '))
    }
  })

  it('may have the numbers with which they are printed and saved', async () => {
    const [vector] = vectors.valid
    assert.ok(vector)
    const words = await wordsOfSecret(fromHex(vector.secret))
    for (const separator of ['. ', '.', ') ', ' ', '\n']) {
      const typed = words.map((word, index) => `${index + 1}${separator}${word}`).join('\n')
      assert.equal(toHex(await secretOfWords(typed)), vector.secret, JSON.stringify(separator))
    }
    await assert.rejects(secretOfWords('1. abandon 2. blindkeep'), { unknown: { place: 2, word: 'blindkeep' } })
    for (const nothing of ['', ' ', '1.']) await assert.rejects(secretOfWords(nothing), { reason: 'count' })
  })

  it('may be the whole file in which a page saves them', async () => {
    const [vector] = vectors.valid
    assert.ok(vector)
    const words = await wordsOfSecret(fromHex(vector.secret))
    const numbered = words.map((word, index) => `${index + 1}. ${word}`).join('\n')
    for (const heading of [
      'Blindkeep: recovery words\nFor ada@example.org\nAt https://keep.example:8443/#/recover\n\n',
      `Blindkeep: Wiederher\u00adstellungs\u00adwörter\nFür ${'a'.repeat(240)}@example.org\nUnter https://${'k'.repeat(900)}.example\n\n`,
    ]) {
      const saved = `${heading}${numbered}\n`
      for (const file of [saved, saved.replaceAll('\n', '\r\n'), `\ufeff${saved}`]) {
        assert.equal(toHex(await secretOfWords(file)), vector.secret)
        assert.deepEqual(typedWords(file), words)
      }
    }
    const wrong = `Blindkeep\n\n${numbered.replace(`1. ${words[0]}`, '1. blindkeep')}`
    await assert.rejects(secretOfWords(wrong), { unknown: { place: 1, word: 'blindkeep' } })
  })

  it('are refused with a reason, and with the word that is not on the list', async () => {
    assert.ok(vectors.invalid.length >= 9)
    for (const { name, words, reason, place } of vectors.invalid)
      await assert.rejects(
        secretOfWords(words),
        (error) => error instanceof WordsError && error.reason === reason && error.unknown?.place === place,
        name,
      )
    await assert.rejects(secretOfWords('Abandon Blindkeep ability'), { unknown: { place: 2, word: 'blindkeep' } })
  })

  it('encode 32 bytes and no other number', async () => {
    for (const length of [0, 16, 31, 33]) await assert.rejects(wordsOfSecret(new Uint8Array(length)), RangeError)
  })
})
