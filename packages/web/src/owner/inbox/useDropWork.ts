/** Keeping and discarding, one file or many, with what came of it. Goes on while the list changes below it. */
import { ProblemError } from '@blindkeep/client/errors'
import type { Album, InboxItem } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useEffect, useRef, useState } from 'preact/hooks'
import { guardClosing } from '../../common/closeGuard.ts'
import { useOwnerPages } from '../context.ts'
import { useDevice } from '../device.ts'
import { type DropTask, failureMessage, messagesOf } from './dropTask.ts'
import { type Failure, workThrough } from './work.ts'

/** Each signs with a key that takes some tens of milliseconds, and sends two small files. */
const AT_ONCE = 3

export interface DropWork {
  /** What is being done, and how much of it is over. */
  readonly running: { readonly task: DropTask; readonly over: number } | undefined
  /** Of the last task, what did not work. */
  readonly failed: { readonly task: DropTask; readonly failures: readonly Failure<InboxItem>[] } | undefined
  /** One at a time; a second call meanwhile does nothing. */
  begin(task: DropTask): void
  stop(): void
  dismiss(): void
}

/** `onChange` after each one, since the list has become another. */
export function useDropWork(onChange: () => void): DropWork {
  const { language, tell } = useOwnerPages()
  const doOne = useOneStep()
  const [running, setRunning] = useState<DropWork['running']>()
  const [failed, setFailed] = useState<DropWork['failed']>()
  const stopper = useRef<AbortController | undefined>(undefined)
  // Whoever leaves the page has said what to do: it is done to its end.
  const isShown = useRef(true)
  useEffect(
    () => () => {
      isShown.current = false
    },
    [],
  )

  async function run(task: DropTask, signal: AbortSignal): Promise<void> {
    let gone = 0
    const outcome = await workThrough({
      items: task.items,
      atOnce: AT_ONCE,
      signal,
      onStep(over) {
        if (isShown.current) setRunning({ task, over })
        onChange()
      },
      async each(item) {
        if (!(await doOne(task, item, signal))) gone += 1
      },
    })
    const { failures } = outcome
    for (const message of messagesOf({ task, outcome, gone, language })) tell(message)
    if (failures.length === 0) return
    if (isShown.current) setFailed({ task, failures })
    else tell(failureMessage(task, failures.length, language))
  }

  return {
    running,
    failed,
    begin(task) {
      if (stopper.current !== undefined || task.items.length === 0) return
      const controller = new AbortController()
      stopper.current = controller
      const rest = guardClosing()
      setFailed(undefined)
      setRunning({ task, over: 0 })
      void run(task, controller.signal).finally(() => {
        stopper.current = undefined
        rest()
        if (isShown.current) setRunning(undefined)
        onChange()
      })
    },
    stop: () => stopper.current?.abort(),
    dismiss: () => setFailed(undefined),
  }
}

/** Does to one file what the task says; resolves with whether it was there to be done, and was not gone already. */
function useOneStep(): (task: DropTask, item: InboxItem, signal: AbortSignal) => Promise<boolean> {
  const { owner } = useOwnerPages()
  const device = useDevice()
  /** Kept over tries, so that what a lost answer has already made an asset is found again and not made twice. */
  const assetIds = useRef(new Map<string, AssetId>())

  async function keep(item: InboxItem, album: Album['albumId'], signal: AbortSignal): Promise<void> {
    const assetId = assetIds.current.get(item.dropId) ?? owner.newAssetId()
    assetIds.current.set(item.dropId, assetId)
    await owner.adoptDrop(item, { album, assetId, device: await device(), signal })
    assetIds.current.delete(item.dropId)
  }

  return async (task, item, signal) => {
    try {
      if (task.kind === 'keep') await keep(item, task.album.albumId, signal)
      else await owner.discardDrop(item.dropId)
      return true
    } catch (error) {
      if (isGone(error)) return false
      throw error
    }
  }
}

/** Another tab or another device was quicker. */
function isGone(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.drop.not_found'
}
