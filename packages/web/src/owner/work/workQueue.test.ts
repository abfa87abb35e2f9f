import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NetworkError, ProblemError } from '@blindkeep/client/errors'
import { type DropId, parseAlbumId, parseAssetId, parseDropId, parseOpaqueId } from '@blindkeep/protocol/ids'
import type { StoredWork, WorkItem, WorkOrder } from './workOrder.ts'
import { createWorkQueue } from './workQueue.ts'
import type { WorkPorts, WorkReport } from './workRunner.ts'

const DAY_MS = 86_400_000

function idOf(number: number): DropId {
  const id = parseDropId(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`)
  assert.ok(id !== undefined)
  return id
}

const discardItem = (number: number): WorkItem => ({ do: 'discard', id: idOf(number), name: `${number}` })
const discardOrder = (...numbers: readonly number[]): WorkOrder => ({
  kind: 'discard',
  items: numbers.map(discardItem),
})
function moveOrder(...numbers: readonly number[]): WorkOrder {
  const items = numbers.map((number): WorkItem => {
    const [id, albumId] = [parseAssetId(idOf(number)), parseAlbumId(idOf(99))]
    assert.ok(id !== undefined && albumId !== undefined)
    return { do: 'move', id, albumId, name: `${number}` }
  })
  return { kind: 'move', items }
}
const refusal = new ProblemError({ operation: 'discardDrop', status: 403, code: 'error.account.suspended' })
const broken = new ProblemError({ operation: 'discardDrop', status: 500, code: 'error.request.overloaded' })
const cut = new NetworkError('unreachable')

interface Gate {
  readonly item: WorkItem
  readonly isFirstTry: boolean
  readonly isStopped: boolean
  readonly signal: AbortSignal
  onShare(share: number): void
  end(outcome: 'done' | 'already' | 'stopped'): void
  fail(error: unknown): void
}

/** A queue whose steps end when the test says so, with what it has stored. */
function newQueue({ now = () => 0 }: Partial<Pick<WorkPorts, 'now'>> = {}) {
  const gates: Gate[] = []
  const stored = new Map<string, StoredWork>()
  const left = new Set<string>()
  const reports: WorkReport[] = []
  let ids = 0
  const ports: WorkPorts = {
    step: (item, how) =>
      new Promise((end, fail) => {
        gates.push({ item, ...how, end, fail })
      }),
    async store(work) {
      stored.set(work.id, work)
      for (const { id } of work.order.items) left.add(id)
    },
    forget: async (workId) => void stored.delete(workId),
    async forgetItems(itemIds) {
      for (const id of itemIds) left.delete(id)
    },
    newId: () => `work ${++ids}`,
    now,
    wait: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  }
  const queue = createWorkQueue(ports)
  queue.onReport((report) => void reports.push(report))
  return { queue, gates, stored, left, reports }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

async function endAll(gates: Gate[]): Promise<readonly string[]> {
  const names: string[] = []
  for (;;) {
    await settled()
    const gate = gates.shift()
    if (gate === undefined) return names
    names.push(gate.item.name ?? '')
    gate.end('done')
  }
}

describe('a file that is on its way', () => {
  it('stays in the piece of work that does it, and the next one says how many it does not have', async () => {
    const { queue, gates } = newQueue()
    assert.equal(queue.begin(moveOrder(1)), 0)
    await settled()
    const [moving] = gates.splice(0)
    assert.equal(queue.begin(discardOrder(1, 2)), 1)
    assert.deepEqual(await endAll(gates), ['2'])
    assert.equal(queue.begin(discardOrder(1)), 1)
    assert.equal(queue.works().length, 1)
    moving?.end('done')
  })
})

describe('a piece of work', () => {
  it('is stored before its first step, does three items at once, and forgets each when it is done', async () => {
    const { queue, gates, stored, left, reports } = newQueue()
    queue.begin(discardOrder(1, 2, 3, 4))
    assert.equal(gates.length, 0)
    await settled()
    assert.equal(left.size, 4)
    assert.deepEqual(
      gates.map(({ item }) => item.name),
      ['1', '2', '3'],
    )
    gates.shift()?.end('done')
    await settled()
    assert.deepEqual([left.has(idOf(1)), gates.length, queue.works()[0]?.finished], [false, 3, 1])
    gates.shift()?.end('already')
    await endAll(gates)
    assert.deepEqual([left.size, stored.size, queue.works()], [0, 0, []])
    assert.deepEqual(
      reports.map(({ done, already, stopped, failed }) => [done, already, stopped, failed]),
      [[3, 1, 0, 0]],
    )
  })

  it('begins when the one before it is done', async () => {
    const { queue, gates } = newQueue()
    queue.begin(discardOrder(1))
    queue.begin(discardOrder(2))
    await settled()
    assert.deepEqual(
      gates.map(({ item }) => item.name),
      ['1'],
    )
    assert.deepEqual(await endAll(gates), ['1', '2'])
  })

  it('that sends whole files holds up others of its kind, and no smaller work', async () => {
    const { queue, gates } = newQueue()
    queue.begin(moveOrder(1, 2, 3))
    queue.begin(moveOrder(4))
    queue.begin(discardOrder(5))
    await settled()
    assert.deepEqual(
      gates.map(({ item }) => item.name),
      ['1', '2', '5'],
    )
    gates[0]?.onShare(0.5)
    assert.deepEqual(
      queue.works().map(({ finished, share }) => [finished, share]),
      [
        [0, 0.5],
        [0, 0],
        [0, 0],
      ],
    )
    assert.deepEqual(await endAll(gates), ['1', '2', '5', '3', '4'])
  })

  it('gives up what is on its way when it is stopped or left, and only a stop forgets it', async () => {
    for (const end of ['stop', 'end'] as const) {
      const { queue, gates, left, reports } = newQueue()
      queue.begin(moveOrder(1, 2, 3))
      await settled()
      void queue[end]('work 1')
      for (const { signal, fail } of gates.splice(0)) {
        assert.ok(signal.aborted)
        fail(signal.reason)
      }
      await settled()
      assert.deepEqual([gates.length, left.size, reports[0]?.stopped], end === 'stop' ? [0, 0, 3] : [0, 3, undefined])
    }
  })

  it('lists what was refused, keeps it stored, and does only that again', async () => {
    const { queue, gates, left, reports } = newQueue()
    queue.begin(discardOrder(1, 2))
    await settled()
    gates.shift()?.fail(refusal)
    await endAll(gates)
    const [work] = queue.works()
    assert.deepEqual([work?.phase, work?.failures.map(({ item }) => item.name)], ['failed', ['1']])
    assert.deepEqual([...left], [idOf(1)])
    queue.goOn(work?.id ?? '')
    assert.deepEqual(await endAll(gates), ['1'])
    assert.deepEqual([queue.works().length, left.size, reports.length], [0, 0, 2])
  })

  it('waits for a broken line without a failure, and goes on when it is back', async () => {
    const { queue, gates } = newQueue()
    queue.begin(discardOrder(1))
    for (let tries = 0; tries < 20; tries++) {
      await settled()
      gates.shift()?.fail(cut)
      await settled()
      assert.equal(queue.works()[0]?.phase, 'waiting')
      queue.wake()
    }
    assert.deepEqual(await endAll(gates), ['1'])
    assert.deepEqual(queue.works(), [])
  })

  it('fails at a server that answers and never can', async () => {
    const { queue, gates } = newQueue()
    queue.begin(discardOrder(1))
    let tries = 0
    for (await settled(); gates.length > 0; await settled()) {
      tries++
      gates.shift()?.fail(broken)
      await settled()
      queue.wake()
    }
    assert.deepEqual([tries, queue.works()[0]?.phase], [6, 'failed'])
  })

  it('does its last item when all others are done, and not if one has failed', async () => {
    const { queue, gates } = newQueue()
    queue.begin({ ...discardOrder(1, 2), last: discardItem(9) })
    await settled()
    const [first, second] = gates.splice(0)
    second?.fail(refusal)
    first?.end('done')
    await settled()
    assert.equal(gates.length, 0)
    queue.goOn(queue.works()[0]?.id ?? '')
    assert.deepEqual(await endAll(gates), ['2', '9'])
  })

  it('forgets what was not begun when it is stopped, and ends what runs', async () => {
    const { queue, gates, left, reports } = newQueue()
    queue.begin(discardOrder(1, 2, 3, 4, 5))
    await settled()
    queue.stop('work 1')
    await endAll(gates)
    assert.deepEqual([left.size, queue.works().length, reports[0]?.done, reports[0]?.stopped], [0, 0, 3, 2])
  })

  it('has no item that another piece of work takes over, unless its step runs', async () => {
    const { queue, gates } = newQueue()
    queue.begin(discardOrder(1, 2, 3, 4))
    await settled()
    queue.begin(discardOrder(3, 4, 5))
    assert.deepEqual(
      queue.works().map(({ total }) => total),
      [4, 2],
    )
    assert.deepEqual(await endAll(gates), ['1', '2', '3', '4', '5'])
  })
})

describe('work that a page has left', () => {
  const storedWork = (facts: Partial<StoredWork> = {}): StoredWork => ({
    ...{ id: 'left', order: discardOrder(1, 2), total: 10, begun: new Set([idOf(1)]), begunAt: 0 },
    ...facts,
  })

  it('goes on, and knows what was begun', async () => {
    const { queue, gates } = newQueue()
    queue.restore([storedWork()])
    await settled()
    assert.deepEqual([queue.works()[0]?.finished, gates.map(({ isFirstTry }) => isFirstTry)], [8, [false, true]])
    await endAll(gates)
    assert.deepEqual(queue.works(), [])
  })

  it('asks first when it is older than a day', async () => {
    const { queue, gates, stored } = newQueue({ now: () => DAY_MS + 1 })
    for (const answer of ['goOn', 'stop'] as const) {
      const work = storedWork({ id: answer })
      stored.set(answer, work)
      queue.restore([work])
      await settled()
      assert.deepEqual([queue.works()[0]?.phase, gates.length], ['asking', 0])
      queue[answer](answer)
      assert.equal((await endAll(gates)).length, answer === 'goOn' ? 2 : 0)
      assert.deepEqual([queue.works(), stored.size], [[], 0])
    }
  })

  it('ends what was begun of a keeping that its owner stops, and forgets the rest', async () => {
    const [albumId, assetId, opaqueId] = [parseAlbumId(idOf(8)), parseAssetId(idOf(9)), parseOpaqueId('0'.repeat(32))]
    assert.ok(albumId !== undefined && assetId !== undefined && opaqueId !== undefined)
    const known = { opaqueId, ciphertextHash: '', sealedBytes: 1, kemCt: '', receivedAt: '', adopting: false }
    const unsaid = { name: undefined, type: undefined, note: undefined, sender: undefined, modifiedAt: undefined }
    const file = { size: 1, safeName: undefined, ...unsaid }
    const keepItem = (number: number): WorkItem => {
      const id = idOf(number)
      return { do: 'keep', id, name: `${number}`, albumId, assetId, drop: { ...known, dropId: id, file } }
    }
    const { queue, gates, reports } = newQueue({ now: () => DAY_MS + 1 })
    queue.restore([storedWork({ order: { kind: 'keep', items: [1, 2, 3].map(keepItem) } })])
    queue.stop('left')
    await settled()
    assert.deepEqual(
      gates.map(({ item, isStopped }) => [item.name, isStopped]),
      [['1', true]],
    )
    gates.shift()?.end('stopped')
    await settled()
    assert.deepEqual([queue.works(), reports[0]?.stopped], [[], 3])
  })

  it('of the same id is done once', async () => {
    const { queue, gates } = newQueue()
    queue.restore([storedWork(), storedWork()])
    queue.restore([storedWork()])
    assert.equal((await endAll(gates)).length, 2)
  })
})

describe('a page that its owner leaves', () => {
  it('begins nothing more, ends what runs, and leaves the rest stored', async () => {
    const { queue, gates, left, stored } = newQueue()
    queue.begin(discardOrder(1, 2, 3, 4, 5))
    await settled()
    let hasEnded = false
    const ended = queue.end().then(() => {
      hasEnded = true
    })
    await settled()
    assert.equal(hasEnded, false)
    const [one, two, three] = gates.splice(0)
    one?.end('done')
    two?.fail(cut)
    three?.fail(refusal)
    await ended
    assert.deepEqual([gates.length, left.size, stored.size], [0, 4, 1])
  })
})
