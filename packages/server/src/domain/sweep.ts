import { addSeconds, type UploadId } from '@blindkeep/protocol/ids'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { CopyState, Store } from '../ports/store.ts'
import type { Finishing } from './finishing.ts'
import { uploadIdOf } from './location.ts'
import type { UploadEnding } from './uploads.ts'
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

  /** Never ends a session while somebody writes to it. */
  async function endRunOut(): Promise<void> {
    const runOut = await store.read((tx) =>
      tx.uploads.runOut({
        noChunkBefore: ago(settings.uploadFirstByteSeconds),
        idleBefore: ago(settings.uploadIdleSeconds),
        createdBefore: ago(settings.uploadLifeSeconds),
        most: BATCH_MOST,
      }),
    )
    await ending.end(runOut.filter(({ uploadId }) => !writers.isWriting(uploadId)))
  }

  /** Bytes first, then the row that knows them: a crash in between leaves a row, and the next sweep tries again. */
  async function removeCopies(state: CopyState, afterSeconds: number): Promise<void> {
    const copies = await store.read((tx) =>
      tx.copies.listIn(state, addSeconds(clock.now(), 0 - afterSeconds), BATCH_MOST),
    )
    for (const { location } of copies) {
      const uploadId: UploadId | undefined = uploadIdOf(location)
      if (uploadId !== undefined) await writers.stop(uploadId)
      await blobs.remove(location)
    }
    if (copies.length === 0) return
    await store.write(async (tx) => {
      for (const { location } of copies) await tx.copies.remove(location)
    })
  }

  return {
    /** Bytes that were never vouched for. */
    removeDoomed: () => removeCopies('doomed', -1),

    async sweep(): Promise<void> {
      await finishing.resume()
      await endRunOut()
      await removeCopies('doomed', -1)
      await removeCopies('unowned', settings.collectGraceSeconds)
      await store.write(async (tx) => {
        await tx.uploads.prune(ago(settings.receiptGuestSeconds))
        await tx.sessions.prune(clock.now())
      })
    },
  }
}
