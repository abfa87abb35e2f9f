import type { Dialect } from '../../../../rows/dialects.ts'
import { integerMax } from './values.ts'

/** Accounts, their devices, and how their owners sign in. */
export function accountTables(dialect: Dialect): readonly string[] {
  return [...accounts(dialect), ...signingIn(dialect), ...sessions(dialect), ...devices(dialect)]
}

/**
 * An owner who deletes the account leaves a row that names no person: other rows refer to it. What the account still
 * keeps is removed in small steps. `totp_last_step` is the last TOTP step whose code was accepted: the server accepts
 * later steps only.
 */
const accounts = ({ text, integer, bytes, tableEnd }: Dialect) => [
  `create table accounts (
    account_id ${text} primary key not null,
    email ${text} not null unique,
    secret_hash ${text} not null,
    kdf_version ${integer} not null,
    salt ${bytes},
    sealed_account_key ${bytes},
    sealed_recovery_key ${bytes},
    recovery_proof_hash ${bytes},
    created_at ${integer} not null,
    suspended_at ${integer},
    deleted_at ${integer},
    emptied_at ${integer},
    used_bytes ${integer} not null default 0 check (used_bytes between 0 and ${integerMax}),
    pending_drops ${integer} not null default 0 check (pending_drops >= 0),
    change_seq ${integer} not null default 0,
    soft_limit_bytes ${integer} check (soft_limit_bytes >= 0),
    hard_limit_bytes ${integer} check (hard_limit_bytes >= 0),
    exceeded_since ${integer},
    totp_sealed ${bytes},
    totp_confirmed_at ${integer},
    totp_last_step ${integer}
  ) ${tableEnd}`,
  'create index accounts_to_empty on accounts (deleted_at) where deleted_at is not null and emptied_at is null',
]

/** A challenge keeps what the first step of a sign-in or of a recovery has proved, until the second step. */
const signingIn = ({ text, integer, tableEnd, keyedTableEnd }: Dialect) => [
  `create table backup_codes (
    account_id ${text} not null references accounts,
    code_hash ${text} not null,
    used_at ${integer},
    primary key (account_id, code_hash)
  ) ${keyedTableEnd}`,
  `create table challenges (
    token_hash ${text} primary key not null,
    account_id ${text} not null references accounts,
    device_id ${text},
    recovery ${text},
    created_at ${integer} not null,
    expires_at ${integer} not null,
    attempts ${integer} not null default 0 check (attempts >= 0),
    used_at ${integer}
  ) ${tableEnd}`,
  'create index challenges_by_expiry on challenges (expires_at)',
  'create index challenges_of_account on challenges (account_id)',
  `create table invites (
    code_hash ${text} primary key not null,
    created_at ${integer} not null,
    expires_at ${integer} not null,
    used_by ${text} references accounts (account_id)
  ) ${tableEnd}`,
  'create index invites_by_age on invites (created_at, code_hash)',
  'create index invites_by_expiry on invites (expires_at)',
]

const sessions = ({ text, integer, bytes, tableEnd, keyedTableEnd }: Dialect) => [
  `create table sessions (
    session_id ${text} primary key not null,
    account_id ${text} not null references accounts,
    device_id ${text},
    created_at ${integer} not null,
    last_used_at ${integer} not null,
    expires_at ${integer} not null,
    ended_at ${integer}
  ) ${tableEnd}`,
  'create index sessions_by_expiry on sessions (expires_at)',
  'create index sessions_ended on sessions (ended_at) where ended_at is not null',
  'create index sessions_of_account on sessions (account_id, created_at, session_id)',
  `create table refresh_tokens (
    token_hash ${bytes} primary key not null check (length(token_hash) = 32),
    session_id ${text} not null references sessions on delete cascade,
    issued_at ${integer} not null,
    used_at ${integer}
  ) ${keyedTableEnd}`,
  'create index refresh_tokens_of_session on refresh_tokens (session_id)',
]

const devices = ({ text, integer, bytes, sequence, tableEnd }: Dialect) => [
  `create table devices (
    device_seq ${sequence},
    device_id ${text} not null unique,
    account_id ${text} not null references accounts,
    public_key ${bytes} not null check (length(public_key) = 1984),
    mac ${bytes} check (length(mac) = 32),
    created_at ${integer} not null,
    revoked_at ${integer}
  ) ${tableEnd}`,
  'create index devices_of_account on devices (account_id, created_at, device_seq)',
  // Revoked devices accumulate, and their keys make large rows: counting the live devices reads only this index.
  'create index devices_live on devices (account_id) where revoked_at is null',
]
