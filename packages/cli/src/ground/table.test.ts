import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import stringWidth from 'string-width'
import { shrinking, table } from './table.ts'

const HEADINGS = ['ID', 'RECEIVED', shrinking('NAME'), shrinking('GUEST SAYS')]
const ROWS = [
  ['7c89ae63', '2026-11-25 09:03', 'photos_2026_IMG_0001.jpg', 'from "Ada", note: "as agreed, all of them"'],
  ['4afbcd86', '2026-11-25 09:04', '船票.pdf', ''],
]
const widest = (text: string) => Math.max(...text.split('\n').map((line) => stringWidth(line)))

describe('a list for people', () => {
  it('is in columns, whole, where nothing says how wide it may be', () => {
    const lines = table(HEADINGS, ROWS).split('\n')
    assert.equal(lines.length, 3)
    assert.ok(lines[1]?.endsWith('from "Ada", note: "as agreed, all of them"'))
    assert.equal(table(HEADINGS, ROWS, 200), table(HEADINGS, ROWS))
  })

  it('is not made wider by one long cell where nothing says how wide it may be', () => {
    const lines = table(
      ['NAME', 'ID'],
      [
        ['a'.repeat(250), '7c89ae63'],
        ['b', '4afbcd86'],
      ],
    ).split('\n')
    assert.equal(lines[1], `${'a'.repeat(250)}  7c89ae63`)
    assert.equal(lines[2]?.length, 50)
  })

  it('takes from long texts, and from nothing else, until the columns fit', () => {
    const text = table(HEADINGS, ROWS, 72)
    assert.equal(widest(text), 72)
    assert.match(text, /7c89ae63 {2}2026-11-25 09:03 {2}photos_\S+…\S+\.jpg {2}from .*….*"/)
  })

  it('is a few whole lines for each row where the columns cannot fit', () => {
    const text = table(HEADINGS, ROWS, 40)
    assert.deepEqual(text.split('\n'), [
      'ID          7c89ae63',
      'RECEIVED    2026-11-25 09:03',
      'NAME        photos_2026_IMG_0001.jpg',
      'GUEST SAYS  from "Ada", note: "as',
      '            agreed, all of them"',
      '',
      'ID          4afbcd86',
      'RECEIVED    2026-11-25 09:04',
      'NAME        船票.pdf',
    ])
  })

  it('breaks a long word where it must', () => {
    assert.ok(widest(table(HEADINGS, [['7c89ae63', '', 'a'.repeat(70), 'b']], 30)) <= 30)
  })
})
