/** Where receipts are saved. */
import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { safeName } from '@blindkeep/client/safeName'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { writePrivate } from '../home/files.ts'
import { shortId } from '../texts.ts'

export const RECEIPT_ENDING = '.blindkeep-receipt.json'

/** The receipts of what had no file of its own on this machine, and those that could not be saved beside it. */
export const receiptsOfHome = (home: string) => join(home, 'receipts')

/** A name that differs for files of one name from several folders. */
export function placedName({ path, name }: { readonly path: string; readonly name: string }): string {
  return receiptName(name, createHash('sha256').update(path).digest('hex').slice(0, 8))
}

function receiptName(name: string, tag: string): string {
  return `${safeName(basename(name)).slice(0, 100)}.${tag}${RECEIPT_ENDING}`
}

export interface AssetReceiptsFile {
  readonly folder: string
  readonly assetId: AssetId
  /** Of the file, if it is known. */
  readonly name: string | undefined
  readonly receipts: readonly AssetReceipt[]
}

/** Saves all receipts of an asset as one file, in the form of the server's answer. Returns its path. */
export async function saveAssetReceipts({ folder, assetId, name, receipts }: AssetReceiptsFile): Promise<string> {
  const path = join(folder, name === undefined ? `${assetId}${RECEIPT_ENDING}` : receiptName(name, shortId(assetId)))
  return await writtenReceipt(path, { asset_id: assetId, receipts })
}

export async function writtenReceipt(path: string, content: object): Promise<string> {
  await writePrivate(path, JSON.stringify(content, undefined, 2))
  return path
}
