/**
 * The one place where the receipt log grows: one strictly rising chain per server, over all accounts. The caller first
 * puts the subject of a receipt into a state that excludes other work: finishing for an upload, claimed for a drop.
 * Then the log is locked, a batch is signed, and one transaction commits the receipts together with what they vouch
 * for, if the chain's head has not moved and the key that signed is still the active one. If a key was rotated
 * meanwhile, also by another process, the batch is signed again. While a batch is committed, the next one is signed on
 * top of it: signing takes longer than all the rest, and each receipt contains the hash of the one before it.
 */
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { ReceiptRow } from '../../ports/store.ts'
import { type HeadWatch, unwatched } from './headWatch.ts'
import {
  createReceiptBatches,
  DraftsFailed,
  type LandTogether,
  type ReceiptDraft,
  type ReceiptPorts,
  type Signed,
} from './receiptBatches.ts'

interface ReceiptLogPorts<Landing> extends Omit<ReceiptPorts<Landing>, 'headWatch' | 'landTogether'> {
  /** Refuses to sign on a database that was set back. */
  readonly headWatch?: HeadWatch
  /** Absent where every draft is committed alone. */
  readonly landTogether?: LandTogether<Landing>
}

interface Waiting<Landing> {
  readonly draft: ReceiptDraft<Landing>
  readonly resolve: (row: ReceiptRow) => void
  readonly reject: (error: unknown) => void
}

type Batch<Landing> = readonly Waiting<Landing>[]

/** A batch whose receipts are being signed. */
interface Ahead<Landing> {
  readonly batch: Batch<Landing>
  readonly signed: Promise<Signed>
}

const MAX_BATCH = 64
/** After a receipt, the next one soon is no lone one. */
const BUSY_MS = 50
/** How long, after another process was met, each receipt locks the log and reads its end. */
const MET_MS = 10_000
const SHARED_MS = 3_600_000
/** In one turn of the log's lock: other processes wait for it meanwhile. */
const MAX_BATCHES = 4

export type ReceiptLog<Landing = never> = ReturnType<typeof createReceiptLog<Landing>>

export function createReceiptLog<Landing = never>({
  headWatch = unwatched,
  landTogether = landsNothing,
  ...ports
}: ReceiptLogPorts<Landing>) {
  const { append } = createLog({ ...ports, headWatch, landTogether })
  let waiting = 0
  return {
    /** Resolves when the receipt, and what it vouches for, is durable. */
    async append(draft: ReceiptDraft<Landing>): Promise<ReceiptRow> {
      waiting += 1
      try {
        return await append(draft)
      } finally {
        waiting -= 1
      }
    },

    /** How many receipts are not durable yet. */
    waiting: () => waiting,
  }
}

const landsNothing = () => Promise.reject(new Error('this log has no function that lands'))

