/**
 * What an owner discarded or deleted, for as long as its bytes are there anyway. Its rows have left their tables, so no
 * other question finds it. The quota counts it until its entry ends (decisions/bin.md).
 */
import { type AccountId, addSeconds, type BinId, type Instant, type Sha256Hex } from '@blindkeep/protocol/ids'
import { type AssetBlob, accountLock, type BinEntry, type ReadTx, type WriteTx } from '../../ports/store.ts'
import { noteChange } from '../changes/changes.ts'
import type { Serving } from '../custody/servable.ts'
import { isWithheld } from '../custody/verdicts.ts'
import { requireActiveAccount } from '../ground/activeAccount.ts'
import { listMadeOf } from '../ground/lists.ts'
import type { Refuses } from '../ground/refusals.ts'
import { type BinSettings, createEnding, type EndingPorts } from './ending.ts'
import { contentsOf, type HasInboxPlace, isRestored, type RestoreRefusal, restoreIn } from './restoring.ts'

interface BinPorts extends EndingPorts {
  readonly serving: Serving
  readonly hasInboxPlace: HasInboxPlace
}

/** As its owner sees it. Its time may be over, until a sweep ends it. */
export interface ShownEntry extends BinEntry {
  readonly emptiesAt: Instant
}

type Content = Pick<AssetBlob, 'location' | 'size' | 'ciphertextHash'>

const NOT_FOUND = { refused: 'bin_entry_not_found' } as const

export type Bin = ReturnType<typeof createBin>

export function createBin(
  { store, serving, clock, quota, hasInboxPlace }: BinPorts,
  { collectGraceSeconds }: BinSettings,
) {
  const emptiesAt = ({ deletedAt }: BinEntry): Instant => addSeconds(deletedAt, collectGraceSeconds)

  async function find(tx: ReadTx, accountId: AccountId, entryId: BinId): Promise<BinEntry | undefined> {
    const entry = await tx.bin.find(accountId, entryId)
    return entry !== undefined && clock.now() < emptiesAt(entry) ? entry : undefined
  }

  return {
    /**
     * Puts what leaves its table into the bin, in the same transaction, with its charge. If that cannot be undone, the
     * charge is refunded.
     */
    async take(tx: WriteTx, entry: BinEntry): Promise<void> {
      const { accountId, size, deletedAt } = entry
      const isTaken = collectGraceSeconds > 0 && (await tx.bin.insert(entry))
      if (!isTaken) await quota.refund(tx, accountId, size, deletedAt)
      else await noteChange(tx, accountId, { name: 'quota.changed' }, deletedAt)
    },

    list: listMadeOf(store, {
      rows: (tx) => tx.bin,
      gone: NOT_FOUND,
      make: (entries: readonly BinEntry[]): readonly ShownEntry[] =>
        entries.map((entry) => ({ ...entry, emptiesAt: emptiesAt(entry) })),
    }),

    /** Bytes that the quota counts for it. */
    bytesOf: (accountId: AccountId): Promise<number> => store.ask((tx) => tx.bin.bytesOf(accountId)),

    /** An object of the entry with this content, if it may be served. */
    async content(
      accountId: AccountId,
      entryId: BinId,
      hash: Sha256Hex,
    ): Promise<Content | Refuses<'bin_entry_not_found' | 'blob_withheld' | 'storage_unavailable'>> {
      const { content, status } = await store.read(async (tx) => {
        const entry = await find(tx, accountId, entryId)
        const found = entry && contentsOf(entry).find(({ ciphertextHash }) => ciphertextHash === hash)
        return { content: found, status: found && (await tx.objects.statusOf(found.location, hash)) }
      })
      if (content === undefined) return NOT_FOUND
      if (status?.isOnHold === true) return { refused: 'blob_withheld' }
      // What a request for a kept object would be answered.
      const isThere = status !== undefined && !isWithheld({ ...status, objectState: 'kept' })
      return isThere && (await serving.isWhole(content)) ? content : { refused: 'storage_unavailable' }
    },

    /** Undoes the discard or deletion. A repeat gets the same answer as long as what it restored is there. */
    async restore(
      accountId: AccountId,
      entryId: BinId,
    ): Promise<RestoreRefusal | Refuses<'session_over' | 'storage_unavailable'> | undefined> {
      const found = await store.ask((tx) => find(tx, accountId, entryId))
      for (const content of found === undefined ? [] : contentsOf(found))
        if (!(await serving.isWhole(content))) return { refused: 'storage_unavailable' }
      return store.write([accountLock(accountId)], async (tx) => {
        const inactive = await requireActiveAccount(tx, accountId)
        if (inactive !== undefined) return inactive
        const entry = await find(tx, accountId, entryId)
        if (entry === undefined) return (await isRestored(tx, accountId, entryId)) ? undefined : NOT_FOUND
        return restoreIn(tx, entry, { at: clock.now(), hasInboxPlace })
      })
    },

    ...createEnding({ store, clock, quota }, { collectGraceSeconds }),
  }
}
