import type { Dialect } from '../dialects.ts'

/** What keeps strangers out and lets owners back in: second factors, invites, accounts that have gone; and shares. */
export function strangers(dialect: Dialect): readonly string[] {
  return [...secondFactor(dialect), ...invites(dialect), ...goneAccounts(dialect), ...shares(dialect)]
}

/** `totp_last_step` is the last step whose code was taken: none before it, and not itself, is taken again. */
const secondFactor = ({ text, integer, bytes, tableEnd, keyedTableEnd }: Dialect) => [
  `alter table accounts add column totp_sealed ${bytes}`,
  `alter table accounts add column totp_confirmed_at ${integer}`,
  `alter table accounts add column totp_last_step ${integer}`,
  `create table backup_codes (
    account_id ${text} not null references accounts,
    code_hash ${text} not null,
    used_at ${integer},
    primary key (account_id, code_hash)
  ) ${keyedTableEnd}`,
  // What a first step has proved, until the second one: of a sign-in, or of a recovery with the values that it will set.
  `create table challenges (
    token_hash ${text} primary key not null,
    account_id ${text} not null references accounts,
    device_id ${text},
    recovery ${text},
    created_at ${integer} not null,
    expires_at ${integer} not null,
    tries ${integer} not null default 0 check (tries >= 0),
    used_at ${integer}
  ) ${tableEnd}`,
  'create index challenges_by_end on challenges (expires_at)',
  'create index challenges_of_account on challenges (account_id)',
]

const invites = ({ text, integer, tableEnd }: Dialect) => [
  `create table invites (
    code_hash ${text} primary key not null,
    created_at ${integer} not null,
    expires_at ${integer} not null,
    used_by ${text} references accounts (account_id)
  ) ${tableEnd}`,
  'create index invites_by_age on invites (created_at, code_hash)',
  'create index invites_by_end on invites (expires_at)',
]

/** The row stays, as others refer to it, without anything that names or lets in a person. What it still holds goes in small steps. */
const goneAccounts = ({ integer, member, midnightOf }: Dialect) => [
  `alter table accounts add column deleted_at ${integer}`,
  `alter table accounts add column emptied_at ${integer}`,
  'create index accounts_to_empty on accounts (deleted_at) where deleted_at is not null and emptied_at is null',
  // An account is not deleted while one of its assets is retained, which is asked of all of them at once. Of what is there already the date alone is
  // read, and two days more keep whatever the offset behind it says.
  `alter table asset_blobs add column retained_until ${integer}`,
  `update asset_blobs set retained_until = ${midnightOf(member('envelope', 'retention_until'))} + 172800000
    where ${member('envelope', 'retention_until')} >= '2000'`,
  `create index asset_blobs_retained on asset_blobs (account_id, retained_until) where retained_until is not null`,
  // Listed in the order in which they began.
  'drop index sessions_of_account',
  'create index sessions_of_account on sessions (account_id, created_at, session_id)',
]

/**
 * A share that has ended keeps its row without what it held, so that its id stays taken: nobody who knew the address can put anything else there.
 * The index stands last, or SQLite would read through it for whatever comes after.
 */
const shares = ({ text, integer, bytes, sequence, tableEnd, keyedTableEnd }: Dialect) => [
  `create table shares (
    share_seq ${sequence},
    opaque_id ${text} not null unique,
    account_id ${text} not null references accounts,
    created_at ${integer} not null,
    expires_at ${integer},
    ended_at ${integer},
    sealed_index ${bytes},
    check ((ended_at is null) = (sealed_index is not null))
  ) ${tableEnd}`,
  'create index shares_of_account on shares (account_id, created_at, share_seq) where ended_at is null',
  'create index shares_by_end on shares (expires_at) where ended_at is null and expires_at is not null',
  `create table share_blobs (
    opaque_id ${text} not null references shares (opaque_id),
    position ${integer} not null check (position >= 0),
    ciphertext_hash ${text} not null,
    primary key (opaque_id, position)
  ) ${keyedTableEnd}`,
  'create index share_blobs_by_content on share_blobs (opaque_id, ciphertext_hash)',
]
