import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, it } from 'node:test'
import { forEachConcurrently, mapConcurrently, tryEachInTurn } from './concurrency.ts'

/** Work that ends only when the test says so. */
function createGates() {
  const ends = new Map<number, () => void>()
  return {
    started: () => [...ends.keys()],
    work: (item: number) => new Promise<void>((resolve) => void ends.set(item, resolve)),
    end: async (item: number) => {
      ends.get(item)?.()
      await turn()
    },
  }
}

/** Lets all promises that can settle do so. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('forEachConcurrently', () => {
  it('runs at most `max` items at once, and starts them in order', async () => {
    const gates = createGates()
    const all = forEachConcurrently([1, 2, 3, 4], 2, gates.work)
    await turn()
    deepEqual(gates.started(), [1, 2])
    await gates.end(2)
    deepEqual(gates.started(), [1, 2, 3])
    for (const item of [1, 3, 4]) await gates.end(item)
    await all
    deepEqual(gates.started(), [1, 2, 3, 4])
  })

  it('takes an item only when it starts it', async () => {
    const taken: number[] = []
    function* items() {
      for (const item of [1, 2, 3]) {
        taken.push(item)
        yield item
      }
    }
    const gates = createGates()
    const all = forEachConcurrently(items(), 1, gates.work)
    await turn()
    deepEqual(taken, [1])
    for (const item of [1, 2, 3]) await gates.end(item)
    await all
  })

  it('after a failure starts nothing more, waits for what is under way, closes the items and throws the first failure', async () => {
    const events: string[] = []
    function* items() {
      try {
        yield* [1, 2, 3, 4]
      } finally {
        events.push('closed')
      }
    }
    const gates = createGates()
    const all = forEachConcurrently(items(), 2, async (item) => {
      events.push(`start ${item}`)
      if (item === 1) throw new Error('first')
      await gates.work(item)
      events.push(`end ${item}`)
      throw new Error('second')
    })
    const rejected = rejects(all, /^Error: first$/)
    await turn()
    await gates.end(2)
    await rejected
    deepEqual(events, ['start 1', 'start 2', 'end 2', 'closed'])
  })

  it('throws what the items throw, after the work under way', async () => {
    let ended = 0
    function* items() {
      yield 1
      throw new Error('no more')
    }
    const all = forEachConcurrently(items(), 2, async () => {
      await turn()
      ended += 1
    })
    await rejects(all, /^Error: no more$/)
    equal(ended, 1)
  })

  it('does nothing without items', async () => {
    await forEachConcurrently([], 3, async () => {
      throw new Error('never')
    })
  })
})

describe('mapConcurrently', () => {
  it('returns the results in the order of the items, whichever ends first', async () => {
    const gates = createGates()
    const all = mapConcurrently([1, 2, 3], 3, async (item) => {
      await gates.work(item)
      return item * 10
    })
    await turn()
    for (const item of [3, 1, 2]) await gates.end(item)
    deepEqual(await all, [10, 20, 30])
  })

  it('rejects with the first failure and starts nothing more', async () => {
    const started: number[] = []
    const all = mapConcurrently([1, 2, 3], 1, async (item) => {
      started.push(item)
      if (item === 2) throw new Error('second')
      return item
    })
    await rejects(all, /^Error: second$/)
    deepEqual(started, [1, 2])
  })
})

describe('tryEachInTurn', () => {
  const never = () => false

  it('runs one after another', async () => {
    const events: string[] = []
    const work = async (item: number) => {
      events.push(`start ${item}`)
      await turn()
      events.push(`end ${item}`)
    }
    await tryEachInTurn([1, 2], work, never)
    deepEqual(events, ['start 1', 'end 1', 'start 2', 'end 2'])
  })

  it('runs the rest after a failure, and throws that failure at the end', async () => {
    const done: number[] = []
    const work = async (item: number) => {
      if (item === 1) throw new Error('one')
      done.push(item)
    }
    await rejects(tryEachInTurn([1, 2, 3], work, never), /^Error: one$/)
    deepEqual(done, [2, 3])
  })

  it('throws several failures together', async () => {
    const all = tryEachInTurn([1, 2, 3], (item) => Promise.reject(new Error(String(item))), never)
    await rejects(all, (error: AggregateError) => {
      deepEqual(
        error.errors.map(({ message }: Error) => message),
        ['1', '2', '3'],
      )
      return error.message === '3 of them failed'
    })
  })

  it('stops at a fatal error and throws only this error', async () => {
    const started: number[] = []
    const work = async (item: number) => {
      started.push(item)
      throw new Error(String(item))
    }
    const all = tryEachInTurn([1, 2, 3], work, (error) => error instanceof Error && error.message === '2')
    await rejects(all, /^Error: 2$/)
    deepEqual(started, [1, 2])
  })
})
