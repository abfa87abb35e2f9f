/** Ends and removes what has expired: idle sessions, orphaned bytes, answers that are stored for repeats. */
import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import { addSeconds } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { isStoreBroken, type Store } from '../../ports/store.ts'
import { INVITES_KEPT_SECONDS } from '../account/invites.ts'
import type { Finishing } from '../arrival/finishing.ts'
import type { Assets } from '../assets/assets.ts'
import type { Bin } from '../bin/bin.ts'
import { type Collector, MAX_COLLECT } from '../custody/collect.ts'
import type { Parts } from '../custody/parts.ts'
import { uploadIdOf } from '../ground/location.ts'
import type { Shares } from '../shares/shares.ts'
import { EVENTS_KEPT_SECONDS, pruneEvents } from '../sync/events.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import type { Writers } from '../uploads/writers.ts'
import type { AccountDeletion } from './accountDeletion.ts'

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
  readonly bin: Pick<Bin, 'sweep'>
  readonly collector: Collector
  readonly accountDeletion: Pick<AccountDeletion, 'resume'>
  readonly shares: Pick<Shares, 'prune'>
  readonly assets: Pick<Assets, 'removePending'>
  /** Undefined if the store of bytes has no keys. */
  readonly parts: Pick<Parts, 'removeDue'> | undefined
  /** Checks some accounts against the limits of the deployment. */
  readonly reviewQuotas: () => Promise<void>
}

/** A session that did not land answers repeated requests for so long. */
const UNLANDED_KEPT_SECONDS = 86_400

/** For each step of a sweep. It keeps a sweep short. */
const MAX_BATCH = 500
/** Sessions that one transaction removes, and how many transactions a sweep makes of it. */
const MAX_PRUNED_AT_ONCE = 100
const MAX_PRUNINGS = 1000

export type Sweep = ReturnType<typeof createSweep>

export function createSweep(
  {
    store,
    clock,
    writers,
    finishing,
    ending,
    bin,
    collector,
    accountDeletion,
    shares,
    assets,
    parts,
    reviewQuotas,
  }: SweepPorts,
  settings: SweepSettings,
) {
  const ago = (seconds: number) => addSeconds(clock.now(), -seconds)

  /** No upload ends while a client writes to it, or after it received another chunk. */
  async function endExpiredSessions(): Promise<void> {
    const expired = await store.read((tx) =>
      tx.uploads.expired({
        noChunkBefore: ago(settings.uploadFirstByteSeconds),
        idleBefore: ago(settings.uploadIdleSeconds),
        createdBefore: ago(settings.uploadLifeSeconds),
        max: MAX_BATCH,
      }),
    )
    await ending.end(expired, {
      isUnchanged: true,
      mayEnd: ({ uploadId }) => !writers.isWriting(uploadId),
    })
  }

  /** Stops a writer of the bytes first: its upload has ended. */
  async function removeDeleting(): Promise<void> {
    const deleting = await store.read((tx) => tx.objects.listIn('deleting', addSeconds(clock.now(), 1), MAX_COLLECT))
    await collector.remove(deleting, async ({ location }) => {
      const uploadId = uploadIdOf(location)
      if (uploadId !== undefined) await writers.stop(uploadId)
    })
    await parts?.removeDue()
  }

  /** In short transactions: many sessions may have closed at once, or while no server ran, each with many chunks. */
  async function pruneUploads(): Promise<void> {
    const closedBefore = ago(settings.receiptGuestSeconds)
    const unlandedBefore = ago(UNLANDED_KEPT_SECONDS)
    for (let turn = 0; turn < MAX_PRUNINGS; turn += 1) {
      const which = { closedBefore, unlandedBefore, max: MAX_PRUNED_AT_ONCE }
      if ((await store.write([], (tx) => tx.uploads.prune(which))) < MAX_PRUNED_AT_ONCE) return
    }
  }

  /** Each statement removes only rows that no work depends on any more, so it needs no lock. */
  async function prune(): Promise<void> {
    await store.write([], async (tx) => {
      await tx.sessions.prune(clock.now())
      await tx.capabilities.prune(clock.now(), MAX_BATCH)
      await tx.challenges.prune(clock.now(), MAX_BATCH)
      await tx.invites.prune(ago(INVITES_KEPT_SECONDS), MAX_BATCH)
    })
  }

  const steps = [
    () => finishing.resume(),
    endExpiredSessions,
    accountDeletion.resume,
    () => bin.sweep(),
    async () => void (await collector.mark()),
    async () => void (await collector.startDeleting()),
    removeDeleting,
    pruneUploads,
    prune,
    () => shares.prune(),
    () => assets.removePending(ago(settings.uploadIdleSeconds), MAX_BATCH),
    () => pruneEvents(store, ago(EVENTS_KEPT_SECONDS)),
    reviewQuotas,
  ]

  return {
    /** Removes the remaining drops and assets of deleted accounts. */
    resumeAccountDeletions: accountDeletion.resume,

    /** Removes bytes of deleting objects: without a receipt, or chosen by the collector. */
    removeDeleting,

    /** Runs every step, whatever failed before: a stuck upload must not block caps and quota of others. */
    sweep: (): Promise<void> => tryEachInTurn(steps, (step) => step(), isStoreBroken),
  }
}
