import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NetworkError } from '@blindkeep/client/errors'
import type { DropFacts } from '@blindkeep/client/owner'
import type { PinnedKeys } from '@blindkeep/client/receipts'
import { doubt, type HeldAnswer, type HeldAnswers, type VerifyHeld } from '@blindkeep/client/verify'
import { type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import type { CatalogEntry } from './catalog.ts'
import { createCheckRun } from './checkRun.ts'
import { tallyOf } from './outcomes.ts'
import { summaryWords } from './report.ts'
import { storageTexts } from './texts.ts'

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
function checking(answer: Answer, keys: PinnedKeys | undefined = undefined) {
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
  return { questions, saved, check: createCheckRun({ verifyHeld, pendingDrops }, pins) }
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
