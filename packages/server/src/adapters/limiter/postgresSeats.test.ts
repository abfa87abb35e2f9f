import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seatsContract } from '../../contracts/seats.ts'
import { inDatabase, rowsRead } from '../../testing/postgresStores.ts'
import { openPostgresSeats } from './postgresSeats.ts'

const open = (url: string) => openPostgresSeats({ url, warn: () => {} })

seatsContract('seats on PostgreSQL', (work) =>
  inDatabase(async ({ url }) => {
    const seats = open(url)
    await work(seats).finally(seats.close)
  }),
)

describe('seats of several processes', () => {
  it(
    'are counted together, and are free again a minute after a process has died, not before',
    inDatabase(async ({ url, outsider }) => {
      const [living, dying, other] = [open(url), open(url), open(url)]
      const pass = (seconds: number) => outsider.query('update seats set until = until - $1', [seconds * 1000])
      const takenAtOnce = await Promise.all(
        Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? living : dying).take('p', 2)),
      )
      assert.equal(takenAtOnce.filter((seat) => seat !== undefined).length, 2)
      for (const seat of takenAtOnce) await seat?.leave()
      assert.ok(await living.take('p', 2))
      assert.ok(await dying.take('p', 2))
      const left = 'select (until / 1000 - extract(epoch from clock_timestamp()))::float as seconds from seats'
      // A busy machine asks late.
      for (const { seconds } of (await outsider.query(left)).rows) assert.ok(seconds > 40 && seconds <= 60, seconds)
      await pass(40)
      await living.renew()
      assert.equal(await other.take('p', 2), undefined)
      await pass(20)
      assert.ok(await other.take('p', 2))
      assert.equal(await other.take('p', 2), undefined)
      for (const seats of [living, dying, other]) await seats.close()
      await pass(200)
      const last = open(url)
      await last.renew()
      assert.deepEqual((await outsider.query('select * from seats')).rows, [])
      await last.close()
    }),
  )

  it(
    'read the seats of their places alone, however many there are',
    inDatabase(async ({ url, outsider }) => {
      const others = 20_000
      const before = await rowsRead(outsider, 'seats')
      const seats = open(url)
      const use = async () => {
        for (let count = 0; count < 20; count += 1) {
          const taken = [await seats.take('p', 2), await seats.take('p', 2)]
          assert.equal(await seats.take('p', 2), undefined)
          await seats.renew()
          for (const seat of taken) await seat?.leave()
        }
      }
      await use()
      await outsider.query(`
        insert into seats select 'p' || number, 1, 'another', (extract(epoch from now()) * 1000 + 900000)::bigint
        from generate_series(1, ${others}) as number`)
      await use()
      await seats.close()
      assert.ok((await rowsRead(outsider, 'seats')) - before < others)
    }),
  )
})
