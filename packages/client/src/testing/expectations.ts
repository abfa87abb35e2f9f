/** What tests expect of errors, and of the inbox. */
import assert from 'node:assert/strict'
import { ProblemError } from '../http/errors.ts'
import type { InboxItem, Owner } from '../owner.ts'

/** For `assert.rejects`: a refusal with this code. */
export const hasCode = (code: string) => (error: unknown) => error instanceof ProblemError && error.code === code

/** The pending drop with these bytes. */
export async function dropOf(owner: Owner, landed: { readonly ciphertextHash: string }): Promise<InboxItem> {
  const drop = (await owner.inbox()).find(({ ciphertextHash }) => ciphertextHash === landed.ciphertextHash)
  assert.ok(drop)
  return drop
}
