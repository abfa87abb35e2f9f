import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NetworkError } from '@blindkeep/client/errors'
import type { DropFacts } from '@blindkeep/client/owner'
import type { PinnedKeys } from '@blindkeep/client/receipts'
import {
  doubt,
  type HeldAnswer,
  type HeldAnswers,
  type SampleResult,
  type SampleRun,
  type SampleSegments,
  type SignedOriginal,
  type VerifyHeld,
} from '@blindkeep/client/verify'
import { type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import { formats } from '../../common/language/format.ts'
import { storageTexts } from '../ground/texts.ts'
import type { CatalogEntry } from './catalog.ts'
import { createCheckRun } from './checkRun.ts'
import { tallyOf } from './outcomes.ts'
import { summaryWords } from './report.ts'
import { sampleWords } from './sampleWords.ts'

function entries(count: number): readonly CatalogEntry[] {
  return Array.from({ length: count }, (_, number) => {
    const assetId = parseAssetId(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`)
    assert.ok(assetId !== undefined)
    return { assetId, sealedBytes: 1, facts: {} } as unknown as CatalogEntry
  })
}

const held = (assetId: AssetId) =>
  ({ assetId, held: true, examined: 'deep', signed: {}, receipts: { receipts: [] } }) as unknown as HeldAnswer

const doubted = (assetId: AssetId, cause?: Error): HeldAnswer => ({
  assetId,
  held: false,
  file: undefined,
  doubts: [{ ...doubt(cause === undefined ? 'rate_limited' : 'unreachable', 'x'), ...(cause && { cause }) }],
  verdict: undefined,
})

type Answer = (question: VerifyHeld, turn: number) => Promise<readonly HeldAnswer[]> | readonly HeldAnswer[]

/** A check with a client that answers this way, the questions of the check, and the saved keys. */
function checking(
  answer: Answer,
  keys: PinnedKeys | undefined = undefined,
  sample: (question: SampleSegments) => SampleRun | Promise<SampleRun> = () => assert.fail('no sample was asked for'),
) {
  const questions: VerifyHeld[] = []
  const saved: unknown[] = []
  const verifyHeld = async (question: VerifyHeld): Promise<HeldAnswers> => {
    questions.push(question)
    return { answers: await answer(question, questions.length), keys }
  }
  const pins = { load: async () => ({ pinned: keys }), save: async (found: unknown) => void saved.push(found) }
  async function* pendingDrops() {
    yield [{}, { withheld: 'damaged' }, { withheld: 'held' }] as unknown as readonly DropFacts[]
    yield [{}] as unknown as readonly DropFacts[]
  }
  const kept: SampleRun[] = []
  const sampleSegments = async (question: SampleSegments) => await sample(question)
  const check = createCheckRun({ verifyHeld, pendingDrops, sampleSegments }, pins, async (run) => void kept.push(run))
  return { questions, saved, kept, check }
}

const start = (check: ReturnType<typeof checking>['check'], count: number) =>
  check.start({ entries: entries(count), depth: 'deep', scope: 'all' })

describe('a check', () => {
  it('asks about the inbox when all files are chosen, and only then', async () => {
    const { check } = checking(({ assetIds }) => assetIds.map(held))
    await start(check, 2)
    assert.equal(check.get().inbox, undefined)
    await check.start({ entries: entries(2), withInbox: true, depth: 'deep', scope: 'all' })
    const { inbox, outcomes } = check.get()
    assert.deepEqual(inbox, { files: 4, damaged: 1, held: 1 })
    const tally = tallyOf(outcomes.values(), 2, inbox)
    const words = storageTexts.en
    assert.equal(summaryWords(tally, words), '2 of 6 files have a problem. Keep your own copies.')
    assert.match(words.results.inbox(inbox), /^Inbox: 4 files, 1 damaged on the server, 1 withheld by the operator\. /)
  })

  it('never calls files in the inbox stored', () => {
    const words = storageTexts.en
    const inbox = { files: 1026, damaged: 0, held: 0 }
    const stored = tallyOf([{ kind: 'held_deep' }, { kind: 'held_deep' }], 2, inbox)
    assert.equal(summaryWords(stored, words), 'All 2 files in albums are stored: every byte was read and is correct.')
    assert.match(words.results.inbox(inbox), /knows of no damage\. Their bytes were not read for this check/)
    assert.equal(summaryWords(tallyOf([], 0, inbox), words), 'There are no files in albums.')
    assert.equal(
      summaryWords(tallyOf([], 0, { ...inbox, damaged: 1 }), words),
      '1 of 1,026 files has a problem. Keep your own copy.',
    )
    assert.equal(summaryWords(tallyOf([], 0), words), 'There was nothing to check.')
  })

  it('asks about all files, a hundred at a time, with the pinned keys, and saves the keys of the answers', async () => {
    const keys = { serverId: 'https://keep.example', keys: [] }
    const { check, questions, saved } = checking(({ assetIds }) => assetIds.map(held), keys)
    await start(check, 250)
    assert.deepEqual(
      questions.map(({ assetIds }) => assetIds.length),
      [100, 100, 50],
    )
    assert.ok(questions.every(({ pinned, depth }) => pinned === keys && depth === 'deep'))
    assert.deepEqual(saved, [keys, keys, keys])
    const { phase, outcomes, error } = check.get()
    assert.deepEqual([phase, outcomes.size, error], ['ended', 250, undefined])
  })

  it('resumes only with the files that are not checked', async () => {
    const { check, questions } = checking(({ assetIds }, turn) =>
      assetIds.map((assetId, index) => (turn === 1 && index >= 3 ? doubted(assetId) : held(assetId))),
    )
    await start(check, 5)
    assert.equal(tallyOf(check.get().outcomes.values(), 5).unchecked, 2)
    await check.resume()
    assert.equal(questions[1]?.assetIds.length, 2)
    assert.equal(tallyOf(check.get().outcomes.values(), 5).deep, 5)
  })

  it('keeps its results when it is stopped, and ignores late answers', async () => {
    const { check } = checking(({ assetIds }, turn) => {
      if (turn === 2) check.stop()
      return assetIds.map(held)
    })
    await start(check, 250)
    const { phase, wasStopped, outcomes } = check.get()
    assert.deepEqual([phase, wasStopped, outcomes.size], ['ended', true, 100])
  })

  it('ends with an error when the server does not answer', async () => {
    const cause = new NetworkError('unreachable')
    const { check, questions } = checking(({ assetIds }) => assetIds.map((assetId) => doubted(assetId, cause)))
    await start(check, 250)
    assert.equal(questions.length, 1)
    assert.deepEqual([check.get().phase, check.get().error], ['ended', cause])
  })

  it('continues after a batch that timed out', async () => {
    const cause = new NetworkError('timeout')
    const { check, questions } = checking(({ assetIds }) => assetIds.map((assetId) => doubted(assetId, cause)))
    await start(check, 250)
    assert.equal(questions.length, 3)
    assert.equal(check.get().error, undefined)
  })

  it('ends with an unexpected error', async () => {
    const fault = new Error('a fault of the program')
    const { check } = checking(() => Promise.reject(fault))
    await start(check, 1)
    assert.deepEqual([check.get().phase, check.get().error, check.get().outcomes.size], ['ended', fault, 0])
  })

  it('replaces the check before, whose answers are ignored', async () => {
    let answerFirst: (answers: readonly HeldAnswer[]) => void = () => undefined
    const { check } = checking(({ assetIds }, turn) =>
      turn === 1 ? new Promise((resolve) => (answerFirst = resolve)) : assetIds.map(held),
    )
    const first = start(check, 2)
    await start(check, 1)
    answerFirst(entries(2).map(({ assetId }) => doubted(assetId)))
    await first
    assert.equal(check.get().entries.length, 1)
    assert.equal(tallyOf(check.get().outcomes.values(), 1).deep, 1)
  })
})

describe('a sample', () => {
  const good: SampleResult = { is: 'good', ofSignedVersion: true }
  const [first, second] = entries(2).map(({ assetId }) => assetId)
  assert.ok(first !== undefined && second !== undefined)

  /** What the client draws: a segment of each file that it was given. */
  const runOf = (
    { originals, samples }: SampleSegments,
    results: readonly SampleResult[],
    ended?: Error,
  ): SampleRun => ({
    at: '2026-01-01T00:00:00Z',
    assets: 2,
    segments: samples,
    population: '',
    seed: '',
    samples: [...originals].map(({ assetId }, segment) => ({ assetId, segment, result: results[segment] ?? good })),
    ...(ended && { ended }),
  })
  const signing: Answer = ({ assetIds, depth, onSigned }) => {
    assert.equal(depth, 'structural')
    for (const assetId of assetIds) onSigned?.({ assetId } as unknown as SignedOriginal)
    return assetIds.map(held)
  }
  const startSample = (check: ReturnType<typeof checking>['check']) =>
    check.start({ entries: entries(2), depth: 'sample', samples: 100, scope: 'all' })

  it('follows the question about each file, is kept, and shows which file has a problem', async () => {
    const { check, kept } = checking(signing, undefined, (question) =>
      runOf(question, [good, { is: 'bad', why: 'altered' }]),
    )
    await startSample(check)
    const { phase, sampled, outcomes, error } = check.get()
    assert.deepEqual([phase, sampled?.segments, error], ['ended', 100, undefined])
    assert.deepEqual(kept, [sampled])
    const kinds = [first, second].map((assetId) => outcomes.get(assetId))
    assert.deepEqual(
      kinds.map((outcome) => [outcome?.kind, outcome?.sampleFault]),
      [
        ['held_deep', undefined],
        ['sample_bad', 'altered'],
      ],
    )
  })

  it('is not drawn if the server cannot be asked about the files', async () => {
    const cause = new NetworkError('unreachable')
    const { check, kept } = checking(({ assetIds }) => assetIds.map((assetId) => doubted(assetId, cause)))
    await startSample(check)
    assert.deepEqual([check.get().error, kept], [cause, []])
  })

  it('is kept and shown when it is stopped, and says nothing of the bytes', async () => {
    const { check, kept } = checking(signing, undefined, (question) => {
      check.stop()
      return runOf(question, [{ is: 'not_asked' }], new Error('stopped'))
    })
    await startSample(check)
    const { wasStopped, sampled, error } = check.get()
    assert.deepEqual([wasStopped, kept, error], [true, [sampled], undefined])
    for (const language of ['en', 'de'] as const) {
      assert.ok(sampled !== undefined)
      const words = sampleWords(sampled, storageTexts[language], formats[language]).join(' ')
      assert.doesNotMatch(words, /99/)
    }
  })

  it('is kept, and not shown, when the owner has left', async () => {
    const { check, kept } = checking(signing, undefined, (question) => {
      check.clear()
      return runOf(question, [])
    })
    await startSample(check)
    assert.deepEqual([check.get().phase, check.get().sampled, kept.length], ['none', undefined, 1])
  })

  it('says with which certainty only if every piece was opened', () => {
    const samples = Array.from({ length: 100 }, (_, segment) => ({ assetId: first, segment, result: good }))
    const run = { at: '', assets: 1, segments: 500, population: '', seed: '', samples }
    const wordsOf = (changed: SampleRun) => sampleWords(changed, storageTexts.en, formats.en).join(' ')
    assert.match(wordsOf(run), /100 of 100 pieces opened.*If 4\.6% of all pieces were lost.*99%/)
    const bad = samples.with(3, { assetId: first, segment: 3, result: { is: 'bad', why: 'late' } as never })
    assert.doesNotMatch(wordsOf({ ...run, samples: bad }), /99%/)
  })
})
