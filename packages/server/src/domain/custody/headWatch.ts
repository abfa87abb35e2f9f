/**
 * Notices a database that was set back: after a failover to a standby that lagged, or a recovery to an earlier time.
 * Receipts that were signed are missing in it, and the next one would fork the chain. So the node signs nothing and
 * removes no bytes until an operator runs `restored`, which begins another life of the log. The database is compared
 * with the witness beside the bytes, and with what this process has seen.
 */

import { utf8 } from '@blindkeep/protocol/bytes'
import { createPause, type GiveUpAfter } from '../../ground/pause.ts'
import type { Log } from '../../ports/log.ts'
import { type LogHead, type ReadTx, StorageUnavailable, type Store } from '../../ports/store.ts'
import type { Witness, WitnessedHead } from '../../ports/witness.ts'

/** The database lacks receipts that were signed. */
export class HeadBehind extends StorageUnavailable {
  override readonly name = 'HeadBehind'
}

export interface HeadWatch {
  /** The last receipt that this process has seen. Undefined before the first. */
  last(): Pick<LogHead, 'receiptSeq' | 'receiptHash'> | undefined
  /** Before signing: whether the log had `last` when its head was read. Throws `HeadBehind`. */
  beforeSigning(isKnown: boolean): Promise<void>
  /** Whether the database is the one of the last check. Ask it in the transaction that commits. */
  isSure(): boolean
  /** Call it after the commit of each batch, with its last receipt. Neither waits nor fails. */
  signed(head: LogHead): void
  /** Call it before bytes are removed. Throws `HeadBehind`. */
  beforeRemoving(): Promise<void>
  /** The connection to the database was lost: it may be another one now. The next signature waits for a check. */
  suspect(): void
  /** Compares. Call it at the start and every `CHECK_SECONDS`. Throws only if database or witness do not answer. */
  check(): Promise<void>
  /** Why this node must not serve, for people. Empty if it may. */
  reasons(): readonly string[]
  /** Writes the last head to the witness at once, and waits for that. */
  close(): Promise<void>
}

export const CHECK_SECONDS = 10
/** How far the witness may be behind. Receipts of that time cost one write together (decisions/receipt-log.md). */
const FOLLOW_MS = 1_000
/** After another database server was met: until the witness has what nodes signed before, if the store keeps up. */
const SETTLE_MS = 2 * FOLLOW_MS

/** For SQLite with files: database and bytes are one directory, and are set back together. */
export const unwatched: HeadWatch = {
  last: () => undefined,
  beforeSigning: async () => undefined,
  isSure: () => true,
  signed: () => undefined,
  beforeRemoving: async () => undefined,
  suspect: () => undefined,
  check: async () => undefined,
  reasons: () => [],
  close: async () => undefined,
}

interface WatchPorts {
  readonly store: Pick<Store, 'read' | 'write' | 'onOtherServer'>
  readonly witness: Witness
  readonly log: Log
  readonly giveUpAfter: GiveUpAfter
}

export function createHeadWatch({ store, witness, log, giveUpAfter }: WatchPorts): HeadWatch {
  /** The furthest head that this process has seen. */
  let seen: WitnessedHead | undefined
  /** Of the database, at the last check. */
  let life = 0
  let behind: string | undefined
  let checking: Promise<void> | undefined
  const follow = createFollowing({ store, witness, log, giveUpAfter })
  const doubt = createDoubt({ store, giveUpAfter })

  function see(head: WitnessedHead): void {
    if (seen === undefined || isFurther(head, seen)) seen = head
  }

  async function compare(): Promise<void> {
    await doubt.end()
    // Both are read before the rows: the rows may only be further then.
    const witnessed = await witness.read()
    const known = [witnessed, seen].filter((head) => head !== undefined)
    const compared = await store.read(async (tx) => ({
      ...(await compareWith(tx, known)),
      witnessedIn: await countIn(tx, 'witnessed'),
    }))
    const { present } = compared
    const isMissing = witnessed === undefined && compared.witnessedIn === compared.life
    const fault = isMissing
      ? 'The witness of the receipt log is missing beside the bytes: they are others, or set back'
      : compared.fault
    if (fault !== undefined && behind === undefined)
      log.error('the database lacks receipts that were signed', { reason: fault, next: NEXT })
    if (fault === undefined && behind !== undefined) log.info('the database has all receipts again')
    behind = fault
    if (fault !== undefined) return
    life = compared.life
    follow.noted(compared.witnessedIn)
    if (present === undefined) return
    see(present)
    if (witnessed === undefined || isFurther(present, witnessed)) follow.put(present)
  }

  async function check(): Promise<void> {
    checking ??= compare()
      .catch((error: unknown) => {
        doubt.begin()
        throw error
      })
      .finally(() => {
        checking = undefined
      })
    await checking
  }

  /** A check that was under way may have asked the server before. */
  async function makeSure(): Promise<void> {
    do await check()
    while (doubt.isThere())
    if (behind !== undefined) throw new HeadBehind(behind)
  }

  return {
    check,
    last: () => seen,
    async beforeSigning(isKnown) {
      if (doubt.isThere() || behind !== undefined || !isKnown) await makeSure()
    },
    isSure: () => !doubt.isThere() && behind === undefined,
    signed(head) {
      const next = { life, receiptSeq: head.receiptSeq, receiptHash: head.receiptHash }
      see(next)
      follow.put(next)
    },
    async beforeRemoving() {
      if (doubt.isThere() || behind !== undefined) await makeSure()
    },
    suspect: doubt.begin,
    reasons: () => (behind === undefined ? [] : [`${behind}. ${NEXT}`]),
    close: follow.end,
  }
}

