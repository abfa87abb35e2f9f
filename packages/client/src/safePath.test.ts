import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertLinear, HOSTILE_TEXTS } from '../../../testing/linear.ts'
import { numberedName, plainName, safePath } from './safePath.ts'

const joined = (name: string | undefined) => [...safePath(name).folders, safePath(name).name].join('|')

describe('a path made safe', () => {
  const cases: Readonly<Record<string, string>> = {
    'trip/day 1/one.jpg': 'trip|day 1|one.jpg',
    'Grüße/文.txt': 'Grüße|文.txt',
    '../../etc/passwd': 'etc|passwd',
    '/etc/passwd': 'etc|passwd',
    './a/./b': 'a|b',
    'a//b': 'a|b',
    'a/.. /.hidden/b': 'a|hidden|b',
    '..\\..\\boot.ini': '_.._boot.ini',
    'C:/con/nul.txt': 'C_|_con|_nul.txt',
    '-rf/--help/-x.txt': '_-rf|_--help|_-x.txt',
    'folder/': 'folder',
    '': 'unnamed',
    '..': 'unnamed',
  }
  for (const [given, safe] of Object.entries(cases))
    it(`is ${JSON.stringify(safe)} for ${JSON.stringify(given)}`, () => assert.equal(joined(given), safe))

  it('is a name alone without a name', () => assert.equal(joined(undefined), 'unnamed'))

  it('has at most 32 folders of 640 bytes, and then the file', () => {
    const { folders, name } = safePath(`${'a/'.repeat(4000)}b`)
    assert.deepEqual([folders.length, name], [32, 'b'])
    const long = safePath(`${'é'.repeat(120)}/${'é'.repeat(120)}/${'é'.repeat(120)}/b`)
    assert.deepEqual([long.folders.length, long.name], [2, 'b'])
  })

  for (const [shape, input] of Object.entries(HOSTILE_TEXTS))
    it(`takes no longer than the length of ${shape}`, () => assertLinear({ input, run: (name) => safePath(name) }))
})

describe('a plain name', () => {
  it('has letters that every disk knows, its ending, and room for a number', () => {
    assert.equal(plainName('Ünï写真😀.txt'), 'Uni___.txt')
    assert.equal(plainName('-写.txt'), '_-_.txt')
    const long = plainName(`${'é'.repeat(125)}.jpeg`)
    assert.deepEqual([Buffer.byteLength(long), long.slice(-6)], [120, 'e.jpeg'])
  })
})

describe('a numbered name', () => {
  it('has its number before the ending, and fits a file system', () => {
    assert.equal(numberedName('a.txt', 1), 'a.txt')
    assert.equal(numberedName('a.txt', 2), 'a (2).txt')
    assert.equal(numberedName('Makefile', 3), 'Makefile (3)')
    assert.equal(numberedName(`${'é'.repeat(125)}.jpeg`, 10), `${'é'.repeat(122)} (10).jpeg`)
    const withoutEnding = numberedName(`a.${'x'.repeat(253)}`, 2)
    assert.deepEqual([Buffer.byteLength(withoutEnding), withoutEnding.slice(-4)], [255, ' (2)'])
  })
})
