import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAssetId } from '@blindkeep/protocol/ids'
import type { CatalogEntry } from './catalog.ts'
import {
  COMPARE_KINDS,
  type CompareKind,
  candidatesFor,
  compareTone,
  inOrder,
  type LocalCopy,
  mainDoubt,
  verdictOn,
  withChosen,
} from './compare.ts'

const AT = '2026-01-01T10:00:00Z'

function copy(kind: CompareKind, checkedAt: string | undefined = kind === 'safe' ? AT : undefined): LocalCopy {
  return { id: 1, file: new File([], 'x'), name: 'x', kind, kept: undefined, checkedAt, cause: undefined }
}

const ended = (copies: readonly LocalCopy[]) => ({ copies, isRunning: false, isCurrent: true })

function entry(number: number, size: number): CatalogEntry {
  const assetId = parseAssetId(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`)
  assert.ok(assetId !== undefined)
  return { assetId, sealedBytes: 0, facts: { envelope: { plaintext_size: size } } } as unknown as CatalogEntry
}

describe('the verdict on local copies', () => {
  it('is yes only when each copy is confirmed', () => {
    for (const kind of COMPARE_KINDS) {
      const { answer } = verdictOn(ended([copy('safe'), copy(kind)]))
      assert.equal(answer, kind === 'safe' ? 'yes' : 'no', kind)
      assert.equal(compareTone(kind) === 'good', kind === 'safe', kind)
    }
  })

  it('is none without copies, and before all are compared and later changes are known', () => {
    assert.deepEqual(verdictOn({ ...ended([copy('safe')]), isCurrent: false }), { answer: 'none' })
    assert.deepEqual(verdictOn(ended([])), { answer: 'none' })
    assert.deepEqual(verdictOn({ ...ended([copy('safe')]), isRunning: true }), { answer: 'none' })
  })

  it('is no when a confirmed copy has no time', () => {
    assert.equal(verdictOn(ended([{ ...copy('safe'), checkedAt: undefined }])).answer, 'no')
  })

  it('has the first and the last time of the confirmations, in any order', () => {
    const times = ['2026-01-01T10:00:02Z', '2026-01-01T12:00:01+02:00', '2026-01-01T10:00:03Z']
    assert.deepEqual(verdictOn(ended(times.map((time) => copy('safe', time)))), {
      answer: 'yes',
      count: 3,
      from: times[1],
      to: times[2],
    })
  })

  it('names all copies that must be kept', () => {
    const verdict = verdictOn(ended([copy('safe'), copy('damaged'), copy('waiting')]))
    assert.ok(verdict.answer === 'no')
    assert.deepEqual(
      verdict.kept.map(({ kind }) => kind),
      ['damaged', 'waiting'],
    )
    assert.equal(verdict.total, 3)
  })
})

describe('a copy that is chosen again', () => {
  const chosen = (id: number, file: File) => ({ ...copy('waiting'), id, file, name: file.name })
  const confirmed = (id: number, file: File) => ({ ...copy('safe'), id, file, name: file.name })
  const first = new File(['12'], 'a.txt', { lastModified: 1 })

  it('takes the place of its earlier row', () => {
    const other = confirmed(2, new File(['12'], 'b.txt', { lastModified: 1 }))
    const again = chosen(3, new File(['12'], 'a.txt', { lastModified: 1 }))
    assert.deepEqual(withChosen([confirmed(1, first), other], [again]), [other, again])
  })

  it('makes one of the same name be compared again, which may be the same before a change', () => {
    const again = chosen(3, new File(['12'], 'a.txt', { lastModified: 2 }))
    assert.deepEqual(withChosen([confirmed(1, first)], [again]), [chosen(1, first), again])
  })
})

describe('the candidates for a local copy', () => {
  it('have exactly its size, those of the same name first, at most 16', () => {
    const entries = Array.from({ length: 40 }, (_, number) => entry(number, number === 39 ? 6 : 5))
    const found = candidatesFor(5, entries)
    assert.equal(found.length, 39)
    const last = found[30]
    assert.ok(last)
    const ordered = inOrder(found, { fileName: 'a', nameOf: (id) => (id === last.assetId ? 'a' : 'b') })
    assert.equal(ordered[0], last)
    assert.equal(ordered.length, 16)
    assert.deepEqual(candidatesFor(7, entries), [])
  })
})

describe('the main doubt of several candidates', () => {
  it('is about the same file before it is about different files', () => {
    assert.equal(mainDoubt(['other_file', 'damaged', 'other_file']), 'damaged')
    assert.equal(mainDoubt(['no_answer', 'not_held']), 'not_held')
    assert.equal(mainDoubt(['other_file']), 'other_file')
    assert.equal(mainDoubt([]), undefined)
  })
})
