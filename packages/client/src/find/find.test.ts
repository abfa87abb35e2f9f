import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  answerFinder,
  asksNames,
  type Findable,
  type FindQuery,
  finderOf,
  type SortOrder,
  sortedBy,
  sortedByAnswer,
} from './find.ts'
import { foldText, MAX_TEXT_UNITS } from './foldText.ts'
import { kindOf } from './kinds.ts'

const file = (
  name: string | undefined,
  more: Partial<Findable> & { sender?: string; type?: string } = {},
): Findable => ({
  file: { name, sender: more.sender, type: more.type },
  size: 1000,
  at: '2026-05-01T10:00:00Z',
  ...more,
})
const finds = (query: FindQuery, one: Findable) => finderOf(query)(one)

describe('a search', () => {
  it('finds a file by all of several words, anywhere in its name, its sender or its link', () => {
    const scan = file('Scan 0500 of March.pdf', { sender: 'Ada Lovelace', also: 'Tax office' })
    for (const words of ['0500', 'march scan', 'PDF', 'lovelace 0500', 'tax scan', '  ', '0500.pdf of'])
      assert.equal(finds({ words }, scan), words !== '0500.pdf of', words)
    assert.equal(finds({ words: 'scan april' }, scan), false)
  })

  it('counts neither case nor accents, nor characters that are not visible or turn the text', () => {
    const name = 'Gru\u0308ße \u202Efdp.\u200Bexe'
    for (const words of ['GRÜSSE', 'grusse', 'Grüße', 'fdp.exe', 'gr\u202Euße'])
      assert.ok(finds({ words }, file(name)), words)
    assert.ok(finds({ words: 'istanbul' }, file('İSTANBUL.jpg')))
    assert.ok(finds({ words: 'ｆｕｌｌ' }, file('Full width.txt')))
  })

  it('bounds what a long name costs', () => {
    assert.ok(foldText(`${'\uFDFA'.repeat(100_000)}`).length < 20 * MAX_TEXT_UNITS)
    assert.equal(foldText('x'.repeat(100_000)).length, MAX_TEXT_UNITS)
  })

  it('finds by sender, kind, date and size together, and not by a name that is not known', () => {
    const photo = file('IMG_1.HEIC', { sender: 'Ada', size: 5_000_000 })
    const day = Date.parse('2026-05-01T00:00:00Z')
    const query = {
      kind: 'image',
      sender: 'ada',
      sinceMs: day,
      untilMs: day + 86_400_000,
      largerThan: 5_000_000,
    } as const
    assert.ok(finds(query, photo))
    for (const other of [
      { kind: 'video' },
      { sender: 'bob' },
      { sinceMs: day + 86_400_000 },
      { untilMs: day },
      { largerThan: 5_000_001 },
      { smallerThan: 4_999_999 },
    ] as const)
      assert.equal(finds({ ...query, ...other }, photo), false, JSON.stringify(other))
    const unread = { ...photo, file: undefined }
    assert.equal(finds({ words: 'img' }, unread), false)
    assert.ok(finds({ largerThan: 1 }, unread))
  })

  it('asks for names only where a name decides', () => {
    assert.equal(asksNames({ largerThan: 1, words: ' ' }), false)
    for (const query of [{ words: 'a' }, { kind: 'image' }, { sender: 'a' }] as const) assert.ok(asksNames(query))
  })
})

describe('the kind of a file', () => {
  it('is that of the ending of its name, and of its media type without a known ending', () => {
    const kinds = [
      ['a.heic', undefined, 'image'],
      ['A.PDF', 'image/png', 'document'],
      ['a.bin', 'video/mp4', 'video'],
      [undefined, 'text/plain', 'document'],
      ['a.tar.gz', undefined, 'archive'],
      ['a', 'application/zip', 'archive'],
      ['pdf', undefined, 'other'],
      ['a.m4a', '', 'audio'],
      ['', undefined, 'other'],
    ] as const
    for (const [name, type, kind] of kinds) assert.equal(kindOf({ name, type }), kind, `${name} ${type}`)
  })
})

describe('an answer', () => {
  it('is found by words anywhere in it, without case and accents', () => {
    const isFound = answerFinder(' MULLER gmbh ')
    assert.deepEqual([isFound('GmbH Müller & Co'), isFound('Müller'), isFound(undefined)], [true, false, false])
  })
})

describe('an order', () => {
  it('is by name as people count, by sender, by date and by size, and unknown names come last', () => {
    const files = [
      file('scan 10', { sender: 'b', size: 3, at: '2026-05-01T00:00:00Z' }),
      { ...file(undefined, { size: 9, at: '2026-05-03T00:00:00Z' }), file: undefined },
      file('Scan 2', { sender: 'a', size: 5, at: '2026-05-02T00:00:00Z' }),
    ]
    const sizes = (order: SortOrder) => sortedBy(files, order, (one) => one).map(({ size }) => size)
    assert.deepEqual(sizes('name'), [5, 3, 9])
    assert.deepEqual(sizes('sender'), [5, 3, 9])
    assert.deepEqual(sizes('newest'), [9, 5, 3])
    assert.deepEqual(sizes('oldest'), [3, 5, 9])
    assert.deepEqual(sizes('largest'), [9, 5, 3])
    assert.deepEqual(sizes('smallest'), [3, 5, 9])
  })

  it('is by the answer to a question: numbers by their value, others as names, and files without one last', () => {
    const sorted = (...values: readonly (string | undefined)[]) =>
      sortedByAnswer(values, 'A', (value) => (value === undefined ? [] : [['A', value]]))
    assert.deepEqual(sorted('10', undefined, '-2', '9.5', '-10'), ['-10', '-2', '9.5', '10', undefined])
    assert.deepEqual(sorted('2026/17', undefined, '2026/5', 'a'), ['2026/5', '2026/17', 'a', undefined])
    assert.deepEqual(sorted('2026-03-01', '2025-12-31'), ['2025-12-31', '2026-03-01'])
  })
})
