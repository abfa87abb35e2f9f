/**
 * The lives of a server's receipt log. One ends when the rows are set back: receipts, tokens and cursors that were
 * given away since then are missing in them, and none may get another meaning. So the next life signs with a new key,
 * far above all numbers that may be in use.
 */
import { utf8 } from '@blindkeep/protocol/bytes'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { Random } from '../../ports/random.ts'
import type { ReadTx, Store, WriteTx } from '../../ports/store.ts'
import type { Witness, WitnessedHead } from '../../ports/witness.ts'
import { FEED_EPOCH_BYTES } from '../changes/positions.ts'
import { countIn, lifeOf } from './headWatch.ts'
import { type Rotation, rotateIn } from './keyChanges.ts'

/**
 * More than a server can sign in a millisecond. So a restored server starts above all numbers that were ever issued,
 * also those that are lost. 2^53 is reached in the year 30,000.
 */
const RECEIPT_SEQS_PER_MS = 10
/** For a clock that was set back: more receipts than a server signs in a week. */
const RECEIPT_SEQ_JUMP = 1_000_000_000

interface LifePorts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly random: Random
  /** Absent where database and bytes are one directory. */
  readonly witness?: Witness | undefined
}

export interface NewLife {
  readonly life: number
  readonly rotation: Rotation
  /** Every later receipt has a number above it. */
  readonly receiptSeqFloor: number
}

/** One transaction. Throws what `rotateIn` throws, changing nothing. */
export async function beginLife({ store, keyring, clock, random, witness }: LifePorts): Promise<NewLife> {
  const witnessed = await witness?.read()
  const created = keyring.createAttestationKey()
  return store.write(['receipt log', 'chain', 'server'], async (tx) => {
    const life = Math.max(await lifeOf(tx), witnessed?.life ?? 0) + 1
    await tx.server.setFact('life', utf8(String(life)))
    await tx.server.setFact('feed_epoch', random.bytes(FEED_EPOCH_BYTES))
    const floor = await raiseFloor(tx, { at: clock.now(), witnessed })
    return { life, receiptSeqFloor: floor, rotation: await rotateIn(tx, { keyring, clock, created }) }
  })
}

async function raiseFloor(
  tx: WriteTx,
  { at, witnessed }: { readonly at: number; readonly witnessed: WitnessedHead | undefined },
): Promise<number> {
  const head = await tx.receipts.head()
  const known = Math.max(head?.receiptSeq ?? 0, witnessed?.receiptSeq ?? 0, await receiptSeqFloor(tx))
  const byClock = at * RECEIPT_SEQS_PER_MS
  const floor = byClock > known ? byClock : known + RECEIPT_SEQ_JUMP
  await raiseReceiptSeqFloor(tx, floor)
  return floor
}

/**
 * From now on, every receipt_seq is above `floor`, a whole number. For a log that was restored from a backup: the
 * server may have issued receipts after the backup, and no two receipts may have the same number (specification,
 * AssetReceipt, receipt_seq). A floor is never lowered.
 */
export async function raiseReceiptSeqFloor(tx: WriteTx, floor: number): Promise<void> {
  if (!Number.isSafeInteger(floor) || floor < 0) throw new RangeError(`${floor} is no receipt_seq`)
  const raised = Math.max(floor, await receiptSeqFloor(tx))
  await tx.server.setFact('receipt_seq_floor', utf8(String(raised)))
}

/** 0 when it was never raised. Throws when the fact cannot be read. */
export async function receiptSeqFloor(tx: Pick<ReadTx, 'server'>): Promise<number> {
  return (await countIn(tx, 'receipt_seq_floor')) ?? 0
}
