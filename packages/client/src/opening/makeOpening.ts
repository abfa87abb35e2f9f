/** The proof about a file, as its sender or owner makes it: a saved receipt with the opening of the sealed bytes. */
import { fromBase64, fromHex, toBase64, toHex } from '@blindkeep/protocol/bytes'
import { OPENING_VERSION, type ReceiptFile } from '@blindkeep/protocol/schemas/openings'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { blobSecret, secretsOfBlob } from '../seal/derive.ts'
import type { Header } from '../seal/header.ts'
import { openPrefix, requireWholePrefix, saltOf } from '../seal/openHeader.ts'
import { type SendState, sealerOf } from '../send/sendState.ts'
import type { PinnedKeys } from '../verify/pinnedKeys.ts'
import { publishedKeys } from '../verify/publishedKeys.ts'

interface OriginalBlob {
  /** K, 32 bytes. It seals more than this blob, so it does not enter the opening. */
  readonly key: Uint8Array
  /** 16 bytes: the opaque_id of the link for a drop, also after its adoption; otherwise the file_id. */
  readonly contextId: Uint8Array
  /** All bytes before the data segments. */
  readonly prefix: Uint8Array
}

/** `file` of a proof. SECRET: with the sealed bytes it opens this file, and nothing else. Throws `SealError`. */
export async function openingOfBlob({ key, contextId, prefix }: OriginalBlob): Promise<ReceiptFile> {
  requireWholePrefix(prefix)
  const secret = blobSecret(key, saltOf(prefix))
  const { header } = await openPrefix(prefix, { secrets: secretsOfBlob(secret, { purpose: 'original', contextId }) })
  return {
    ...labelOf(header),
    opening: {
      version: OPENING_VERSION,
      purpose: 'original',
      context: toHex(contextId),
      secret: toBase64(secret),
      prefix: toBase64(prefix),
    },
  }
}

/** The same for what a guest sends, from the state that is forgotten when it has landed. */
export async function openingOfState(state: SendState): Promise<ReceiptFile> {
  const { prefix } = await sealerOf(state)
  return await openingOfBlob({ key: fromBase64(state.key), contextId: fromHex(state.opaqueId), prefix })
}

/** The path in the header as the members that name the file for people. */
export function labelOf({ name = '', size }: Pick<Header, 'name' | 'size'>): ReceiptFile {
  const end = name.lastIndexOf('/')
  return end > 0 ? { name: name.slice(end + 1), folder: name.slice(0, end), size } : { name, folder: '', size }
}

export interface SavedParts {
  /** Checked. */
  readonly receipt: AssetReceipt
  /** The keys that it was checked with. */
  readonly pins: PinnedKeys | undefined
  readonly file: ReceiptFile
}

/**
 * What is saved, as JSON: the receipt as the server gave it, with more members that a checker of receipts ignores. With
 * an opening it has no more than the key that signed it, so that it stays within `MAX_PROOF_BYTES`.
 */
export function savedReceipt({ receipt, pins, file }: SavedParts) {
  const published = pins && publishedKeys(pins)
  if (file.opening === undefined) return { keys: [], ...published, ...receipt, file }
  return { keys: published?.keys.filter(({ key_id }) => key_id === receipt.server_key_id) ?? [], ...receipt, file }
}

export type SavedReceipt = ReturnType<typeof savedReceipt>
