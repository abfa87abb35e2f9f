import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NetworkError } from '@blindkeep/client/errors'
import type { PinnedKeys } from '@blindkeep/client/receipts'
import { doubt, type HeldAnswer, type HeldAnswers, type VerifyHeld } from '@blindkeep/client/verify'
import { type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import type { CatalogEntry } from './catalog.ts'
import { createCheckRun } from './checkRun.ts'
import { tallyOf } from './outcomes.ts'

function entries(count: number): readonly CatalogEntry[] {
  return Array.from({ length: count }, (_, number) => {
    const assetId = parseAssetId(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`)
    assert.ok(assetId !== undefined)
    return { assetId, sealedBytes: 1, facts: {} } as unknown as CatalogEntry
  })
}

const held = (assetId: AssetId) =>
  ({ assetId, held: true, examined: 'deep', receipts: { receipts: [] } }) as unknown as HeldAnswer

const doubted = (assetId: AssetId, cause?: Error): HeldAnswer => ({
  assetId,
  held: false,
  file: undefined,
  doubts: [{ ...doubt(cause === undefined ? 'rate_limited' : 'unreachable', 'x'), ...(cause && { cause }) }],
  verdict: undefined,
})

type Answer = (question: VerifyHeld, turn: number) => Promise<readonly HeldAnswer[]> | readonly HeldAnswer[]

/** A check whose client answers so; with what it was asked, and what was pinned then. */
function checking(answer: Answer, keys: PinnedKeys | undefined = undefined) {
  const asked: VerifyHeld[] = []
  const kept: unknown[] = []
  const verifyHeld = async (question: VerifyHeld): Promise<HeldAnswers> => {
    asked.push(question)
    return { answers: await answer(question, asked.length), keys }
  }
  const pins = { load: async () => ({ pinned: keys }), keep: async (found: unknown) => void kept.push(found) }
  return { asked, kept, check: createCheckRun({ verifyHeld }, pins) }
}

const start = (check: ReturnType<typeof checking>['check'], count: number) =>
  check.start({ entries: entries(count), depth: 'deep', scope: 'all' })

describe('a check', () => {
  it('asks about all, a hundred at a time, with what is pinned, and keeps what it learns', async () => {
    const keys = { serverId: 'https://keep.example', keys: [] }
    const { check, asked, kept } = checking(({ assetIds }) => assetIds.map(held), keys)
    await start(check, 250)
    assert.deepEqual(
      asked.map(({ assetIds }) => assetIds.length),
      [100, 100, 50],
    )
    assert.ok(asked.every(({ pinned, depth }) => pinned === keys && depth === 'deep'))
    assert.deepEqual(kept, [keys, keys, keys])
    const { phase, outcomes, error } = check.get()
    assert.deepEqual([phase, outcomes.size, error], ['ended', 250, undefined])
  })

  it('asks again only about what is not checked', async () => {
    const { check, asked } = checking(({ assetIds }, turn) =>
      assetIds.map((assetId, index) => (turn === 1 && index >= 3 ? doubted(assetId) : held(assetId))),
    )
    await start(check, 5)
    assert.equal(tallyOf(check.get().outcomes.values(), 5).unchecked, 2)
    await check.resume()
    assert.equal(asked[1]?.assetIds.length, 2)
    assert.equal(tallyOf(check.get().outcomes.values(), 5).deep, 5)
  })

  it('stops when it is told to: what was found stays, what comes late does not count', async () => {
    const { check } = checking(({ assetIds }, turn) => {
      if (turn === 2) check.stop()
      return assetIds.map(held)
    })
    await start(check, 250)
    const { phase, wasStopped, outcomes } = check.get()
    assert.deepEqual([phase, wasStopped, outcomes.size], ['ended', true, 100])
  })

  it('does not go on when nobody answers, and says why', async () => {
    const cause = new NetworkError('unreachable')
    const { check, asked } = checking(({ assetIds }) => assetIds.map((assetId) => doubted(assetId, cause)))
    await start(check, 250)
    assert.equal(asked.length, 1)
    assert.deepEqual([check.get().phase, check.get().error], ['ended', cause])
  })

  it('goes on after a batch that took too long, as the next one may not', async () => {
    const cause = new NetworkError('timeout')
    const { check, asked } = checking(({ assetIds }) => assetIds.map((assetId) => doubted(assetId, cause)))
    await start(check, 250)
    assert.equal(asked.length, 3)
    assert.equal(check.get().error, undefined)
  })

  it('ends with what it did not expect', async () => {
    const fault = new Error('a fault of the program')
    const { check } = checking(() => Promise.reject(fault))
    await start(check, 1)
    assert.deepEqual([check.get().phase, check.get().error, check.get().outcomes.size], ['ended', fault, 0])
  })

  it('that begins anew forgets the one before, which is not heard any more', async () => {
    let answerFirst: (answers: readonly HeldAnswer[]) => void = () => undefined
    const { check } = checking(({ assetIds }, turn) =>
      turn === 1 ? new Promise((resolve) => (answerFirst = resolve)) : assetIds.map(held),
    )
    const first = start(check, 2)
    await start(check, 1)
    answerFirst(entries(2).map(({ assetId }) => doubted(assetId)))
    await first
    assert.equal(check.get().asked.length, 1)
    assert.equal(tallyOf(check.get().outcomes.values(), 1).deep, 1)
  })
})