function createLog<Landing>(ports: ReceiptPorts<Landing>) {
  const batches = createReceiptBatches(ports)
  const lone = createLoneReceipts(ports, batches)
  const queue: Waiting<Landing>[] = []
  let isDraining = false
  const takeBatch = () => queue.splice(0, MAX_BATCH)
  const signAfresh = (batch: Batch<Landing>) => batches.sign(draftsOf(batch))

  async function drain(): Promise<void> {
    if (isDraining) return
    isDraining = true
    while (queue.length > 0) {
      const batch = takeBatch()
      try {
        const alone = await lone.commit(draftsOf(batch))
        if (alone !== undefined) acknowledge(batch, alone)
        else await ports.store.withReceiptLogLock(() => settleInTurn(batch))
      } catch (error) {
        fail(batch, error instanceof DraftsFailed ? error.cause : error)
      }
      lone.ended()
    }
    isDraining = false
  }

  /** Settles batches while the log is locked. Never rejects. */
  async function settleInTurn(first: Batch<Landing>): Promise<void> {
    let ahead: Ahead<Landing> | undefined = { batch: first, signed: signAfresh(first) }
    for (let count = 1; ahead !== undefined; count++) ahead = await settle(ahead, count < MAX_BATCHES)
  }

  /** Commits a batch. Returns the next, signed meanwhile; undefined if none waits, or the turn has to end. */
  async function settle({ batch, signed }: Ahead<Landing>, mayGoOn: boolean): Promise<Ahead<Landing> | undefined> {
    let next: Ahead<Landing> | undefined
    let left: Batch<Landing> = []
    try {
      const first = await signed
      if (mayGoOn && queue.length > 0) next = signAhead(takeBatch(), first)
      if (await batches.commit(draftsOf(batch), first)) {
        acknowledge(batch, first)
        return next
      }
      acknowledge(batch, await batches.commitAfresh(draftsOf(batch)))
    } catch (error) {
      left = await settleFailed(batch, error)
    }
    // What was signed on top of this batch continues nothing.
    queue.unshift(...left, ...(next?.batch ?? []))
    return undefined
  }

  function signAhead(batch: Batch<Landing>, first: Signed): Ahead<Landing> {
    const ahead = { batch, signed: batches.signAfter(draftsOf(batch), first) }
    // If the turn ends, nothing awaits it.
    ahead.signed.catch(() => undefined)
    return ahead
  }

  /** Returns those that wait for another batch: one draft cannot fail the others. */
  async function settleFailed(batch: Batch<Landing>, error: unknown): Promise<Batch<Landing>> {
    if (error instanceof DraftsFailed) {
      fail(
        batch.filter(({ draft }) => error.drafts.includes(draft)),
        error.cause,
      )
      return batch.filter(({ draft }) => !error.drafts.includes(draft))
    }
    // A silent database is no draft's fault. After an unknown outcome the caller looks at what happened.
    if (batch.length === 1 || error instanceof StorageUnavailable) fail(batch, error)
    else for (const each of batch) await settle({ batch: [each], signed: signAfresh([each]) }, false)
    return []
  }

  function fail(batch: Batch<Landing>, error: unknown): void {
    // The database may be another one after a lost connection.
    if (error instanceof StorageUnavailable) ports.headWatch.suspect()
    for (const { reject } of batch) reject(error)
  }

  return {
    append(draft: ReceiptDraft<Landing>): Promise<ReceiptRow> {
      return new Promise((resolve, reject) => {
        queue.push({ draft, resolve, reject })
        void drain()
      })
    },
  }
}

const draftsOf = <Landing>(batch: Batch<Landing>) => batch.map(({ draft }) => draft)

function acknowledge(batch: Batch<unknown>, { rows }: Signed): void {
  batch.forEach(({ resolve }, at) => {
    const row = rows[at]
    if (row !== undefined) resolve(row)
  })
}

/**
 * A receipt for which no other waits, on a log that no other process uses now. The transaction that commits it compares
 * the end of the log, so its lock would only save a signature, and costs three statements.
 */
function createLoneReceipts<Landing>(
  { store, clock }: Pick<ReceiptPorts<Landing>, 'store' | 'clock'>,
  { sign, signOnOwn, commit }: ReturnType<typeof createReceiptBatches<Landing>>,
) {
  let busyUntil = 0
  let sharedUntil = 0
  return {
    /** Undefined, and nothing committed, if the log has to be locked. Within one process the lock costs nothing. */
    async commit(drafts: readonly ReceiptDraft<Landing>[]): Promise<Signed | undefined> {
      if (!store.mayLoseOutcome || drafts.length > 1 || clock.now() < busyUntil) return undefined
      const signed = (clock.now() < sharedUntil ? undefined : await signOnOwn(drafts)) ?? (await sign(drafts))
      if (await commit(drafts, signed)) return signed
      busyUntil = clock.now() + MET_MS
      sharedUntil = clock.now() + SHARED_MS
      return undefined
    },
    ended(): void {
      busyUntil = Math.max(busyUntil, clock.now() + BUSY_MS)
    },
  }
}
