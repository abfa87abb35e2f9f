import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ProblemError } from '@blindkeep/client/errors'
import { parseDropId } from '@blindkeep/protocol/ids'
import { isolated } from '../../common/names/isolated.ts'
import { albumsTexts, binTexts, inboxTexts, workTexts } from '../ground/texts.ts'
import type { WorkItem, WorkOrder } from '../work/workOrder.ts'
import { createWorkQueue } from '../work/workQueue.ts'
import type { WorkPorts } from '../work/workRunner.ts'
import { messagesOf } from './workMessages.ts'

const texts = { work: workTexts.en, inbox: inboxTexts.en, albums: albumsTexts.en, bin: binTexts.en }
const suspended = new ProblemError({ operation: 'discardDrop', status: 403, code: 'error.account.suspended' })

function discarding(...names: readonly string[]): WorkOrder {
  const items = names.map((name, index): WorkItem => {
    const id = parseDropId(`00000000-0000-4000-8000-${String(index).padStart(12, '0')}`)
    assert.ok(id !== undefined)
    return { do: 'discard', id, name }
  })
  return { kind: 'discard', items }
}

/** A queue with these steps, and what it has said: each message with the names that its button brings back. */
function newQueue(step: (name: string) => ReturnType<WorkPorts['step']>) {
  const said: (readonly [text: string, undone: string | undefined])[] = []
  const queue = createWorkQueue({
    step: (item) => step(item.name ?? ''),
    store: async () => undefined,
    forget: async () => undefined,
    forgetItems: async () => undefined,
    newId: () => 'work',
    now: () => 0,
    wait: async () => undefined,
  })
  queue.onReport((report) => {
    const nameOf = (id: string) => report.order.items.find((item) => item.id === id)?.name
    const actionFor = (ids: readonly string[]) => ({ text: ids.map(nameOf).join(), run: () => undefined })
    for (const { text, action } of messagesOf(report, texts, actionFor)) said.push([text, action?.text])
  })
  return { queue, said }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('what is said of work that has ended', () => {
  it('is about what this try has done, and so is the button that brings it back', async () => {
    let isSuspended = true
    const { queue, said } = newQueue(async (name) => {
      if (name === 'b' && isSuspended) throw suspended
      return name === 'c' ? 'already' : 'done'
    })
    queue.begin(discarding('a', 'b', 'c'))
    await settled()
    isSuspended = false
    queue.goOn('work')
    await settled()
    assert.deepEqual(said, [
      [texts.inbox.discarding.doneOne(isolated('a')), 'a'],
      [texts.work.already(1), undefined],
      [texts.inbox.discarding.doneOne(isolated('b')), 'b'],
    ])
  })

  it('says that it is the rest, when a page before has begun it', async () => {
    const { queue, said } = newQueue(async () => 'done')
    queue.restore([{ id: 'work', order: discarding('y', 'z'), begun: new Set(), total: 30, begunAt: 0 }])
    await settled()
    assert.deepEqual(said, [[`${texts.inbox.discarding.done(2)} ${texts.work.rest(2, 30)}`, 'y,z']])
  })
})
