import { type CheckOptions, checkReceipts } from './checker/check.ts'

/** Returns `kind position` of each fault; the position is the receipt_seq, or the keys document's entry. */
export async function faultsIn(receipts: readonly Uint8Array[], options: CheckOptions): Promise<readonly string[]> {
  const texts = receipts.map((cbor) => Buffer.from(cbor).toString('base64'))
  const { faults } = await checkReceipts(texts, options)
  return faults.map(({ kind, where, receipt_seq }) => `${kind} ${receipt_seq ?? ''} ${where}`.replace('  ', ' '))
}
