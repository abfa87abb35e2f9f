/** Keeps or discards one or many files, and shows the result. Continues while the list changes. */
import { ProblemError } from '@blindkeep/client/errors'
import type { Album } from '@blindkeep/client/owner'
import type { AssetId, DropId } from '@blindkeep/protocol/ids'
import { useEffect, useRef, useState } from 'preact/hooks'
import { guardClosing } from '../../common/closeGuard.ts'
import { useText } from '../../common/reader.ts'
import { isMadeWhenKept } from '../albums/thumbnails.ts'
import { thumbnailWorkOf } from '../albums/thumbnailWork.ts'
import { useOwnerPages } from '../context.ts'
import { useDevice } from '../device.ts'
import type { ListedDrop } from './dropList.ts'
import { type DropTask, failureMessage, messagesOf } from './dropTask.ts'
import { deleteKeep, deleteKeepsOfDrop, storeKeep } from './keepStore.ts'
import { inboxTexts } from './texts.ts'
import { type Failure, workThrough } from './workThrough.ts'

/** Each file needs a signature of some tens of milliseconds and two small uploads. */
const MAX_AT_ONCE = 3

export interface DropWork {
  /** The running task, and how many of its files are finished. */
  readonly running: { readonly task: DropTask; readonly finished: number } | undefined
  /** The failures of the last task. */
  readonly failed: { readonly task: DropTask; readonly failures: readonly Failure<ListedDrop>[] } | undefined
  /** Does nothing while a task is running. */
  begin(task: DropTask): void
  stop(): void
  dismiss(): void
}

/** `onDone` is called for each file that has left the inbox. */
export function useDropWork(onDone: (dropId: DropId) => void): DropWork {
  const { showMessage } = useOwnerPages()
  const text = useText(inboxTexts)
  const doOne = useDropStep()
  const [running, setRunning] = useState<DropWork['running']>()
  const [failed, setFailed] = useState<DropWork['failed']>()
  const stopper = useRef<AbortController | undefined>(undefined)
  // The task continues when the owner leaves the page.
  const isShown = useRef(true)
  useEffect(
    () => () => {
      isShown.current = false
    },
    [],
  )

  async function run(task: DropTask, signal: AbortSignal): Promise<void> {
    let alreadyDone = 0
    const outcome = await workThrough({
      items: task.items,
      maxAtOnce: MAX_AT_ONCE,
      signal,
      onStep(finished) {
        if (isShown.current) setRunning({ task, finished })
      },
      async each(item) {
        if (!(await doOne(task, item))) alreadyDone += 1
        onDone(item.dropId)
      },
    })
    const { failures } = outcome
    for (const message of messagesOf({ task, outcome, alreadyDone }, text)) showMessage(message)
    if (failures.length === 0) return
    if (isShown.current) setFailed({ task, failures })
    else showMessage(failureMessage(task, failures.length, text))
  }

  return {
    running,
    failed,
    begin(task) {
      if (stopper.current !== undefined || task.items.length === 0) return
      const controller = new AbortController()
      stopper.current = controller
      const releaseGuard = guardClosing()
      setFailed(undefined)
      setRunning({ task, finished: 0 })
      void run(task, controller.signal).finally(() => {
        stopper.current = undefined
        releaseGuard()
        if (isShown.current) setRunning(undefined)
      })
    },
    stop: () => stopper.current?.abort(),
    dismiss: () => setFailed(undefined),
  }
}

/** Performs the task for one file. Resolves with false when another tab or device has already handled the file. */
function useDropStep(): (task: DropTask, item: ListedDrop) => Promise<boolean> {
  const { owner, baseUrl } = useOwnerPages()
  const device = useDevice()
  /**
   * The same id for every try of a file and album: when an answer was lost, the asset that it created is found and not
   * created twice. Another album is another choice, which must not finish the earlier one.
   */
  const assetIds = useRef(new Map<string, AssetId>())

  /** Not stopped in between: a file that has left the inbox needs its signature. */
  async function keep(item: ListedDrop, album: Album['albumId']): Promise<void> {
    // The dialog offers only opened files: what the owner could not see is never signed.
    if (item.file === undefined) throw new TypeError('a file that was not opened cannot be kept')
    const choice = `${item.dropId} ${album}`
    const tried = assetIds.current.get(choice)
    const assetId = tried ?? owner.newAssetId()
    assetIds.current.set(choice, assetId)
    const { accountId } = owner
    await storeKeep({ accountId, baseUrl, assetId, albumId: album, drop: item, begunAt: Date.now() })
    await owner.adoptDrop(item, { album, assetId, isFirstTry: tried === undefined, device: await device() })
    assetIds.current.delete(choice)
    await deleteKeep(assetId)
    if (isMadeWhenKept()) thumbnailWorkOf(owner).add([assetId])
  }

  return async (task, item) => {
    try {
      if (task.kind === 'keep') await keep(item, task.album.albumId)
      else {
        await deleteKeepsOfDrop({ accountId: owner.accountId, baseUrl }, item.dropId)
        await owner.discardDrop(item.dropId)
      }
      return true
    } catch (error) {
      if (isAlreadyHandled(error)) return false
      throw error
    }
  }
}

function isAlreadyHandled(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.drop.not_found'
}
