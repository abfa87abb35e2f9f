import type { Dialect } from '../../../rows/dialects.ts'

/** Passkeys, and which of them opened a session. */
export const fourthTables = (dialect: Dialect): readonly string[] => [
  ...passkeys(dialect),
  `alter table sessions add column passkey_id ${dialect.text}`,
]

const passkeys = ({ text, integer, bytes, sequence, tableEnd }: Dialect) => [
  `create table passkeys (
    passkey_seq ${sequence},
    passkey_id ${text} not null unique,
    account_id ${text} not null references accounts,
    proof_hash ${bytes} not null check (length(proof_hash) = 32),
    created_at ${integer} not null,
    last_used_at ${integer},
    credential_id ${bytes} not null check (length(credential_id) between 1 and 1023),
    sealed_name ${bytes},
    sealed_passkey_key ${bytes} not null
  ) ${tableEnd}`,
  'create index passkeys_of_account on passkeys (account_id, passkey_seq)',
]
