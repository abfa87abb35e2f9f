/** A lone small drop's costs: statements of PostgreSQL, with `begin` and `commit`, and requests of the store. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { newLink, newOwner } from '../../../../bench/owner.ts'
import { createDatabase } from '../../../../testing/postgresDatabase.ts'
import { freePort } from '../../../../testing/startServer.ts'
import { until } from '../../../../testing/until.ts'
import { readConfig } from '../config/config.ts'
import { installedPostgres, startPostgresServer } from '../testing/postgresServer.ts'
import type { S3Server } from '../testing/s3/server.ts'
import { openDouble } from '../testing/s3/world.ts'
import { USE } from '../testing/serverUse.ts'
import { type App, createApp } from './app.ts'

/** What docs and decisions promise. */
const MAX_STATEMENTS = 20
/** Of each of many at once: locks and signs of life come to it, and what a batch shares goes off. */
const MAX_OF_MANY = 25
const SIZE = 4096
/** Longer than a receipt keeps the log busy: a drop that comes sooner is not alone. */
const QUIET_MS = 200

/** Of all connections of this process. Several statements in one call count each. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const sent: string[] = []
  const { query } = Client.prototype
  // Its overloads differ only in what they answer.
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const [asked] = given
    const text = typeof asked === 'string' ? asked : String((asked as { readonly text: string }).text)
    sent.push(...text.split(';').flatMap((each) => (each.trim() === '' ? [] : [each.trim()])))
    return Reflect.apply(query, this, given)
  } as typeof query
  try {
    await work()
  } finally {
    Client.prototype.query = query
  }
  return sent
}

/** The oldest that docs/scale.md names, where it is installed; all other tests run on the newest. */
const oldest = installedPostgres(15)

describe(`a small drop on ${oldest === undefined ? 'the newest PostgreSQL: PostgreSQL 15 is not installed' : 'PostgreSQL 15'}`, () => {
  const ends: (() => Promise<unknown>)[] = []
  let app: App
  let s3: S3Server
  let base: string
  let link: string

  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-lone-'))
    ends.push(() => rm(directory, { recursive: true }))
    const server = await startPostgresServer(oldest === undefined ? {} : { programs: oldest })
    ends.push(server.stop)
    const { url } = await createDatabase(server.url('postgres'))
    const double = await openDouble()
    s3 = double.s3
    ends.push(double.close)
    const { bucket, prefix } = double.address
    const config = readConfig({
      DATA_DIR: directory,
      DATABASE_URL: url,
      BLOBS_URL: `s3://${bucket}/${prefix}?endpoint=${s3.endpoint}&region=us-east-1&pathStyle=true`,
      AWS_ACCESS_KEY_ID: s3.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
      REGISTRATION: 'open',
    })
    assert.ok(!('faults' in config))
    const port = await freePort()
    app = await createApp({ config, port, ...USE })
    ends.push(() => app.close())
    await app.http.listen({ port, host: '127.0.0.1' })
    base = `http://127.0.0.1:${port}`
    const caps = { max_file_count: 10_000, max_total_bytes: 10_000_000_000 }
    link = await newLink({ url: base }, await newOwner({ url: base }), caps)
    await drop()
  })
  after(async () => {
    for (const end of ends.reverse()) await end()
  })

  /** From its creation to the guest's receipt. */
  async function drop(): Promise<void> {
    const content = randomBytes(SIZE)
    const hash = createHash('sha256').update(content).digest('hex')
    const kemCt = randomBytes(1120).toString('base64')
    const declared = { content_type: 'application/octet-stream', size: SIZE, ciphertext_hash: hash, kem_ct: kemCt }
    const headers = { 'content-type': 'application/json' }
    const created = await fetch(`${base}/d/${link}`, { method: 'POST', headers, body: JSON.stringify(declared) })
    assert.equal(created.status, 201)
    const { upload_id: uploadId } = (await created.json()) as { readonly upload_id: string }
    const sent = await fetch(`${base}/d/${link}/${uploadId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/octet-stream', 'x-service-offset': '0', 'x-service-checksum': hash },
      body: content,
    })
    assert.equal(sent.status, 204, await sent.text())
    assert.equal((await fetch(`${base}/d/${link}/${uploadId}/receipt`)).status, 200)
  }

  const witnessWrites = () => s3.requests.filter((line) => /^PUT .*blindkeep-witness$/.test(line)).length

  it(`costs at most ${MAX_STATEMENTS} statements, one PUT and no GET; the witness follows, once for several drops`, async () => {
    // What the server does beside by its clocks may fall into some of them, and it has to see first that it is alone.
    let drops = 0
    let cost: { readonly statements: readonly string[]; readonly requests: readonly string[] } | undefined
    await until(
      async () => {
        await wait(QUIET_MS)
        const before = s3.requests.length
        const statements = await statementsOf(drop)
        const requests = s3.requests.slice(before).filter((line) => !line.endsWith('blindkeep-witness'))
        drops += 1
        cost = { statements, requests: requests.map((line) => line.split(' ')[0] ?? '') }
        return statements.length <= MAX_STATEMENTS && requests.length === 1
      },
      () => `${cost?.statements.length}, ${cost?.requests}:\n${cost?.statements.join('\n')}`,
    )
    assert.deepEqual(cost?.requests, ['PUT'])
    const written = witnessWrites()
    await until(() => witnessWrites() > written, 'the witness')
    assert.ok(witnessWrites() <= drops, `${witnessWrites()} writes for ${drops} drops`)
  })

  it('costs about as much when several are sent at once', async () => {
    const count = 16
    const together = () => Promise.all(Array.from({ length: count }, drop))
    // Opens the connections.
    await together()
    const each = (await statementsOf(together)).length / count
    assert.ok(each <= MAX_OF_MANY, `${each}`)
  })
})
