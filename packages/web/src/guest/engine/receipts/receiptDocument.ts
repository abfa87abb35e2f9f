/** A saved file with receipts or proofs. A checker needs neither our code nor the server for it. */
import { type SavedReceipt, savedReceipt } from '@blindkeep/client/fileProof'
import type { PinnedKeys } from '@blindkeep/client/receipts'
import { safeName } from '@blindkeep/client/safeName'
import type { LandedFile } from '../store/guestStore.ts'

export interface ReceiptDocument {
  /** The name of the saved file. */
  readonly name: string
  readonly json: string
}

/** Undefined when no file has a receipt. */
export function receiptDocument(
  files: readonly LandedFile[],
  pins: PinnedKeys | undefined,
): ReceiptDocument | undefined {
  const receipts = files.flatMap(({ receipt, name, folder, size }) =>
    receipt === undefined ? [] : [savedReceipt({ receipt, pins, file: { name, folder, size } })],
  )
  return documentOf(receipts, 'receipt')
}

/** SECRET: contains the key of each file. Undefined without proofs. */
export function proofDocument(proofs: readonly SavedReceipt[]): ReceiptDocument | undefined {
  return documentOf(proofs, 'proof')
}

/** One is one JSON document, several are JSON Lines. */
function documentOf(documents: readonly SavedReceipt[], what: 'receipt' | 'proof'): ReceiptDocument | undefined {
  const [first, ...others] = documents
  if (first === undefined) return undefined
  if (others.length === 0)
    return {
      name: `blindkeep-${what}-${safeName(first.file.name)}.json`,
      json: `${JSON.stringify(first, undefined, 2)}\n`,
    }
  const day = first.received_at.slice(0, 10)
  return {
    name: `blindkeep-${what}s-${day}.jsonl`,
    json: documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
  }
}
