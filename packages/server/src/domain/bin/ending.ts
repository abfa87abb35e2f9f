/** How entries leave the bin for good: their space is free then, and their objects wait for the collector. */
import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import { type AccountId, addSeconds, type BinId, type Instant, instantOf } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { accountLock, type EndedEntry, isStoreBroken, type Store, type WriteTx } from '../../ports/store.ts'
import type { Quota } from '../quota/quota.ts'

export interface BinSettings {
  readonly collectGraceSeconds: number
}

export interface EndingPorts {
  readonly store: Store
  readonly clock: Clock
  readonly quota: Pick<Quota, 'refund'>
}

/** Entries that one transaction ends. */
const MAX_STEP = 100
/** Entries among which a sweep looks for accounts. */
const MAX_DUE = 500
/** After everything. */
const LAST = instantOf(Number.MAX_SAFE_INTEGER)

export function createEnding({ store, clock, quota }: EndingPorts, { collectGraceSeconds }: BinSettings) {
  /** No album of theirs keeps its name for them any more. */
  async function release(tx: WriteTx, accountId: AccountId, ended: readonly EndedEntry[]): Promise<void> {
    if (ended.length === 0) return
    const bytes = ended.reduce((sum, { size }) => sum + size, 0)
    await quota.refund(tx, accountId, bytes, clock.now())
    for (const albumId of new Set(ended.map((entry) => entry.albumId)))
      if (albumId !== undefined) await tx.albums.forgetName(albumId)
  }

  /** Ends some entries that were deleted until `until`, oldest first. Returns how many. */
  async function endSome(accountId: AccountId, until: Instant): Promise<number> {
    return store.write([accountLock(accountId)], async (tx) => {
      const ended = await tx.bin.removeUntil(accountId, until, MAX_STEP)
      await release(tx, accountId, ended)
      return ended.length
    })
  }

  async function endAll(accountId: AccountId, until: Instant): Promise<void> {
    let ended: number
    do ended = await endSome(accountId, until)
    while (ended === MAX_STEP)
  }

  return {
    /** Ends an entry, if there is one. */
    async end(accountId: AccountId, entryId: BinId): Promise<void> {
      await store.write([accountLock(accountId)], async (tx) => {
        const ended = await tx.bin.remove(accountId, entryId)
        await release(tx, accountId, ended === undefined ? [] : [ended])
      })
    },

    /** Ends all entries that the account has now, in steps that serve others. The clock may be behind their times. */
    async empty(accountId: AccountId): Promise<void> {
      const { rows } = await store.ask((tx) => tx.bin.page(accountId, { max: 1, order: 'newest' }))
      for (const { deletedAt } of rows) await endAll(accountId, deletedAt)
    },

    /** Ends some entries of a deleted account. Returns how many. */
    endSome: (accountId: AccountId): Promise<number> => endSome(accountId, LAST),

    /** Ends entries whose time is over. */
    async sweep(): Promise<void> {
      const until = addSeconds(clock.now(), -collectGraceSeconds)
      const due = await store.read((tx) => tx.bin.accountsWith(until, MAX_DUE))
      await tryEachInTurn(due, (accountId) => endAll(accountId, until), isStoreBroken)
    },
  }
}
