import { utf8 } from '@blindkeep/protocol/bytes'
import type { ReadTx, WriteTx } from '../../ports/store.ts'

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

/** 0 when it was never raised. Throws when the fact cannot be read: a guessed number might repeat one. */
export async function receiptSeqFloor({ server }: Pick<ReadTx, 'server'>): Promise<number> {
  return floorIn(await server.fact('receipt_seq_floor'))
}

/** Reads the fact. */
export function floorIn(written: Uint8Array | undefined): number {
  if (written === undefined) return 0
  const text = new TextDecoder().decode(written)
  const floor = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(floor))
    throw new Error('the fact receipt_seq_floor is no receipt_seq')
  return floor
}
