import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { until } from '../../../../../../testing/until.ts'
import { account, accountId } from '../../../contracts/store/world.ts'
import { createAlarm, noteChange } from '../../../domain/changes/changes.ts'
import { MAX_CLOCK_OFF_MS, type Node } from '../../../ports/node.ts'
import { endOthers, inDatabase, inOwnDatabase } from '../../../testing/postgresStores.ts'
import { migrations } from '../migrations/migrations.ts'
import { openPostgresNode } from './node.ts'

/** Opens nodes, and closes them after `work`. */
async function withNodes(
  url: string,
  work: (open: (isSole?: boolean) => Promise<Node>) => Promise<void>,
  onBroken: (error: Error) => void = assert.ifError,
): Promise<void> {
  const nodes: Node[] = []
  try {
    await work(async (isSole = false) => {
      const node = await openPostgresNode({ url, isSole, version: '0.0.0', onBroken, openAttempts: 2 })
      nodes.push(node)
      return node
    })
  } finally {
    for (const node of nodes) await node.close()
  }
}

const nextNews = (node: Node) => new Promise<readonly AccountId[] | undefined>((resolve) => node.onNews(resolve))

describe('the nodes of a PostgreSQL database', () => {
  it(
    'have the time of the database',
    inDatabase(({ url, outsider }) =>
      withNodes(url, async (open) => {
        const node = await open()
        assert.deepEqual(node.faults(), [])
        const { rows } = await outsider.query('select extract(epoch from clock_timestamp()) * 1000 as now')
        assert.ok(Math.abs(node.clock.now() - Number(rows[0].now)) < MAX_CLOCK_OFF_MS)
      }),
    ),
  )

  it(
    'run jobs at once without a warning of the client in their log',
    inDatabase(({ url }) =>
      withNodes(url, async (open) => {
        const node = await open()
        const warnings: Error[] = []
        const note = (warning: Error) => void warnings.push(warning)
        process.on('warning', note)
        await Promise.all(['one', 'two', 'three'].map((name) => node.inTurn(name, async () => undefined)))
        // Node reports a warning after the call that caused it.
        await new Promise(setImmediate)
        process.off('warning', note)
        assert.deepEqual(warnings, [])
      }),
    ),
  )

  it(
    'wake the listeners of an account on the other nodes after a commit, and not on the node itself',
    inDatabase(({ url, open: openStore }) =>
      withNodes(url, async (open) => {
        const [here, there] = [await open(), await open()]
        const [alarmHere, alarmThere] = [createAlarm(here), createAlarm(there)]
        const [storeHere, storeThere] = [alarmHere.over(await openStore()), await openStore()]
        const woken = new Promise<void>((resolve) => {
          alarmThere.listen(accountId(1), resolve)
        })
        alarmThere.listen(accountId(2), () => assert.fail('nothing of this account has changed'))
        await storeHere.write([], async (tx) => {
          await tx.accounts.insert(account(1))
          await noteChange(tx, accountId(1), { name: 'quota.changed' }, here.clock.now())
        })
        await woken
        assert.equal(await storeThere.read((tx) => tx.changes.lastSeq(accountId(1))), 1)
      }),
    ),
  )

  it(
    'tell of many accounts at once, each once',
    inDatabase(({ url }) =>
      withNodes(url, async (open) => {
        const [here, there] = [await open(), await open()]
        const told: AccountId[] = []
        there.onNews((accountIds = []) => told.push(...accountIds))
        here.onNews(() => assert.fail('a node does not tell itself'))
        const all = Array.from({ length: 1000 }, (_, at) => accountId(at + 1))
        for (const each of all) here.announce([each])
        await until(() => told.length >= all.length)
        assert.deepEqual(told.toSorted(), all.toSorted())
      }),
    ),
  )

  it(
    'connect again when the connection is lost, and then take all accounts for changed',
    inDatabase(({ url, outsider }) =>
      withNodes(url, async (open) => {
        const node = await open()
        const news = nextNews(node)
        await endOthers(outsider)
        assert.equal(await news, undefined)
        const other = await open()
        const heard = new Promise<readonly AccountId[]>((resolve) => {
          node.onNews((accountIds) => accountIds && resolve(accountIds))
        })
        other.announce([accountId(1)])
        assert.deepEqual(await heard, [accountId(1)])
      }),
    ),
  )

  it(
    'run a job on one of them at a time',
    inDatabase(({ url }) =>
      withNodes(url, async (open) => {
        const [here, there] = [await open(), await open()]
        const ran: string[] = []
        await here.inTurn('sweep', async () => {
          await there.inTurn('sweep', async () => void ran.push('the same job'))
          await there.inTurn('scrub', async () => void ran.push('another job'))
        })
        assert.deepEqual(ran, ['another job'])
        await there.inTurn('sweep', async () => void ran.push('the next one'))
        assert.deepEqual(ran, ['another job', 'the next one'])
      }),
    ),
  )

  it(
    'serve on a newer schema that serves their release, but run no jobs; on any other they serve no more',
    inOwnDatabase(({ url, outsider }) =>
      withNodes(url, async (open) => {
        const node = await open()
        const insert = 'insert into migrations (number, serves) values ($1, $2)'
        await outsider.query(insert, [migrations.length + 1, migrations.length])
        const hasRun = async () => {
          let ran = false
          await node.inTurn('sweep', async () => {
            ran = true
          })
          return ran
        }
        await until(async () => !(await hasRun()))
        assert.deepEqual(node.faults(), [])
        await outsider.query(insert, [migrations.length + 2, migrations.length + 1])
        await until(() => node.faults().length > 0)
        assert.deepEqual(node.faults(), ['schema'])
      }),
    ),
  )

  it(
    'are known to operators while they live',
    inDatabase(async ({ url, outsider }) => {
      const known = async () => (await outsider.query('select node_id from nodes')).rows.length
      await withNodes(url, async (open) => {
        await open()
        await open()
        assert.equal(await known(), 2)
      })
      assert.equal(await known(), 0)
    }),
  )
})

describe('a node with the bytes in files', () => {
  it(
    'is the only one',
    inDatabase(({ url }) =>
      withNodes(url, async (open) => {
        await open(true)
        for (const isSole of [true, false]) await assert.rejects(open(isSole), /another node serves this database/)
      }),
    ),
  )

  it(
    'ends when another one took its place while it was cut off',
    inDatabase(async ({ url, outsider }) => {
      let broken: Error | undefined
      const onBroken = (error: Error) => {
        broken = error
      }
      await withNodes(
        url,
        async (open) => {
          await open(true)
          await endOthers(outsider)
          await outsider.query('select pg_advisory_lock(1651207790, 3)')
          await until(() => broken !== undefined)
          await outsider.query('select pg_advisory_unlock_all()')
        },
        onBroken,
      )
      assert.match(String(broken), /another node/)
    }),
  )
})
