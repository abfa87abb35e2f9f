import { addSeconds } from '@blindkeep/protocol/ids'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Copy, CopyState, Store, WriteTx } from '../ports/store.ts'
import { eachInTurn } from './eachInTurn.ts'
import type { Finishing } from './finishing.ts'
import { uploadIdOf } from './location.ts'
import type { UploadEnding } from './uploadEnding.ts'
import type { Writers } from './writers.ts'

/** What has run its time: sessions that nobody goes on with, bytes that nothing owns, answers that need not be repeated any more. */
export interface SweepSettings {
  readonly uploadFirstByteSeconds: number
  readonly uploadIdleSeconds: number
  readonly uploadLifeSeconds: number
  readonly receiptGuestSeconds: number
  readonly collectGraceSeconds: number
}

interface SweepPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly writers: Writers
  readonly finishing: Finishing
  readonly ending: UploadEnding
}

/** Of each kind at a time, so that a sweep is never a long one. */
const BATCH_MOST = 500

export type Sweep = ReturnType<typeof createSweep>

export function createSweep({ store, blobs, clock, writers, finishing, ending }: SweepPorts, settings: SweepSettings) {
  const ago = (seconds: number) => addSeconds(clock.now(), -seconds)

  /**
   * Never ends a session while somebody writes to it, nor one that was gone on with since it was looked at: that is judged again inside the transaction.
   */
  async function endRunOut(): Promise<void> {
    const runOut = await store.read((tx) =>
      tx.uploads.runOut({
        noChunkBefore: ago(settings.uploadFirstByteSeconds),
        idleBefore: ago(settings.uploadIdleSeconds),
        createdBefore: ago(settings.uploadLifeSeconds),
        most: BATCH_MOST,
      }),
    )
    await ending.end(runOut, async (tx, { uploadId, lastChunkAt }) => {
      const present = await tx.uploads.find(uploadId)
      return present?.lastChunkAt === lastChunkAt && !writers.isWriting(uploadId)
    })
  }

  /** Bytes first, then the row that knows them: a crash in between leaves a row, and the next sweep tries again. */
  async function removeCopies(state: CopyState, afterSeconds: number): Promise<void> {
    const copies = await store.read((tx) =>
      tx.copies.listIn(state, addSeconds(clock.now(), 0 - afterSeconds), BATCH_MOST),
    )
    const removed: string[] = []
    const remove = async ({ location }: Copy): Promise<void> => {
      const uploadId = uploadIdOf(location)
      if (uploadId !== undefined) await writers.stop(uploadId)
      await blobs.remove(location)
      removed.push(location)
    }
    const forget = async (tx: WriteTx): Promise<void> => {
      for (const location of removed) await tx.copies.remove(location)
    }
    await eachInTurn(copies, remove).finally(() => (removed.length === 0 ? undefined : store.write(forget)))
  }

  /** Answers need not be repeated for ever, and who is not signed in any more need not be known. */
  async function prune(): Promise<void> {
    await store.write(async (tx) => {
      await tx.uploads.prune(ago(settings.receiptGuestSeconds))
      await tx.sessions.prune(clock.now())
    })
  }

  const steps = [
    () => finishing.resume(),
    endRunOut,
    () => removeCopies('doomed', -1),
    () => removeCopies('unowned', settings.collectGraceSeconds),
    prune,
  ]

  return {
    /** Bytes that were never vouched for. */
    removeDoomed: () => removeCopies('doomed', -1),

    /** One step that fails does not hold up the others: a session that cannot be finished must not keep caps and quota from those that ran out. */
    sweep: (): Promise<void> => eachInTurn(steps, (step) => step()),
  }
}
