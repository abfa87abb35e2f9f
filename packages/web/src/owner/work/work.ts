/** The work of the signed-in owner. It goes on while other pages are shown, and after a reload on the next page. */
import { systemEnvironment } from '@blindkeep/client/environment'
import type { Owner } from '@blindkeep/client/owner'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { useText } from '../../common/language/reader.ts'
import { guardClosingWhile } from '../../common/work/closeGuard.ts'
import { deviceOf } from '../browser/device.ts'
import { onOwnerLeave } from '../ground/ownerLeave.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { workTexts } from '../ground/texts.ts'
import { type StartedWork, startedWork } from './startedWork.ts'
import type { Work } from './workEntries.ts'
import type { WorkItem, WorkOrder } from './workOrder.ts'
import { createWorkQueue, type WorkQueue } from './workQueue.ts'
import { createWorkStep } from './workStep.ts'
import { createWorkStore } from './workStore.ts'
import { type ForeignWork, joinWorkTabs } from './workTabs.ts'

/** Another tab does not wait longer for the steps that run here: repeated, they do no harm. */
const MAX_END_MS = 4_000

export interface OwnWork extends Pick<WorkQueue, 'goOn' | 'stop'> {
  readonly works: readonly Work[]
  /** Of other tabs. */
  readonly foreign: readonly ForeignWork[]
  /** Says how many files it leaves out, because other work is doing them. */
  begin(order: WorkOrder): void
  /** Whether a piece of work of this tab has this file still to do. */
  isBusy(itemId: string): boolean
}

/** The work of this tab, and what others announce. Only a component that shows it needs it. */
export function useWork(): OwnWork {
  const { showMessage } = useOwnerPages()
  const text = useText(workTexts)
  const queue = useQueue()
  const { tabs } = queue
  const read = () => ({ works: queue.works(), foreign: tabs.works() })
  const [shown, setShown] = useState(read)
  useEffect(() => {
    const update = () => setShown(read())
    update()
    const leave = [queue.subscribe(update), tabs.subscribe(update)]
    return () => {
      for (const end of leave) end()
    }
  }, [queue])
  const begin = useCallback(
    (order: WorkOrder) => {
      const busy = queue.begin(order)
      if (busy > 0 && order.isUnasked !== true) showMessage({ tone: 'info', text: text.busy(busy) })
    },
    [queue, showMessage, text],
  )
  const { goOn, stop } = queue
  return { ...shown, goOn, stop, begin, isBusy: (itemId) => shown.works.some((work) => work.isLeft(itemId)) }
}

/** Calls back for each finished item. */
export function useWorked(onItem: (item: WorkItem) => void): void {
  const queue = useQueue()
  useEffect(() => queue.onItem(onItem), [queue, onItem])
}

/** Calls back when a piece of work has ended. */
export function useWorkReports(onReport: Parameters<WorkQueue['onReport']>[0]): void {
  const queue = useQueue()
  useEffect(() => queue.onReport(onReport), [queue, onReport])
}

/** The connection is back. */
export function wakeWork(owner: Owner): void {
  startedWork.get(owner)?.wake()
}

function useQueue(): StartedWork {
  const { owner, baseUrl } = useOwnerPages()
  return startedWork.get(owner) ?? start(owner, baseUrl)
}

function start(owner: Owner, baseUrl: string): StartedWork {
  const left = new AbortController()
  const pageId = crypto.randomUUID()
  const store = createWorkStore({ owner, baseUrl })
  const queue = createWorkQueue({
    step: createWorkStep({ owner, device: () => deviceOf(owner), store }),
    store: async (work) => {
      // A folder is this page's.
      if (work.order.kind !== 'save') await tabs.held.then(() => store.store(work, pageId)).catch(() => undefined)
    },
    forget: store.forget,
    forgetItems: store.forgetItems,
    newId: () => crypto.randomUUID(),
    now: Date.now,
    wait: systemEnvironment.wait,
  })
  const end = () => Promise.race([queue.end(), systemEnvironment.wait(MAX_END_MS)])
  const tabs = joinWorkTabs({ accountId: owner.accountId, baseUrl, pageId, store, queue, end, left: left.signal })
  const started = { ...queue, tabs }
  startedWork.set(owner, started)
  queue.subscribe(tabs.announce)
  guardClosingWhile(() => queue.works().some(isUnderWay), queue.subscribe)
  onOwnerLeave(owner, () => {
    void queue.end()
    left.abort()
  })
  return started
}

export const isUnderWay = ({ phase }: Pick<Work, 'phase'>) => !['failed', 'asking'].includes(phase)
