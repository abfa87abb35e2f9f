/** A saved file with receipts. A checker needs neither our code nor the server for it. */
import { type PinnedKeys, publishedKeys } from '@blindkeep/client/receipts'
import { safeName } from '@blindkeep/client/safeName'
import type { LandedFile } from './guestStore.ts'

export interface ReceiptDocument {
  /** The name of the saved file. */
  readonly name: string
  readonly json: string
}

/**
 * One receipt is one JSON document, several are JSON Lines. Each is an AssetReceipt as the server gave it, with
 * more members that a checker of receipts ignores: those that make the same document an AttestationKeysResponse, and
 * `file`, which names the file for people.
 */
export function receiptDocument(
  files: readonly LandedFile[],
  pins: PinnedKeys | undefined,
): ReceiptDocument | undefined {
  const documents = files.flatMap(({ receipt, name, folder, size }) =>
    receipt === undefined
      ? []
      : [{ keys: [], ...(pins && publishedKeys(pins)), ...receipt, file: { name, folder, size } }],
  )
  const [first, ...others] = documents
  if (first === undefined) return undefined
  if (others.length === 0)
    return {
      name: `blindkeep-receipt-${safeName(first.file.name)}.json`,
      json: `${JSON.stringify(first, undefined, 2)}\n`,
    }
  const day = first.received_at.slice(0, 10)
  return {
    name: `blindkeep-receipts-${day}.jsonl`,
    json: documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
  }
}
