import { addSeconds } from '@blindkeep/protocol/ids'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { AccountDeletion } from './account/accountDeletion.ts'
import { INVITES_KEPT_SECONDS } from './account/invites.ts'
import type { Shares } from './assets/shares.ts'
import { EVENTS_KEPT_SECONDS, pruneEvents } from './changes/events.ts'
import { type Collector, MAX_COLLECT } from './custody/collect.ts'
import { eachInTurn } from './eachInTurn.ts'
import type { Finishing } from './uploads/finishing.ts'
import { uploadIdOf } from './uploads/location.ts'
import type { UploadEnding } from './uploads/uploadEnding.ts'
import type { Writers } from './uploads/writers.ts'

/** What has run its time: sessions that nobody goes on with, bytes that nothing owns, answers that need not be repeated any more. */
export interface SweepSettings {
  readonly uploadFirstByteSeconds: number
  readonly uploadIdleSeconds: number
  readonly uploadLifeSeconds: number
  readonly receiptGuestSeconds: number
}

interface SweepPorts {
  readonly store: Store
  readonly clock: Clock
  readonly writers: Writers
  readonly finishing: Finishing
  readonly ending: UploadEnding
  readonly collector: Collector
  readonly accountDeletion: Pick<AccountDeletion, 'empty'>
  readonly shares: Pick<Shares, 'prune'>
  /** Looks through some accounts for limits that have changed beside them. */
  readonly reviewQuotas: () => Promise<void>
}

/** Of each kind at a time, so that a sweep is never a long one. */
const MAX_BATCH = 500

export type Sweep = ReturnType<typeof createSweep>

export function createSweep(
  { store, clock, writers, finishing, ending, collector, accountDeletion, shares, reviewQuotas }: SweepPorts,
  settings: SweepSettings,
) {
  const ago = (seconds: number) => addSeconds(clock.now(), -seconds)

  /**
   * Never ends a session while somebody writes to it, nor one that was gone on with since it was looked at: that is judged again inside the transaction.
   */
  async function endRunOut(): Promise<void> {
    const runOut = await store.read((tx) =>
      tx.uploads.expired({
        noChunkBefore: ago(settings.uploadFirstByteSeconds),
        idleBefore: ago(settings.uploadIdleSeconds),
        createdBefore: ago(settings.uploadLifeSeconds),
        max: MAX_BATCH,
      }),
    )
    await ending.end(runOut, async (tx, { uploadId, lastChunkAt }) => {
      const present = await tx.uploads.find(uploadId)
      return present?.lastChunkAt === lastChunkAt && !writers.isWriting(uploadId)
    })
  }

  /** Whoever still writes to a session that is over is stopped first. */
  async function removeDeleting(): Promise<void> {
    const deleting = await store.read((tx) => tx.objects.listIn('deleting', addSeconds(clock.now(), 1), MAX_COLLECT))
    await collector.remove(deleting, async ({ location }) => {
      const uploadId = uploadIdOf(location)
      if (uploadId !== undefined) await writers.stop(uploadId)
    })
  }

  /** Answers need not be repeated for ever, and who is not signed in any more need not be known. */
  async function prune(): Promise<void> {
    await store.write(async (tx) => {
      await tx.uploads.prune(ago(settings.receiptGuestSeconds))
      await tx.sessions.prune(clock.now())
      await tx.capabilities.prune(clock.now(), MAX_BATCH)
      await tx.challenges.prune(clock.now(), MAX_BATCH)
      await tx.invites.prune(ago(INVITES_KEPT_SECONDS), MAX_BATCH)
    })
  }

  const steps = [
    () => finishing.resume(),
    endRunOut,
    accountDeletion.empty,
    async () => void (await collector.mark()),
    async () => void (await collector.judge()),
    removeDeleting,
    prune,
    () => shares.prune(),
    () => pruneEvents(store, ago(EVENTS_KEPT_SECONDS)),
    reviewQuotas,
  ]

  return {
    /** What accounts still hold that their owners have deleted. */
    emptyDeleted: accountDeletion.empty,

    /** Bytes that may go at once: those that were never vouched for, and what the collector has deleting. */
    removeDeleting,

    /** One step that fails does not hold up the others: a session that cannot be finished must not keep caps and quota from those that ran out. */
    sweep: (): Promise<void> => eachInTurn(steps, (step) => step()),
  }
}
