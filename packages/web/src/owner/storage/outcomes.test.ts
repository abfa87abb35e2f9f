import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AuditError } from '@blindkeep/client/errors'
import {
  type AssetVerdict,
  type BlobVerdict,
  BUNDLE_ROLES,
  type Depth,
  type DoubtReason,
  doubt,
  type HeldAnswer,
  verdictDoubts,
} from '@blindkeep/client/verify'
import { type AssetId, parseAssetId, parseSha256Hex } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import { storage as german } from '../../text/de/storage.ts'
import { storage as english } from '../../text/en/storage.ts'
import { COMPARE_KINDS } from './compare.ts'
import { kindOfDoubts, OUTCOME_KINDS, outcomeOf, SUMMARY_TONES, summaryOf, TONES, tallyOf } from './outcomes.ts'

const assetId = idOf()
const hash = parseSha256Hex('ab'.repeat(32))
assert.ok(hash !== undefined)

function idOf(): AssetId {
  const parsed = parseAssetId('00000000-0000-4000-8000-000000000001')
  assert.ok(parsed !== undefined)
  return parsed
}

const WHOLE = BUNDLE_ROLES.map((role) => whole(role))

function whole(role: BlobVerdict['role']): BlobVerdict {
  return { hash: hash ?? assert.fail(), role, stored: true, indexed: true, retrievable: true, deep: 'intact' }
}

function verdictOf(change: Partial<BlobVerdict>, durable = false): AssetVerdict {
  const blobs = WHOLE.map((blob, index) => (index === 0 ? { ...blob, ...change } : blob))
  return { assetId, durable, blobs, checkedAt: '2026-01-01T00:00:00Z' }
}

/** The client's answer for this verdict. */
function judged(verdict: AssetVerdict, depth: Depth): HeldAnswer {
  const doubts = verdictDoubts(verdict, depth)
  const none = { type: undefined, note: undefined, sender: undefined, modifiedAt: undefined }
  const file = { name: 'x', safeName: 'x', ...none, size: 1 }
  if (doubts.length > 0) return { assetId, held: false, file, doubts, verdict }
  const examined = verdict.blobs.every(({ deep }) => deep === 'intact') ? 'deep' : 'structural'
  const hashes = {
    original: verdict.blobs[0]?.hash,
    metadata: verdict.blobs[1]?.hash,
    provenance: verdict.blobs[2]?.hash,
  }
  const rest = { signed: {}, receipts: { receipts: [], keys: { serverId: '', keys: [] } } }
  return { assetId, held: true, file, examined, checkedAt: verdict.checkedAt, hashes, ...rest } as unknown as HeldAnswer
}

describe('the outcome of a verdict', () => {
  const cases: readonly (readonly [string, Partial<BlobVerdict>])[] = [
    ['damaged', { deep: 'corrupt', retrievable: false }],
    ['not_held', { stored: false, retrievable: false, deep: 'not_examined' }],
    ['not_held', { role: 'unknown', stored: false, indexed: false, retrievable: false, deep: 'not_examined' }],
    ['withheld', { retrievable: false }],
    ['withheld', { indexed: false }],
    ['not_vouched', {}],
    ['not_vouched', { role: 'derivative' }],
  ]
  for (const [kind, change] of cases)
    it(`is ${kind} for ${JSON.stringify(change)}`, () => {
      const outcome = outcomeOf(judged(verdictOf(change), 'deep'))
      assert.equal(outcome.kind, kind)
      assert.deepEqual(outcome.parts, kind === 'not_vouched' && change.role === undefined ? [] : ['original'])
    })

  it('is held only when the client has no doubt, and deep only when every byte was read', () => {
    assert.equal(outcomeOf(judged(verdictOf({}, true), 'deep')).kind, 'held_deep')
    assert.equal(outcomeOf(judged(verdictOf({ deep: 'not_examined' }, true), 'structural')).kind, 'held_structural')
    assert.equal(outcomeOf(judged(verdictOf({ deep: 'not_examined' }, true), 'deep')).kind, 'not_examined')
    const late = outcomeOf(judged(verdictOf({ deep: 'rate_limited' }, true), 'deep'))
    assert.equal(late.kind, 'not_yet')
    assert.deepEqual(late.parts, ['original'])
  })

  it('is never held when the client has a doubt, whatever the server says', () => {
    const blob = fc.record({
      role: fc.constantFrom<BlobVerdict['role'][]>('original', 'metadata', 'provenance', 'derivative', 'unknown'),
      stored: fc.boolean(),
      indexed: fc.boolean(),
      retrievable: fc.boolean(),
      deep: fc.constantFrom<BlobVerdict['deep'][]>('intact', 'corrupt', 'rate_limited', 'not_examined'),
    })
    const any = fc.tuple(fc.array(blob, { maxLength: 4 }), fc.boolean(), fc.constantFrom<Depth[]>('deep', 'structural'))
    fc.assert(
      fc.property(any, ([blobs, durable, depth]) => {
        const verdict = { ...verdictOf({}, durable), blobs: blobs.map((one) => ({ ...whole('original'), ...one })) }
        const { kind } = outcomeOf(judged(verdict, depth))
        const isYes = verdictDoubts(verdict, depth).length === 0
        assert.equal(kind.startsWith('held'), isYes)
        if (kind === 'held_deep') assert.ok(blobs.slice(0, 3).every(({ deep }) => deep === 'intact'))
      }),
      { numRuns: 500 },
    )
  })
})

