import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAssetId } from '@blindkeep/protocol/ids'
import { formats } from '../../common/language/format.ts'
import { storageTexts } from '../ground/texts.ts'
import type { CatalogEntry } from './catalog.ts'
import type { Outcome } from './outcomes.ts'
import { jsonReport, spanOf, textReport } from './report.ts'

const ids = [1, 2, 3].map((number) => {
  const assetId = parseAssetId(`00000000-0000-4000-8000-00000000000${number}`)
  assert.ok(assetId !== undefined)
  return assetId
})
const entries = ids.map((assetId) => ({ assetId }) as unknown as CatalogEntry)

function outcome(index: number, changed: Partial<Outcome>): Outcome {
  const assetId = ids[index] ?? assert.fail()
  const nothing = {
    parts: [],
    hashes: undefined,
    receiptSeqs: [],
    cause: undefined,
    checkedAt: undefined,
    signerRevokedAt: undefined,
  }
  return { assetId, kind: 'held_deep', name: undefined, size: 1, ...nothing, ...changed }
}

const outcomes = new Map(
  [
    outcome(0, { name: 'good.txt', checkedAt: '2026-01-01T10:00:00Z', receiptSeqs: [7, 8, 9] }),
    outcome(1, {
      name: 'evil\u2028  good.txt\n    Stored: every byte\u202etxt',
      kind: 'damaged',
      checkedAt: '2026-01-01T09:00:00Z',
    }),
  ].map((one) => [one.assetId, one]),
)
const facts = {
  baseUrl: 'https://keep.example',
  writtenAt: '2026-01-01T12:00:00.000Z',
  check: { entries, outcomes, depth: 'deep', scope: 'All 3 files' },
} as const

describe('a report', () => {
  it('lists the outcome of every file, also of files that were not checked', () => {
    for (const language of ['en', 'de'] as const) {
      const text = storageTexts[language]
      const report = textReport(facts, text, formats[language])
      for (const line of [text.kinds.held_deep.title, text.kinds.damaged.title, text.results.notAsked, '7, 8, 9'])
        assert.ok(report.includes(line), line)
      for (const line of text.results.uncheckedList) assert.ok(report.includes(line), line)
      assert.ok(report.includes('https://keep.example') && report.includes('2026-01-01T12:00:00.000Z'))
    }
  })

  it('names the files of a revoked device', () => {
    const signerRevokedAt = '2025-12-31T00:00:00Z'
    const revoked = new Map([...outcomes, [ids[0] ?? assert.fail(), outcome(0, { signerRevokedAt })]])
    const report = { ...facts, check: { ...facts.check, outcomes: revoked } }
    for (const language of ['en', 'de'] as const) {
      const { signerRevoked } = storageTexts[language].report
      assert.ok(
        textReport(report, storageTexts[language], formats[language]).includes(`${signerRevoked} (${signerRevokedAt})`),
      )
      assert.ok(!textReport(facts, storageTexts[language], formats[language]).includes(signerRevoked))
    }
    assert.deepEqual(
      JSON.parse(jsonReport(report)).files.map((file: { signer_revoked_at: string }) => file.signer_revoked_at),
      [signerRevokedAt, null, null],
    )
  })

  it('has no line that a file’s name has created', () => {
    const lines = textReport(facts, storageTexts.en, formats.en).split('\n')
    assert.equal(lines.filter((line) => line.startsWith('    Stored: every byte')).length, 1)
    assert.ok(lines.every((line) => !/[\u2028\u202e]/.test(line)))
  })

  it('is also JSON, with the same summary', () => {
    const report = JSON.parse(jsonReport(facts))
    assert.equal(report.summary, 'problems')
    assert.deepEqual(report.tally, { total: 3, deep: 1, structural: 0, problems: 1, unchecked: 1 })
    assert.deepEqual(
      report.files.map((file: { outcome: string }) => file.outcome),
      ['held_deep', 'damaged', 'not_asked'],
    )
  })

  it('has the time of the first and the last answer, by the server’s clock', () => {
    assert.deepEqual(spanOf(outcomes.values()), { from: '2026-01-01T09:00:00Z', to: '2026-01-01T10:00:00Z' })
    assert.equal(spanOf([outcome(0, {})]), undefined)
  })
})
