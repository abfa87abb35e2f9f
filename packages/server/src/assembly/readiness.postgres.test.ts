/** A whole node behind proxies that let its database and its object store hang, or be slow. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type ObjectStoreProxy, startObjectStoreProxy } from '../../../../testing/faultProxy/objectStore.ts'
import { type PostgresProxy, startPostgresProxy } from '../../../../testing/faultProxy/postgres.ts'
import { createDatabase } from '../../../../testing/postgresDatabase.ts'
import { assertPrompt } from '../../../../testing/prompt.ts'
import { freePort } from '../../../../testing/startServer.ts'
import { until } from '../../../../testing/until.ts'
import { readConfig } from '../config/config.ts'
import { ask } from '../testing/http.ts'
import { startPostgresServer } from '../testing/postgresServer.ts'
import { openDouble } from '../testing/s3/world.ts'
import { USE } from '../testing/serverUse.ts'
import { type App, createApp } from './app.ts'

/** What docs/scale.md promises. */
const ANSWER_MS = 1_000
/** After so long, a store that does not answer is away. */
const NOTICED_MS = 25_000

describe('the health of a node', () => {
  const ends: (() => Promise<unknown>)[] = []
  let database: PostgresProxy
  let bytes: ObjectStoreProxy
  let app: App
  let metricsPort: number

  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-readiness-'))
    ends.push(() => rm(directory, { recursive: true }))
    const server = await startPostgresServer({ more: "-c listen_addresses='127.0.0.1'" })
    ends.push(server.stop)
    const { url } = await createDatabase(server.url('postgres'))
    database = await startPostgresProxy(url)
    ends.push(database.close)
    const { s3, address, credentials, close } = await openDouble()
    ends.push(close)
    bytes = await startObjectStoreProxy(s3.endpoint)
    ends.push(bytes.close)
    metricsPort = await freePort()
    const config = readConfig({
      DATA_DIR: directory,
      DATABASE_URL: database.through(url),
      BLOBS_URL: `s3://${address.bucket}/${address.prefix}?endpoint=${bytes.endpoint}&region=us-east-1&pathStyle=true`,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      METRICS_PORT: String(metricsPort),
    })
    assert.ok(!('faults' in config), 'faults' in config ? config.faults.join() : '')
    app = await createApp({ config, port: 0, ...USE })
    ends.push(() => app.close())
    await app.metrics?.listen({ host: '127.0.0.1', port: metricsPort })
  })
  after(async () => {
    await database.heal()
    await bytes.heal()
    for (const end of ends.reverse()) await end()
  })

  /** Fails if an answer takes longer than it may. */
  async function readiness(): Promise<readonly string[]> {
    let failing: readonly string[] = []
    await assertPrompt(ANSWER_MS, async () => {
      const answer = await ask(app.http, { url: '/readyz' })
      failing = answer.json().failing ?? []
      assert.equal(answer.statusCode, failing.length === 0 ? 200 : 503)
    })
    return failing
  }
  const figures = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    return text.split('\n').filter((line) => /^blindkeep_(ready|database_up|bytes_up) /.test(line))
  }
  const untilFailing = (...expected: readonly string[]) =>
    until(
      async () => {
        const failing = await readiness()
        return failing.length === expected.length && expected.every((word) => failing.includes(word))
      },
      expected.join(),
      NOTICED_MS,
    )

  it('is good while the store takes two seconds for each answer', async () => {
    const before = bytes.spoiled()
    bytes.spoil({ fault: { slowMs: 2_000 } })
    await until(
      async () => {
        assert.deepEqual(await readiness(), [])
        return bytes.spoiled() > before + 3
      },
      'four questions',
      NOTICED_MS,
    )
    await bytes.heal()
  })

  it('is asked within its time, and names all that is away, while the store and the database hang', async () => {
    bytes.spoil({ fault: 'hang' })
    database.hang()
    await untilFailing('store', 'blobs')
    assert.deepEqual(await figures(), ['blindkeep_ready 0', 'blindkeep_database_up 0', 'blindkeep_bytes_up 0'])
    await bytes.heal()
    await database.heal()
    await untilFailing()
    assert.deepEqual(await figures(), ['blindkeep_ready 1', 'blindkeep_database_up 1', 'blindkeep_bytes_up 1'])
  })
})
