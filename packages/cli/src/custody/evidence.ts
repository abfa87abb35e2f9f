/** What proves to others that a server contradicts itself. */
import { join } from 'node:path'
import { type PinnedKeys, publishedKeys } from '@blindkeep/client/receipts'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import type { Profile } from '../account/profile.ts'
import { writePrivate } from '../home/files.ts'
import { savedReceipts } from '../receipts/savedReceipts.ts'
import type { SeenReceipt } from '../receipts/seenReceipts.ts'

export interface Finding {
  readonly reason: string
  readonly message: string
  readonly assetId: string | undefined
  /** Receipts of earlier calls and of this one that contradict each other, or are missing. */
  readonly seen: readonly SeenReceipt[]
  /** As the server has answered now. */
  readonly receipts: readonly AssetReceipt[]
}

/**
 * Writes a file for each finding into a new folder. Its members are those of the server's answers, so that it is
 * receipts, keys and statements to a checker. Returns the folder.
 */
export async function saveEvidence(profile: Profile, findings: readonly Finding[], keys: PinnedKeys): Promise<string> {
  const at = new Date().toISOString()
  const folder = join(profile.directory, 'evidence', at.replaceAll(':', '-'))
  const numbers = new Set(findings.flatMap(({ seen }) => seen.map(({ payload }) => payload.receipt_seq)))
  const saved = await savedUnder(profile, numbers)
  for (const [index, { reason, message, assetId, seen, receipts }] of findings.entries()) {
    const content = {
      found_at: at,
      reason,
      message,
      asset_id: assetId,
      seen: seen.map(({ hash, payload }) => ({ hash, ...payload })),
      receipts: [...receipts, ...seen.flatMap(({ payload }) => saved.get(payload.receipt_seq) ?? [])],
      ...publishedKeys(keys),
    }
    await writePrivate(join(folder, `${index + 1}-${reason}.json`), JSON.stringify(content, undefined, 2))
  }
  return folder
}

async function savedUnder(
  profile: Profile,
  numbers: ReadonlySet<number>,
): Promise<ReadonlyMap<number, readonly AssetReceipt[]>> {
  const found = new Map<number, AssetReceipt[]>()
  for await (const saved of savedReceipts(profile))
    for (const receipt of 'receipts' in saved ? saved.receipts : []) {
      const { receipt_seq: seq } = receipt
      if (numbers.has(seq)) found.set(seq, [...(found.get(seq) ?? []), receipt])
    }
  return found
}