describe('the kind of several doubts', () => {
  const reasons: Readonly<Record<DoubtReason, string>> = {
    asset_missing: 'missing',
    incomplete: 'incomplete',
    unsigned: 'unsigned',
    device_revoked: 'device_revoked',
    file_differs: 'other_file',
    not_durable: 'not_vouched',
    corrupt: 'damaged',
    rate_limited: 'not_yet',
    not_examined: 'not_examined',
    tampered: 'tampered',
    unreadable: 'unreadable',
    refused: 'no_answer',
    unreachable: 'no_answer',
    answer_broken: 'no_answer',
  }
  const all = Object.keys(reasons) as DoubtReason[]

  it('is the kind of the only doubt', () => {
    for (const reason of all) assert.equal(kindOfDoubts([doubt(reason, 'x')]), reasons[reason])
  })

  it('is the worst of them, and without a doubt it is still no confirmation', () => {
    assert.equal(kindOfDoubts([doubt('rate_limited', 'x'), doubt('corrupt', 'x')]), 'damaged')
    assert.equal(
      kindOfDoubts([doubt('refused', 'x'), doubt('not_durable', 'x')], verdictOf({ stored: false })),
      'not_held',
    )
    assert.equal(kindOfDoubts([]), 'not_vouched')
  })

  it('comes with the cause of the doubt', () => {
    const cause = new AuditError('receipt_missing', 'x')
    const tampered = { ...doubt('tampered', 'x'), cause }
    const outcome = outcomeOf({ assetId, held: false, file: undefined, doubts: [tampered], verdict: undefined })
    assert.deepEqual([outcome.kind, outcome.cause, outcome.checkedAt], ['tampered', cause, undefined])
  })
})

describe('the summary of a check', () => {
  it('is the full yes only when every byte of every file was read', () => {
    for (const kind of OUTCOME_KINDS) {
      const tally = tallyOf([{ kind: 'held_deep' }, { kind }], 2)
      assert.equal(summaryOf(tally) === 'all_read', kind === 'held_deep', kind)
      assert.equal(SUMMARY_TONES[summaryOf(tally)] === 'good', kind === 'held_deep', kind)
      assert.equal(tally.deep + tally.structural + tally.problems + tally.unchecked, 2)
    }
    assert.equal(summaryOf(tallyOf([{ kind: 'held_deep' }], 2)), 'unchecked')
    assert.equal(summaryOf(tallyOf([{ kind: 'held_structural' }], 1)), 'structural')
    assert.equal(summaryOf(tallyOf([], 0)), 'nothing')
  })

  it('names problems before unchecked files', () => {
    assert.equal(summaryOf(tallyOf([{ kind: 'damaged' }, { kind: 'not_yet' }], 3)), 'problems')
  })
})

describe('the texts of outcomes', () => {
  for (const [language, text, held] of [
    ['en', english, /\bheld\b|may be deleted/i],
    ['de', german, /vorhanden|darf/i],
  ] as const)
    it(`exist for every outcome, and sound like a yes for no doubt (${language})`, () => {
      const words = { ...text.compareKinds, ...text.kinds }
      for (const kind of new Set([...OUTCOME_KINDS, ...COMPARE_KINDS])) {
        const { title, meaning } = words[kind]
        assert.ok(title.length > 3 && meaning.length > 20)
        const isYes = kind === 'safe' || kind.startsWith('held')
        if (!isYes) assert.ok(!held.test(title) || /^(not|nicht) /i.test(title), title)
        if (!isYes) assert.match(meaning, /(keep|behalten)/i)
      }
    })

  it('are green only when the bytes were read', () => {
    assert.deepEqual(
      OUTCOME_KINDS.filter((kind) => TONES[kind] === 'good'),
      ['held_deep'],
    )
  })
})
