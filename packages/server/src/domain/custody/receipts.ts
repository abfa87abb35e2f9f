/**
 * The one place where the receipt log grows: one strictly rising chain per server, over all accounts.
 * The caller first puts the subject of a receipt into a state that excludes other work: finishing for an upload, claimed for a drop. Then the log is
 * locked, a batch is signed, and one transaction commits the receipts together with what they vouch for, if the chain's head has not moved and the key that
 * signed is still the active one. If a key was rotated meanwhile, also by another process, the batch is signed again.
 */
import { utf8 } from '@blindkeep/protocol/bytes'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { StorageUnavailable } from '../../ports/storageErrors.ts'
import { accountLock, type ReadTx, type ReceiptRow, type Store, type WriteTx } from '../../ports/store.ts'
import { type HeadWatch, unwatched } from './headWatch.ts'
import type { SignerOf } from './keys.ts'
import { createReceiptSigning, type LogState, type ReceiptSubject } from './receiptSigning.ts'
import { recordServerId } from './serverId.ts'

export interface ReceiptDraft {
  /** Whose file it is. */
  readonly accountId: AccountId
  readonly subject: ReceiptSubject
  /**
   * Writes what the receipt vouches for, in the transaction that appends it, under the account's lock. May run more than once, and beside the drafts of other
   * accounts. When it throws, there is no receipt.
   */
  readonly commit: (tx: WriteTx, receipt: ReceiptRow) => Promise<void>
}

interface ReceiptLogPorts {
  readonly store: Store
  readonly clock: Clock
  readonly serverId: string
  readonly signerOf: SignerOf
  /** Refuses to sign on a database that was set back. */
  readonly headWatch?: HeadWatch
}

interface Waiting {
  readonly draft: ReceiptDraft
  readonly resolve: (row: ReceiptRow) => void
  readonly reject: (error: unknown) => void
}

const MAX_BATCH = 64
/** A rotation takes far longer than signing a batch, so this many in a row mean a fault. */
const MAX_SIGNINGS = 5

export type ReceiptLog = ReturnType<typeof createReceiptLog>

export function createReceiptLog({ store, clock, serverId, signerOf, headWatch = unwatched }: ReceiptLogPorts) {
  const signAll = createReceiptSigning({ clock, serverId, signerOf })
  const queue: Waiting[] = []
  let isDraining = false

  async function drain(): Promise<void> {
    if (isDraining) return
    isDraining = true
    while (queue.length > 0) await settleBatch(queue.splice(0, MAX_BATCH))
    isDraining = false
  }

  /** After a failure of a draft each one is signed in a batch of its own, so that one draft cannot fail the others. */
  async function settleBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = await store.withReceiptLogLock(() => append(batch.map(({ draft }) => draft)))
      batch.forEach(({ resolve }, at) => {
        const row = rows[at]
        if (row !== undefined) resolve(row)
      })
    } catch (error) {
      // The database may be another one after a lost connection.
      if (error instanceof StorageUnavailable) headWatch.suspect()
      // No draft is the reason if the database does not answer; and with an unknown outcome the caller looks what has happened.
      if (batch.length > 1 && !(error instanceof StorageUnavailable))
        for (const waiting of batch) await settleBatch([waiting])
      else for (const { reject } of batch) reject(error)
    }
  }

  async function append(drafts: readonly ReceiptDraft[]): Promise<readonly ReceiptRow[]> {
    for (let signings = 0; signings < MAX_SIGNINGS; signings++) {
      const { state, isKnown } = await store.read(async (tx) => ({
        state: await readLogState(tx),
        isKnown: await headWatch.isKnown(tx),
      }))
      await headWatch.beforeSigning(isKnown)
      const rows = await signAll(
        drafts.map(({ subject }) => subject),
        state,
      )
      if (await commit(drafts, rows, state)) {
        const last = rows.at(-1)
        if (last !== undefined) headWatch.signed(last)
        return rows
      }
    }
    throw new Error(`the log or its key changed ${MAX_SIGNINGS} times while a batch was signed`)
  }

  /** False, and nothing committed, when the log has grown or the key is no longer active: no receipt is dated after the end of its key. */
  async function commit(
    drafts: readonly ReceiptDraft[],
    rows: readonly ReceiptRow[],
    { head, key }: LogState,
  ): Promise<boolean> {
    const locks = [
      ...(head === undefined ? (['server'] as const) : []),
      ...drafts.map((each) => accountLock(each.accountId)),
    ]
    const done = await store.write(['chain', ...locks], async (tx) => {
      const [active, isAppended] = await Promise.all([
        tx.keys.activeAttestationKey(),
        tx.receipts.append(head, rows),
        head === undefined ? recordServerId(tx, serverId) : undefined,
      ])
      if (active?.keyId !== key.keyId) return { refused: 'key_rotated' as const }
      // Another process had the log's lock, because this one had lost it.
      if (!isAppended) return { refused: 'log_moved' as const }
      await commitEach(tx, drafts, rows)
      return 'committed'
    })
    return done === 'committed'
  }

  return {
    /** Resolves when the receipt, and what it vouches for, is durable. */
    append(draft: ReceiptDraft): Promise<ReceiptRow> {
      return new Promise((resolve, reject) => {
        queue.push({ draft, resolve, reject })
        void drain()
      })
    },
  }
}

/** Drafts of one account change the same rows, so they run one after another. */
async function commitEach(tx: WriteTx, drafts: readonly ReceiptDraft[], rows: readonly ReceiptRow[]): Promise<void> {
  const ofAccounts = Map.groupBy(drafts.entries(), ([, { accountId }]) => accountId)
  await Promise.all(
    [...ofAccounts.values()].map(async (theirs) => {
      for (const [at, draft] of theirs) {
        const row = rows[at]
        if (row !== undefined) await draft.commit(tx, row)
      }
    }),
  )
}

async function readLogState(tx: ReadTx): Promise<LogState> {
  const [key, head, floor] = await Promise.all([
    tx.keys.activeAttestationKey(),
    tx.receipts.head(),
    receiptSeqFloor(tx),
  ])
  if (key === undefined) throw new Error('no attestation key is active')
  return { head, floor, key }
}

/**
 * From now on, every receipt_seq is above `floor`, a whole number. For a log that was restored from a backup: the server may have issued receipts
 * after the backup, and no two receipts may have the same number (specification, AssetReceipt, receipt_seq). A floor is never lowered.
 */
export async function raiseReceiptSeqFloor(tx: WriteTx, floor: number): Promise<void> {
  if (!Number.isSafeInteger(floor) || floor < 0) throw new RangeError(`${floor} is no receipt_seq`)
  const raised = Math.max(floor, await receiptSeqFloor(tx))
  await tx.server.setFact('receipt_seq_floor', utf8(String(raised)))
}

/** 0 when it was never raised. Throws when the fact cannot be read: a guessed number might repeat one. */
export async function receiptSeqFloor({ server }: Pick<ReadTx, 'server'>): Promise<number> {
  const written = await server.fact('receipt_seq_floor')
  if (written === undefined) return 0
  const text = new TextDecoder().decode(written)
  const floor = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(floor))
    throw new Error('the fact receipt_seq_floor is no receipt_seq')
  return floor
}
