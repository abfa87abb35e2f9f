import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ForeignSchema } from '../../../ports/store.ts'
import { inOwnDatabase } from '../../../testing/postgresStores.ts'
import { checkPostgresSchema } from '../postgres/schema.ts'

describe('the schema of a PostgreSQL database', () => {
  it(
    'is refused with what acts in statements of the server, and accepted with what does not',
    inOwnDatabase(async ({ url, outsider }) => {
      await checkPostgresSchema(url)
      await outsider.query(`
        create view accounts_a_day as select count(*) from accounts;
        create function count_of_accounts() returns bigint language sql as 'select count(*) from accounts';
        create table notes (note text)`)
      await checkPostgresSchema(url)
      await outsider.query(`
        create function act() returns trigger language plpgsql as $$ begin return null; end $$;
        create trigger acting before update on log_head for each row execute function act();
        create rule hide as on delete to receipts do instead nothing;
        create policy own on accounts using (true);
        create table more_accounts () inherits (accounts);
        create function octet_length(value text) returns integer language sql as 'select 0'`)
      await assert.rejects(checkPostgresSchema(url), (error) => {
        assert.ok(error instanceof ForeignSchema)
        assert.deepEqual(error.differences.toSorted(), [
          'the function public.octet_length(text) in the place of one of PostgreSQL',
          'the policy own on accounts',
          'the rule hide on receipts',
          'the table more_accounts as a part of accounts',
          'the trigger acting on log_head',
        ])
        return true
      })
    }),
  )

  it(
    'is accepted when it is empty',
    inOwnDatabase(({ url }) => checkPostgresSchema(url), 'template0'),
  )
})