const NEXT =
  'Nothing is signed and no bytes are removed. If the database was set back on purpose (a failover to a standby that lagged, a recovery to an earlier time), stop all nodes and run `blindkeep-server restored`. Otherwise stop, and connect the right database (DATABASE_URL) to the right bytes (BLOBS_URL).'

/** 0 before the first restore. */
export async function lifeOf(tx: Pick<ReadTx, 'server'>): Promise<number> {
  return (await countIn(tx, 'life')) ?? 0
}

type Count = 'life' | 'witnessed' | 'receipt_seq_floor'

export async function countIn({ server }: Pick<ReadTx, 'server'>, name: Count): Promise<number | undefined> {
  return countOf(name, await server.fact(name))
}

/** Reads the fact. Throws if it is no count: a guessed one might give a number of a receipt a second time. */
export function countOf(name: Count, written: Uint8Array | undefined): number | undefined {
  if (written === undefined) return undefined
  const text = new TextDecoder().decode(written)
  const count = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) throw new Error(`the fact ${name} is no number`)
  return count
}

interface Comparison {
  readonly life: number
  readonly present: WitnessedHead | undefined
  /** What is wrong, as a sentence without its full stop. */
  readonly fault: string | undefined
}

/** Whether the log of the database contains all that is known. */
async function compareWith(tx: ReadTx, known: readonly WitnessedHead[]): Promise<Comparison> {
  const [head, life] = [await tx.receipts.head(), await lifeOf(tx)]
  const present = head && { life, receiptSeq: head.receiptSeq, receiptHash: head.receiptHash }
  for (const { life: knownLife, receiptSeq, receiptHash } of known) {
    if (knownLife < life) continue
    const last = head === undefined ? 'it has no receipt' : `its last receipt is ${head.receiptSeq}`
    if (knownLife > life) return { life, present, fault: `The database is older than its last restore: ${last}` }
    if (head === undefined || head.receiptSeq < receiptSeq)
      return { life, present, fault: `The database was set back: ${last}, and receipt ${receiptSeq} was signed` }
    if ((await tx.receipts.hashOf(receiptSeq)) !== receiptHash)
      return { life, present, fault: `The database has another receipt ${receiptSeq} than the one that was signed` }
  }
  return { life, present, fault: undefined }
}

function isFurther(one: WitnessedHead, other: WitnessedHead): boolean {
  return one.life > other.life || (one.life === other.life && one.receiptSeq > other.receiptSeq)
}

/** Whether the database may be another one than at the last check. */
function createDoubt({ store, giveUpAfter }: Pick<WatchPorts, 'store' | 'giveUpAfter'>) {
  const pause = createPause(giveUpAfter)
  let isThere = true
  let settled: Promise<unknown> | undefined
  // Otherwise the node that first meets the other server signs before it can know what another node has signed
  // (decisions/receipt-log.md).
  store.onOtherServer?.(() => {
    isThere = true
    settled = pause(SETTLE_MS)
  })
  return {
    isThere: () => isThere,
    begin(): void {
      isThere = true
    },
    /** Before a check, when the witness can be relied on. A doubt from then on is for the next check. */
    async end(): Promise<void> {
      // Another server may be met meanwhile.
      for (let waited: typeof settled; waited !== settled; ) {
        waited = settled
        await waited
      }
      isThere = false
    },
  }
}

/** Writes one head at a time, a moment after it came, and always the newest: a busy log has many batches meanwhile. */
function createFollowing({ store, witness, log, giveUpAfter }: WatchPorts) {
  const pause = createPause(giveUpAfter)
  const ending = new AbortController()
  let next: WitnessedHead | undefined
  let writing: Promise<void> | undefined
  /** The life in which the database knows that there is a witness. */
  let notedLife: number | undefined

  async function write(head: WitnessedHead): Promise<void> {
    await witness.write(head)
    if (notedLife === head.life) return
    await store.write([], (tx) => tx.server.setFact('witnessed', utf8(String(head.life))))
    notedLife = head.life
  }

  async function writeAll(): Promise<void> {
    while (next !== undefined) {
      await pause(FOLLOW_MS, ending.signal)
      const head = next
      next = undefined
      // The next head, or the next check, writes again.
      await write(head).catch((error: unknown) => log.warn('the witness of the receipt log was not written', { error }))
    }
    writing = undefined
  }

  return {
    noted(life: number | undefined): void {
      notedLife = life
    },
    put(head: WitnessedHead): void {
      if (next === undefined || isFurther(head, next)) next = head
      writing ??= writeAll()
    },
    async end() {
      ending.abort()
      await writing
    },
  }
}
