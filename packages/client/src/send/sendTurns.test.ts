import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ProblemError } from '../http/errors.ts'
import { SendError } from './sendError.ts'
import { createSendTurns, type SendTurns } from './sendTurns.ts'

type Attempt = Parameters<Parameters<SendTurns['run']>[0]['attempt']>[0] & {
  readonly end: PromiseWithResolvers<string>
}

const full = () => new ProblemError({ operation: 'appendChunk', code: 'error.storage.full', status: 500 })

/** An upload that does what the test says, and what happened to it. */
function begin(turns: SendTurns, { signal, canGiveBack = true }: { signal?: AbortSignal; canGiveBack?: boolean } = {}) {
  const attempts: Attempt[] = []
  const happened: string[] = []
  const ended = turns.run({
    signal,
    onWaiting: () => void happened.push('waits'),
    attempt(options) {
      const end = Promise.withResolvers<string>()
      options.signal.addEventListener('abort', () => end.reject(options.signal.reason))
      if (options.signal.aborted) end.reject(options.signal.reason)
      attempts.push({ ...options, end })
      happened.push('begins')
      return end.promise
    },
    async giveBack() {
      happened.push('gives back')
      return canGiveBack
    },
  })
  const outcome = ended.then(
    (landed) => landed,
    (error: unknown) => (error instanceof SendError ? error.reason : error),
  )
  const last = () => attempts.at(-1) ?? assert.fail('it has not begun')
  return {
    happened,
    outcome,
    has: (bytes: number) => last().onAdvance({ bytes }),
    isRefused: (bytes: number) => last().onAdvance({ bytes, trouble: 'disk_full' }),
    lands: () => last().end.resolve('landed'),
    fails: (error: unknown) => last().end.reject(error),
  }
}

/** Until all that follows from what was done has happened. */
const settled = () => new Promise(setImmediate)

describe('uploads that run at once', () => {
  it('wait for nothing while the server has room', async () => {
    const turns = createSendTurns()
    const uploads = [begin(turns), begin(turns), begin(turns)]
    await settled()
    for (const upload of uploads) upload.lands()
    for (const { outcome, happened } of uploads) assert.deepEqual([await outcome, happened], ['landed', ['begins']])
  })

  it('go on without the one that is refused before its first byte, until one of them has landed', async () => {
    const turns = createSendTurns()
    const [first, second, third] = [begin(turns), begin(turns), begin(turns)]
    await settled()
    first.has(5)
    third.isRefused(0)
    await settled()
    assert.deepEqual([first.happened, second.happened], [['begins'], ['begins']])
    assert.deepEqual(third.happened, ['begins', 'gives back', 'waits'])
    first.lands()
    await settled()
    assert.deepEqual(third.happened.slice(3), ['begins'])
    second.lands()
    third.lands()
    assert.deepEqual(await Promise.all([second.outcome, third.outcome]), ['landed', 'landed'])
  })

  it('give way to the one of which the server has most, and go on one after the other, one more with each that lands', async () => {
    const turns = createSendTurns()
    const uploads = [begin(turns), begin(turns), begin(turns), begin(turns)]
    const [first, second, third, fourth] = uploads as [Begun, Begun, Begun, Begun]
    await settled()
    for (const [index, upload] of uploads.entries()) upload.has(index === 1 ? 9 : 5)
    first.isRefused(5)
    await settled()
    const begun = () => uploads.map(({ happened }) => happened.filter((what) => what === 'begins').length)
    assert.deepEqual(begun(), [1, 1, 1, 1])
    assert.deepEqual(first.happened, ['begins', 'gives back', 'waits'])
    assert.deepEqual(second.happened, ['begins'])
    second.lands()
    await settled()
    assert.deepEqual(begun(), [2, 1, 2, 1])
    first.lands()
    await settled()
    assert.deepEqual(begun(), [2, 1, 2, 2])
    third.lands()
    fourth.lands()
    for (const { outcome } of uploads) assert.equal(await outcome, 'landed')
  })

  it('give way to the oldest of those of which the server has as much', async () => {
    const turns = createSendTurns()
    const [first, second] = [begin(turns), begin(turns)]
    await settled()
    first.has(5)
    second.isRefused(5)
    await settled()
    assert.deepEqual(first.happened, ['begins'])
    assert.deepEqual(second.happened, ['begins', 'gives back', 'waits'])
  })

  it('go on when the one to which they gave way has failed', async () => {
    const turns = createSendTurns()
    const [first, second] = [begin(turns), begin(turns)]
    await settled()
    first.has(5)
    second.isRefused(0)
    await settled()
    first.fails(new SendError('link_closed'))
    assert.equal(await first.outcome, 'link_closed')
    await settled()
    second.lands()
    assert.equal(await second.outcome, 'landed')
  })

  it('make one that begins later wait behind those that wait', async () => {
    const turns = createSendTurns()
    const [first, second] = [begin(turns), begin(turns)]
    await settled()
    first.has(5)
    second.isRefused(0)
    await settled()
    const third = begin(turns)
    first.lands()
    await settled()
    assert.equal(second.happened.at(-1), 'begins')
    assert.deepEqual(third.happened, ['waits', 'begins'])
  })
})

describe('an upload that waits', () => {
  it('ends with the reason of its signal, sends nothing and lets the next one have its turn', async () => {
    const turns = createSendTurns()
    const paused = new AbortController()
    const [first, second, third] = [begin(turns), begin(turns, paused), begin(turns)]
    await settled()
    first.has(5)
    second.isRefused(0)
    third.isRefused(0)
    await settled()
    const reason = new Error('paused')
    paused.abort(reason)
    assert.equal(await second.outcome, reason)
    first.lands()
    await settled()
    assert.deepEqual(second.happened, ['begins', 'gives back', 'waits'])
    assert.equal(third.happened.at(-1), 'begins')
  })
})

describe('an upload that runs alone', () => {
  it('keeps what the server has of it while it is refused, and when it is paused', async () => {
    const paused = new AbortController()
    const upload = begin(createSendTurns(), paused)
    await settled()
    upload.isRefused(5)
    await settled()
    const reason = new Error('paused')
    paused.abort(reason)
    assert.equal(await upload.outcome, reason)
    assert.deepEqual(upload.happened, ['begins'])
  })

  for (const [canGiveBack, reason] of [
    [true, 'server_full'],
    [false, 'server_unavailable'],
  ] as const)
    it(`ends as ${reason} for lack of room if the server ${canGiveBack ? 'deletes' : 'may keep'} what it has`, async () => {
      const upload = begin(createSendTurns(), { canGiveBack })
      await settled()
      upload.fails(new SendError('server_unavailable', full()))
      assert.equal(await upload.outcome, reason)
      assert.deepEqual(upload.happened, ['begins', 'gives back'])
    })

  it('keeps what the server has of it when it ends for another reason', async () => {
    const upload = begin(createSendTurns())
    await settled()
    upload.fails(new SendError('server_unavailable', new Error('no answer')))
    assert.equal(await upload.outcome, 'server_unavailable')
    assert.deepEqual(upload.happened, ['begins'])
  })
})

type Begun = ReturnType<typeof begin>
