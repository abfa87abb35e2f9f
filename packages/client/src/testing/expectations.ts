/** What tests expect of errors, and of the inbox. */
import assert from 'node:assert/strict'
import { ProblemError } from '../http/errors.ts'
import type { DescribedDrop, Owner } from '../owner.ts'
import type { CompleteAsset, Completed } from '../upload/completeAsset.ts'

/** For `assert.rejects`: a refusal with this code. */
export const hasCode = (code: string) => (error: unknown) => error instanceof ProblemError && error.code === code

/** The pending drop with these bytes, opened. */
export async function dropOf(owner: Owner, landed: { readonly ciphertextHash: string }): Promise<DescribedDrop> {
  const drop = (await owner.inbox()).find(({ ciphertextHash }) => ciphertextHash === landed.ciphertextHash)
  assert.ok(drop?.file, drop?.fault?.message)
  return drop
}

/** Opens an unfinished asset as the pages do, and finishes it. */
export async function finish(owner: Owner, assetId: string, options: CompleteAsset): Promise<Completed> {
  const incomplete = await owner.openIncomplete(await owner.asset(assetId))
  return incomplete.complete(options)
}

export async function itemsOf<Item>(pages: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const page of pages) items.push(...page)
  return items
}
