/** Signs and commits one batch of receipts. The caller has locked the log. */
import type { AccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { StorageUnavailable } from '../../ports/storageErrors.ts'
import { accountLock, type ReadTx, type ReceiptRow, type Store, type WriteTx } from '../../ports/store.ts'
import type { HeadWatch } from './headWatch.ts'
import type { SignerOf } from './keys.ts'
import { receiptSeqFloor } from './receiptSeqFloor.ts'
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

export interface ReceiptPorts {
  readonly store: Store
  readonly clock: Clock
  readonly serverId: string
  readonly signerOf: SignerOf
  readonly headWatch: HeadWatch
}

type Drafts = readonly ReceiptDraft[]

/** A rotation takes far longer than signing a batch, so this many in a row mean a fault. */
const MAX_SIGNINGS = 5

/** A draft refused, and nothing was committed. The cause is what its `commit` threw. */
export class DraftFailed extends Error {
  readonly draft: ReceiptDraft
  constructor(draft: ReceiptDraft, cause: unknown) {
    super('what a receipt vouches for could not be written', { cause })
    this.draft = draft
  }
}

/** Receipts that continue `state`. */
export interface Signed {
  readonly rows: readonly ReceiptRow[]
  readonly state: LogState
}

export function createReceiptBatches({ store, clock, serverId, signerOf, headWatch }: ReceiptPorts) {
  const signAll = createReceiptSigning({ clock, serverId, signerOf })

  async function signOn(drafts: Drafts, state: LogState): Promise<Signed> {
    const subjects = drafts.map(({ subject }) => subject)
    return { rows: await signAll(subjects, state), state }
  }

  /** Continues what the log has now. */
  async function sign(drafts: Drafts): Promise<Signed> {
    const { state, isKnown } = await store.read(async (tx) => ({
      state: await readLogState(tx),
      isKnown: await headWatch.isKnown(tx),
    }))
    await headWatch.beforeSigning(isKnown)
    return signOn(drafts, state)
  }

  /**
   * Throws `DraftFailed`. False, and nothing committed, if the log has grown, or its key or floor is another one: no receipt is dated after the end of its key.
   */
  async function commit(drafts: Drafts, { rows, state: { head, floor, key } }: Signed): Promise<boolean> {
    const locks = [
      ...(head === undefined ? (['server'] as const) : []),
      ...drafts.map((each) => accountLock(each.accountId)),
    ]
    const done = await store.write(['chain', ...locks], async (tx) => {
      const [active, floorNow, isAppended] = await Promise.all([
        tx.keys.activeAttestationKey(),
        receiptSeqFloor(tx),
        tx.receipts.append(head, rows),
        head === undefined ? recordServerId(tx, serverId) : undefined,
      ])
      if (active?.keyId !== key.keyId || floorNow !== floor) return { refused: 'key_rotated' as const }
      // Another process had the log's lock, because this one had lost it.
      if (!isAppended) return { refused: 'log_moved' as const }
      await commitEach(tx, drafts, rows)
      return 'committed'
    })
    const last = rows.at(-1)
    if (done === 'committed' && last !== undefined) headWatch.signed(last)
    return done === 'committed'
  }

  return {
    sign,
    commit,

    /** Continues receipts that are not committed yet. If they never are, neither are these: the commit compares the head. */
    async signAfter(drafts: Drafts, { rows, state }: Signed): Promise<Signed> {
      await headWatch.beforeSigning(true)
      return signOn(drafts, { ...state, head: rows.at(-1) })
    },

    /** Signs again what continued another log, or was signed by another key, until it is committed. */
    async commitAfresh(drafts: Drafts): Promise<Signed> {
      for (let signings = 1; signings < MAX_SIGNINGS; signings++) {
        const signed = await sign(drafts)
        if (await commit(drafts, signed)) return signed
      }
      throw new Error(`the log or its key changed ${MAX_SIGNINGS} times while a batch was signed`)
    },
  }
}

/** Drafts of one account change the same rows, so they run one after another. */
async function commitEach(tx: WriteTx, drafts: Drafts, rows: readonly ReceiptRow[]): Promise<void> {
  const ofAccounts = Map.groupBy(drafts.entries(), ([, { accountId }]) => accountId)
  await Promise.all(
    [...ofAccounts.values()].map(async (theirs) => {
      for (const [at, draft] of theirs) {
        const row = rows[at]
        if (row !== undefined) await draft.commit(tx, row).catch((error: unknown) => blame(draft, error))
      }
    }),
  )
}

/** No draft is the reason if the store does not answer. */
function blame(draft: ReceiptDraft, error: unknown): never {
  throw error instanceof StorageUnavailable ? error : new DraftFailed(draft, error)
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
