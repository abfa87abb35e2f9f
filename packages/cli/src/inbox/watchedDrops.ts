/** `watch`'s drops: a few at once, until done. A failed one is tried later, and leaves its place to others. */
import { AssetError, DropError, type DropFault, NetworkError, SealError } from '@blindkeep/client/errors'
import type { DescribedDrop, InboxItem } from '@blindkeep/client/owner'
import type { DropId } from '@blindkeep/protocol/ids'
import type { Report } from '../ground/report.ts'
import { type Failure, failureOf } from '../outcomes/failures.ts'
import { createProgress, type FileUnderWay } from '../send/progress.ts'
import { ProgramError } from './exec.ts'
import { isDone } from './saveDrop.ts'
import { AT_ONCE, movingOf, type Saving, tellFailed } from './saveSteps.ts'
import { createTroubles } from './troubles.ts'

interface WatchedDrops {
  /** What the inbox has now, and the begun adoptions, whose drops may have left it. Begins with what there is to do. */
  take(items: readonly InboxItem[], begun: readonly DescribedDrop[]): void
  underWay(): Iterable<DropId>
  /** Resolves when nothing is under way. */
  ended(): Promise<void>
}

interface WatchedDropsPorts {
  readonly saving: Saving
  readonly report: Report
  readonly signal: AbortSignal
  /** Called when it is time to `take` again. */
  readonly onDue: () => void
}

export function createWatchedDrops({ saving, report, signal, onDue }: WatchedDropsPorts): WatchedDrops {
  const troubles = createTroubles()
  const underWay = new Map<DropId, Promise<void>>()
  /** Done by this process. The inbox that is being read meanwhile may still list them. */
  const done = new Set<DropId>()
  /** Those of the last reading, in its order. */
  let waiting = new Map<DropId, DescribedDrop>()
  let inInbox: ReadonlySet<DropId> = new Set()
  let progress = createProgress<FileUnderWay>([], report)

  function note(item: InboxItem, { message, reason }: Words, isFinal: boolean): void {
    if (troubles.note(item.dropId, { reason, isFinal }, onDue)) tellFailed(report, item, { message, reason })
  }

  async function work(drop: DescribedDrop): Promise<void> {
    try {
      if (inInbox.has(drop.dropId)) {
        progress.add(movingOf(drop))
        await saving.save(drop, progress)
      } else await saving.adopt(drop)
      troubles.end(drop.dropId)
      done.add(drop.dropId)
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) note(drop, failureOf(error), true)
      else note(drop, waitingFailure(error), false)
    }
  }

  function start(): void {
    for (const [dropId, drop] of waiting) {
      if (signal.aborted || underWay.size >= AT_ONCE) return
      waiting.delete(dropId)
      if (underWay.size === 0) progress = createProgress<FileUnderWay>([], report)
      const working = work(drop).finally(() => {
        underWay.delete(dropId)
        if (underWay.size === 0) report.end()
        start()
      })
      underWay.set(dropId, working)
    }
  }

  function hasWork({ dropId }: InboxItem): boolean {
    return !underWay.has(dropId) && !done.has(dropId) && troubles.isDue(dropId)
  }

  return {
    take(items, begun) {
      inInbox = new Set(items.map(({ dropId }) => dropId))
      const left = begun.filter(({ dropId }) => !inInbox.has(dropId))
      const known = new Set([...inInbox, ...left.map(({ dropId }) => dropId)])
      troubles.endOthers(known)
      for (const dropId of done) if (!known.has(dropId)) done.delete(dropId)
      for (const item of items)
        if (item.fault !== undefined && hasWork(item)) note(item, item.fault, !canPass(item.fault))
      const opened = items.filter((item) => item.file !== undefined)
      const toDo = [...opened.filter(({ dropId }) => !isDone(saving.kept.of(dropId), saving.steps)), ...left]
      waiting = new Map(toDo.filter(hasWork).map((drop) => [drop.dropId, drop]))
      start()
    },
    underWay: () => underWay.keys(),
    async ended() {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },
  }
}

type Words = Pick<Failure, 'message' | 'reason'>

/** For a person who need not do anything. */
export function waitingFailure(error: unknown): Words {
  const { message, reason } = failureOf(error)
  return { message: `${error instanceof NetworkError ? error.message : message} It is tried again by itself.`, reason }
}

/** Another try ends the same: what was opened is not what was sealed, or the program must be mended. */
function isFinal(error: unknown): boolean {
  return [AssetError, DropError, ProgramError, SealError].some((kind) => error instanceof kind)
}

/** The next reading may open the drop. */
function canPass({ reason }: DropFault): boolean {
  return ['answer_broken', 'damaged', 'held', 'not_in_inbox', 'refused', 'unreachable'].includes(reason)
}
