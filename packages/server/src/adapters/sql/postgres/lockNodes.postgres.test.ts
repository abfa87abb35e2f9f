import assert from 'node:assert/strict'
import { it } from 'node:test'
import { inOwnDatabase } from '../../../testing/postgresStores.ts'
import { lockNodes } from './lockNodes.ts'

it(
  'the lock that keeps nodes out says when it was lost, and is had once',
  inOwnDatabase(async ({ url, outsider }) => {
    const lock = await lockNodes(url)
    await lock.require()
    await assert.rejects(lockNodes(url), /a node serves this database/)
    await outsider.query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
    )
    await assert.rejects(lock.require(), /was lost meanwhile.*Nothing was changed/)
    await lock.release().catch(() => undefined)
  }),
)
