import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import stringWidth from 'string-width'
import { createReport, type Report } from '../ground/report.ts'
import { createProgress } from './progress.ts'

const file = { shownAs: 'photos/of/the/wedding/2026/IMG_0001.jpg', size: 200_000_000 }

/** The rows of one file under way, in a terminal of so many columns. */
function rowsOf(columns: number): readonly string[] {
  let rows: readonly string[] = []
  const report: Report = {
    ...createReport({ quiet: true }),
    progress(draw) {
      rows = draw(columns)
    },
  }
  const progress = createProgress([file], report)
  progress.of(file)({ phase: 'sending', bytes: 0, of: 100 })
  progress.of(file)({ phase: 'sending', bytes: 60, of: 100 })
  return rows
}

describe('progress on a terminal', () => {
  it('says all where there is room', () => {
    const [row, all] = rowsOf(120)
    assert.equal(row, ' 60 %  sending  photos/of/the/wedding/2026/IMG_0001.jpg')
    assert.match(all ?? '', /^0 of 1 file, 120 MB of 200 MB, .*\/s, 1 s left$/)
  })

  it('leaves out whole parts and the middle of names where there is not', () => {
    const [row, all] = rowsOf(38)
    assert.match(row ?? '', /^ 60 % {2}sending {2}photos\S*…\S*G_0001\.jpg$/)
    assert.equal(stringWidth(row ?? ''), 38)
    assert.equal(all, '0 of 1 file, 60 %, 1 s left')
  })
})
