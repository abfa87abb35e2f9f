import type { Dialect } from '../../../rows/dialects.ts'

/**
 * Accounts sign in with a key, of which the server keeps a hash. What was kept before cannot be made into one, so an
 * account that is not deleted refuses the step. A deleted account has no key. And the index of challenges finds the
 * newest ones of an account.
 */
export const twelfthTables = ({ bytes }: Dialect): readonly string[] => [
  `alter table accounts add column sign_in_key_hash ${bytes}
    check (coalesce(length(sign_in_key_hash), 0) = case when deleted_at is null then 32 else 0 end)`,
  'alter table accounts drop column secret_hash',
  'alter table accounts rename column recovery_proof_hash to recovery_key_hash',
  'alter table passkeys rename column proof_hash to key_hash',
  'drop index challenges_of_account',
  'create index challenges_of_account on challenges (account_id, created_at)',
]

/** Finds a row if the database has an account that this release cannot take over. */
export const UNCONVERTIBLE_ACCOUNT = 'select 1 as found from accounts where deleted_at is null limit 1'
