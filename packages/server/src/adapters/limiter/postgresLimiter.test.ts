import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Client } from 'pg'
import { type LimiterWorld, limiterContract, ofLink } from '../../contracts/limiter.ts'
import type { Limit } from '../../ports/limiter.ts'
import { endOthers, inDatabase, rowsRead } from '../../testing/postgresStores.ts'
import { openPostgresLimiter } from './postgresLimiter.ts'

interface World extends LimiterWorld {
  readonly outsider: Client
  open(secret?: Uint8Array): Promise<ReturnType<typeof openPostgresLimiter>>
}

function inWorld(work: (world: World) => Promise<void>): () => Promise<void> {
  return inDatabase(async ({ url, outsider }) => {
    const ownSecret = randomBytes(32)
    await work({
      outsider,
      open: async (secret = ownSecret) => openPostgresLimiter({ url, secret, warn: () => {} }),
      // The database's clock does not move by hand, but windows can end earlier.
      async advance(seconds) {
        await outsider.query('update limits set ends_at = ends_at - $1', [seconds * 1000])
      },
    })
  })
}

limiterContract('the limiter on PostgreSQL', inWorld)

/** Rows of others, in a table of which a call reads a few. */
const OTHERS = 20_000

const count = (answers: readonly unknown[]) => answers.filter((answer) => answer === undefined).length

describe('limiters of several processes', () => {
  it(
    'count together, and never above a limit',
    inWorld(async ({ open }) => {
      const limiters = await Promise.all([open(), open(), open()])
      const limit = { ...ofLink, max: 25 }
      const startedAt = performance.now()
      const answers = await Promise.all(Array.from({ length: 90 }, (_, at) => limiters[at % 3]?.take([limit])))
      assert.equal(count(answers), 25)
      await limiters[0]?.giveBack([limit])
      assert.equal(await limiters[1]?.take([limit]), undefined)
      const wait = (await limiters[2]?.take([limit])) ?? 0
      // On a busy machine the window runs for seconds meanwhile.
      const shortest = Math.ceil(limit.windowSeconds - (performance.now() - startedAt) / 1000)
      assert.ok(wait >= shortest && wait <= limit.windowSeconds, `${wait} s, expected ${shortest} s at least`)
      for (const limiter of limiters) await limiter.close()
    }),
  )

  it(
    'take several limits in any order at once, all of them or none',
    inWorld(async ({ open, outsider }) => {
      const limiters = await Promise.all([open(), open()])
      const limits: readonly Limit[] = ['a', 'b', 'c', 'd'].map((key) => ({ ...ofLink, key, max: 40 }))
      const scarce = { ...ofLink, key: 'scarce', max: 30 }
      const works = Array.from({ length: 120 }, async (_, at) => {
        const limiter = limiters[at % 2]
        const asked = at % 3 === 0 ? [...limits, scarce] : [scarce, ...limits.toReversed()]
        const answer = await limiter?.take(asked)
        if (answer === undefined && at % 4 === 0) await limiter?.giveBack(asked.toReversed())
        return answer === undefined && at % 4 !== 0 ? 'kept' : 'not'
      })
      const kept = (await Promise.all(works)).filter((work) => work === 'kept').length
      assert.ok(kept > 0 && kept <= 30)
      const { rows } = await outsider.query('select distinct taken from limits')
      assert.deepEqual(rows, [{ taken: String(kept) }])
      for (const limiter of limiters) await limiter.close()
    }),
  )
})

describe('the table of limits', () => {
  it(
    'has no readable keys, and nothing that others can recompute',
    inWorld(async ({ open, outsider }) => {
      const secrets = [randomBytes(32), randomBytes(32)]
      for (const secret of secrets) {
        const limiter = await open(secret)
        await limiter.take([ofLink, { ...ofLink, rule: 'source', key: '203.0.113.7' }])
        await limiter.close()
      }
      const { rows } = await outsider.query('select * from limits')
      assert.equal(rows.length, 4)
      for (const { id } of rows) assert.match(id, /^[0-9a-f]{32}$/)
    }),
  )

  it(
    'keeps nothing of windows that ended or of what was given back, once it is pruned',
    inWorld(async ({ open, outsider, advance }) => {
      const limiter = await open()
      await limiter.take([ofLink])
      await advance(900)
      const returned = { ...ofLink, key: 'returned' }
      await limiter.take([returned])
      await limiter.giveBack([returned])
      await limiter.take([{ ...ofLink, key: 'present' }])
      await limiter.prune()
      const { rows } = await outsider.query('select taken from limits')
      assert.deepEqual(rows, [{ taken: '1' }])
      await limiter.close()
    }),
  )

  it(
    'is read where a limit leads, however many counts it has had since the statements were planned',
    inWorld(async ({ open, outsider }) => {
      const before = await rowsRead(outsider, 'limits')
      const limiter = await open()
      const asked = Array.from({ length: 4 }, (_, at) => ({ ...ofLink, key: String(at), max: 1000 }))
      const refused = { ...ofLink, key: 'refused', max: 0 }
      const use = async () => {
        for (let count = 0; count < 20; count += 1) {
          assert.equal(await limiter.take(asked), undefined)
          assert.notEqual(await limiter.take([refused, ...asked]), undefined)
          await limiter.giveBack(asked)
          await limiter.prune()
        }
      }
      await use()
      await outsider.query(`
        insert into limits select md5(number::text), 1, (extract(epoch from now()) * 1000 + 900000)::bigint
        from generate_series(1, ${OTHERS}) as number`)
      await use()
      await limiter.close()
      assert.ok((await rowsRead(outsider, 'limits')) - before < OTHERS)
    }),
  )

  it(
    'ends a window from before the database’s clock was set back',
    inWorld(async ({ open, advance }) => {
      const limiter = await open()
      const one = { ...ofLink, max: 1 }
      await limiter.take([one])
      await advance(-86_400)
      assert.equal(await limiter.take([one]), undefined)
      assert.equal(await limiter.take([one]), 900)
      await limiter.close()
    }),
  )

  it(
    'is not written by an attempt that is refused',
    inWorld(async ({ open, outsider }) => {
      const limiter = await open()
      const one = { ...ofLink, max: 1 }
      await limiter.take([one])
      const rows = async () => (await outsider.query('select ctid, xmin, xmax, id from limits')).rows
      const before = await rows()
      assert.equal(await limiter.take([{ ...ofLink, key: 'another' }, one]), 900)
      assert.deepEqual(await rows(), before)
      await limiter.close()
    }),
  )

  it(
    'is found again after the database has closed every connection',
    inWorld(async ({ open, outsider }) => {
      const limiter = await open()
      await limiter.take([{ ...ofLink, max: 1 }])
      await endOthers(outsider)
      const again = async (): Promise<number | undefined> => limiter.take([{ ...ofLink, max: 1 }]).catch(again)
      assert.equal(await again(), 900)
      await limiter.close()
    }),
  )
})
