import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { files as german } from './de/counts.ts'
import { files as english } from './en/counts.ts'

describe('a count of files', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [0, '0 files', '0 Dateien'],
    [1, '1 file', '1 Datei'],
    [2, '2 files', '2 Dateien'],
    [21, '21 files', '21 Dateien'],
    [101, '101 files', '101 Dateien'],
  ]
  for (const [count, inEnglish, inGerman] of cases)
    it(`agrees with its noun for ${count}`, () => {
      assert.equal(english(count), inEnglish)
      assert.equal(german(count), inGerman)
    })
})
