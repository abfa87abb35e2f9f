import assert from 'node:assert/strict'
import { posix, win32 } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyText, runs } from '../../../testing/decoding.ts'
import { foldersFor, labelsIn, parseFolderTemplate } from './folderTemplate.ts'
import { safePath } from './safePath.ts'

const pathOf = (template: string, said: { sender?: string; answer?: string }, name = 'a.pdf') => {
  const fields = said.answer === undefined ? [] : [['Matter number', said.answer] as const]
  const { folders, name: safe } = safePath(name, foldersFor(parseFolderTemplate(template), { ...said, fields }))
  return [...folders, safe].join('|')
}

describe('a template of folders', () => {
  for (const [template, said, path] of [
    ['{Matter number}/{sender}', { answer: '17', sender: 'Ada' }, '17|Ada|a.pdf'],
    ['cases/no. {Matter number} of {sender}', { answer: '17', sender: 'Ada' }, 'cases|no. 17 of Ada|a.pdf'],
    ['{Matter number}/{sender}', { answer: '2026/17' }, '2026_17|_|a.pdf'],
    ['{Matter number}', { answer: '../../etc' }, '_.._etc|a.pdf'],
    ['{Matter number}', { answer: '..' }, '_|a.pdf'],
    ['.{Matter number}', { answer: '.' }, '_|a.pdf'],
    ['{Matter number}', { answer: 'C:\\con' }, 'C__con|a.pdf'],
    ['{Matter number}', { answer: 'con' }, '_con|a.pdf'],
    ['{Colour}', { answer: '17' }, '_|a.pdf'],
  ] as const)
    it(`makes ${path} of ${template} and ${JSON.stringify(said)}`, () => assert.equal(pathOf(template, said), path))

  it('comes before the folders of the file, of which those stay that fit', () => {
    assert.equal(pathOf('{sender}', { sender: 'Ada' }, '../trip/a.pdf'), 'Ada|trip|a.pdf')
    const long = pathOf('{sender}/{sender}/{sender}', { sender: 'x'.repeat(300) }, `${'y'.repeat(10)}/a.pdf`).split('|')
    assert.deepEqual(
      long.map(({ length }) => length),
      [213, 213, 213, 5],
    )
  })

  it('never leads out of the folder or into another depth, whatever guests say', () => {
    const piece = fc.oneof(fc.constantFrom('{sender}', '{Matter number}', '/', 'a', '..', '.', ' ', '\\', ':'), anyText)
    const template = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''))
    const said = fc.oneof(
      anyText,
      fc.constantFrom('..', '/', '../..', '\\..', '\u202E..', 'C:', 'nul', 'x'.repeat(3000)),
    )
    fc.assert(
      fc.property(template, said, said, anyText, (text, sender, answer, name) => {
        const parsed = parsedOrUndefined(text)
        if (parsed === undefined) return
        const into = foldersFor(parsed, { sender, fields: [['Matter number', answer]] })
        const { folders, name: safe } = safePath(name, into)
        assert.ok(folders.length >= parsed.length && parsed.length <= 8)
        assert.deepEqual(folders.slice(0, parsed.length), safePath('a', into).folders)
        for (const { normalize, relative, join, sep } of [posix, win32]) {
          const path = join(...folders, safe)
          assert.equal(normalize(path), path)
          assert.equal(path.split(sep).length, folders.length + 1)
          assert.ok(!relative(join(sep, 'in'), join(sep, 'in', path)).startsWith('..'))
        }
        assert.ok(Buffer.byteLength(folders.join('')) <= 640)
      }),
      runs(500),
    )
  })

  it('says which labels it needs', () => {
    assert.deepEqual(labelsIn(parseFolderTemplate('{A}/{sender} {B}/x{A}')), ['A', 'B'])
  })

  for (const wrong of ['', '/a', 'a/', 'a//b', '..', '../{A}', '{A', '{}', '{ }', '{A}/.', '1/2/3/4/5/6/7/8/9'])
    it(`is refused: ${JSON.stringify(wrong)}`, () => assert.throws(() => parseFolderTemplate(wrong), RangeError))
})

function parsedOrUndefined(text: string) {
  try {
    return parseFolderTemplate(text)
  } catch (error) {
    assert.ok(error instanceof RangeError)
    return undefined
  }
}
