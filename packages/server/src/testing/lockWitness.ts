/**
 * Finds writes that forgot to name a lock (`Lock` in ports/store.ts). On a PostgreSQL database with the witness, every
 * change of a row that belongs to an account fails unless its transaction holds the account's lock. What the server
 * does without a lock on purpose is listed here. A move holds the locks of the receipt log and the server: no node runs
 * then, and it changes rows of all accounts.
 */
import { parseAccountId } from '@blindkeep/protocol/ids'
import type { Client } from 'pg'
import { keyOf } from '../adapters/sql/postgres/locks.ts'
import { accountLock, type Store } from '../ports/store.ts'

/** Tables with an `account_id`, and two whose rows belong to a row of those. */
const TABLES = {
  accounts: 'row.account_id',
  albums: 'row.account_id',
  asset_blobs: 'row.account_id',
  assets: 'row.account_id',
  backup_codes: 'row.account_id',
  bin: 'row.account_id',
  capabilities: 'row.account_id',
  challenges: 'row.account_id',
  channels: 'row.account_id',
  chunks: '(select account_id from uploads where upload_id = row.upload_id)',
  devices: 'row.account_id',
  drops: 'row.account_id',
  events: 'row.account_id',
  links: 'row.account_id',
  passkeys: 'row.account_id',
  refresh_tokens: '(select account_id from sessions where session_id = row.session_id)',
  sessions: 'row.account_id',
  shares: 'row.account_id',
  uploads: 'row.account_id',
} as const

/** Conditions on `old` and `new`. */
const WITHOUT_LOCK: readonly { readonly on: string; readonly when?: string; readonly why: string }[] = [
  { on: 'insert chunks', why: 'one statement records a chunk' },
  {
    on: 'update uploads',
    when: `old.state = 'open' and to_jsonb(new) - 'received_bytes' - 'chunk_count' - 'last_chunk_at' - 'writing_until'
      = to_jsonb(old) - 'received_bytes' - 'chunk_count' - 'last_chunk_at' - 'writing_until'
      and new.received_bytes > old.received_bytes`,
    why: 'the same',
  },
  {
    on: 'update uploads',
    when: `to_jsonb(new) - 'writing_until' - 'leased_by' - 'leased_until' = to_jsonb(old) - 'writing_until' - 'leased_by' - 'leased_until'`,
    why: 'marks of a process: one statement each, which what ends or finishes a session judges again',
  },
  { on: 'delete uploads', when: 'old.closed_at is not null', why: 'the sweep removes closed sessions' },
  { on: 'delete chunks', when: 'pg_trigger_depth() > 0', why: 'with their session' },
  { on: 'delete sessions', why: 'the sweep removes ended and expired ones' },
  { on: 'delete refresh_tokens', why: 'with their session' },
  { on: 'delete challenges', why: 'the sweep removes expired ones' },
  { on: 'delete capabilities', why: 'a mint and the sweep remove expired ones' },
  { on: 'update channels', why: 'each is one statement that judges the row as it is' },
  { on: 'delete events', why: 'the sweep removes old ones' },
  { on: 'update shares', when: 'new.ended_at >= old.expires_at', why: 'the sweep ends expired ones' },
  {
    on: 'update capabilities',
    when: `holds(${keyOf('server')})`,
    why: 'another signing key revokes all; who mints names the same lock',
  },
]

/** Never an account of a test. A transaction with its lock may change everything. */
const OF_TESTS = accountLock(parseAccountId('00000000-0000-4000-8000-000000000000') ?? notAnId())

function notAnId(): never {
  throw new Error('The account of the tests has no valid id')
}

/** For writes of the tests themselves, which prepare rows without locks. */
export function exempt(store: Store): Store {
  return { ...store, write: (locks, work) => store.write(locks.length === 0 ? [OF_TESTS] : locks, work) }
}

export async function installLockWitness(database: Client): Promise<void> {
  await database.query(`
    create function holds(key bigint) returns boolean language sql as $$
      select exists (
        select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted and objsubid = 1
          and database = (select oid from pg_database where datname = current_database())
          and classid::bigint = (key >> 32) & 4294967295 and objid::bigint = key & 4294967295
      )
    $$;
    create function lock_key(lock text) returns bigint language sql immutable as $$
      select ('x' || encode(substring(sha256(convert_to('blindkeep ' || lock, 'UTF8')) for 8), 'hex'))::bit(64)::bigint
    $$;
    create function witness_locks() returns trigger language plpgsql as $$
      declare row record; account text;
      begin
        if tg_op = 'DELETE' then row := old; else row := new; end if;
        execute 'select ' || replace(tg_argv[0], 'row.', '($1).') into account using row;
        if not holds(lock_key('account ' || account)) and not holds(${keyOf(OF_TESTS)})
          and not (holds(${keyOf('receipt log')}) and holds(${keyOf('server')})) then
          raise exception '% of % without the lock of account %', tg_op, tg_table_name, account;
        end if;
        return row;
      end
    $$;
    ${Object.entries(TABLES)
      .flatMap(([table, account]) => ['insert', 'update', 'delete'].map((change) => triggerOn(table, change, account)))
      .join('')}`)
}

function triggerOn(table: string, change: string, account: string): string {
  const exceptions = WITHOUT_LOCK.filter(({ on }) => on === `${change} ${table}`)
  if (exceptions.some(({ when }) => when === undefined)) return ''
  const conditions = exceptions.map(({ when }) => `(${when}) is not true`)
  const when = conditions.length === 0 ? '' : `when (${conditions.join(' and ')})`
  return `create trigger witness_${change} before ${change} on ${table} for each row ${when}
    execute function witness_locks('${account}');`
}
