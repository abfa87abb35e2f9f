/** The receipts that `drop` and `upload` have saved in this program's own directories. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseReceipt } from '@blindkeep/client/receipts'
import { type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import { isObject } from '@blindkeep/protocol/json'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { decodeText, NotText } from '@blindkeep/protocol/textFile'
import type { Profile } from '../account/profile.ts'
import { unlessMissing } from '../ground/disk.ts'
import { receiptsOfProfile } from './keep.ts'
import { RECEIPT_ENDING, receiptsOfHome } from './saved.ts'

type SavedReceipts =
  | {
      readonly path: string
      /** Undefined for the receipt of a guest's file. */
      readonly assetId: AssetId | undefined
      readonly receipts: readonly AssetReceipt[]
    }
  | { readonly path: string; readonly fault: string }

/** One file after another, so that any number of them takes little memory. */
export async function* savedReceipts(profile: Profile): AsyncGenerator<SavedReceipts, void, void> {
  for (const folder of [receiptsOfHome(profile.home), receiptsOfProfile(profile)])
    for (const name of await namesIn(folder)) {
      const path = join(folder, name)
      yield savedOf(path, await readFile(path))
    }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(unlessMissing)) ?? []
  return names.filter((name) => name.endsWith(RECEIPT_ENDING)).sort()
}

function savedOf(path: string, content: Uint8Array): SavedReceipts {
  try {
    const json: unknown = JSON.parse(decodeText(content))
    if (!isAnswer(json)) return { path, assetId: undefined, receipts: [parseReceipt(json)] }
    const assetId = typeof json.asset_id === 'string' ? parseAssetId(json.asset_id) : undefined
    return { path, assetId, receipts: json.receipts.map(parseReceipt) }
  } catch (error) {
    if (!(error instanceof NotText || error instanceof SyntaxError || error instanceof RangeError)) throw error
    return { path, fault: 'It is damaged, or no receipt. Restore it from a backup, or remove it.' }
  }
}

function isAnswer(json: unknown): json is { readonly asset_id?: unknown; readonly receipts: readonly unknown[] } {
  return isObject(json) && Array.isArray(json.receipts)
}
