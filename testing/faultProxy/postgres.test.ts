import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from 'pg'
import { type PostgresServer, startPostgresServer } from '../../packages/server/src/testing/postgresServer.ts'
import { createMessageReader, isCommit } from './messages.ts'
import { type PostgresProxy, startPostgresProxy } from './postgres.ts'

const FOREVER_MS = 300

let server: PostgresServer
let proxy: PostgresProxy
let direct: Client

before(async () => {
  server = await startPostgresServer()
  proxy = await startPostgresProxy(server.url('postgres'))
  direct = new Client(server.url('postgres'))
  direct.on('error', () => undefined)
  await direct.connect()
  await direct.query('create table t (n integer)')
})
after(async () => {
  await proxy.close()
  await direct.end()
  await server.stop()
})

async function through(): Promise<Client> {
  const client = new Client(proxy.through(server.url('postgres')))
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function rows(): Promise<number> {
  const { rows } = await direct.query('select n from t')
  await direct.query('delete from t')
  return rows.length
}

/** Inserts a row in a transaction through the proxy. Answers whether the commit was answered. */
async function insert(): Promise<boolean> {
  const client = await through()
  try {
    await client.query('begin; insert into t values (1)')
    return await client.query('commit').then(
      () => true,
      () => false,
    )
  } finally {
    await client.end()
  }
}

/** Whether there is an answer soon. The proxy is healed afterwards. */
async function isAnswered(client: Client): Promise<boolean> {
  let answered = false
  const asking = client.query(`select repeat('x', 100000)`).then(() => {
    answered = true
  })
  await new Promise((resolve) => setTimeout(resolve, FOREVER_MS))
  const result = answered
  await proxy.heal()
  await asking
  return result
}

describe('the proxy of PostgreSQL', () => {
  it('passes on everything without a fault', async () => {
    assert.equal(await insert(), true)
    assert.equal(await rows(), 1)
    const client = await through()
    assert.equal(await isAnswered(client), true)
    await client.end()
  })

  it('cuts connections, and accepts new ones', async () => {
    const client = await through()
    proxy.cut()
    await assert.rejects(client.query('select 1'))
    assert.equal(await insert(), true)
    await rows()
  })

  it('refuses new connections and keeps those that are open, until it is healed', async () => {
    const client = await through()
    proxy.refuse()
    await assert.rejects(through(), { code: 'ECONNREFUSED' })
    await client.query('select 1')
    await proxy.heal()
    assert.equal(await insert(), true)
    await rows()
    await client.end()
  })

  it('hangs without ending a connection, and passes on what it has held back', async () => {
    const client = await through()
    proxy.hang()
    assert.equal(await isAnswered(client), false)
    await client.end()
  })

  it('delays answers', async () => {
    const client = await through()
    proxy.delay(2 * FOREVER_MS)
    assert.equal(await isAnswered(client), false)
    await client.end()
  })

  it('has the rows that were committed after the server behind it has crashed and started again', async () => {
    assert.equal(await insert(), true)
    const client = await through()
    await direct.end()
    await server.restart()
    await assert.rejects(client.query('select 1'))
    direct = new Client(server.url('postgres'))
    await direct.connect()
    assert.equal(await rows(), 1)
  })

  it('loses the answer of a commit that has happened, and only as many as were asked for', async () => {
    proxy.loseCommits('answer', 1)
    assert.equal(await insert(), false)
    assert.equal(await rows(), 1)
    assert.equal(await insert(), true)
    assert.equal(await rows(), 1)
    assert.equal(proxy.lostCommits(), 1)
  })

  it('loses a commit before it reaches the server', async () => {
    proxy.loseCommits('request', 1)
    assert.equal(await insert(), false)
    assert.equal(await rows(), 0)
    assert.equal(await insert(), true)
    assert.equal(await rows(), 1)
  })

  it('delivers a commit late', async () => {
    proxy.loseCommits('late', 1)
    assert.equal(await insert(), false)
    assert.equal(await rows(), 0)
    await proxy.deliverLate()
    assert.equal(await rows(), 1)
  })
})

describe('the messages of a client', () => {
  const query = (text: string) => {
    const body = Buffer.from(`${text}\0`)
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from('Q'), length, body])
  }
  const startup = query('user').subarray(1)
  const stream = Buffer.concat([startup, query('begin'), query(`select '${'commit '.repeat(100)}'`), query('COMMIT')])

  it('are found whatever the pieces, and only one is a commit', () => {
    for (const size of [1, 2, 7, 300, stream.length]) {
      const read = createMessageReader({ isOfClient: true })
      const found = []
      for (let at = 0; at < stream.length; at += size) found.push(...read(stream.subarray(at, at + size)))
      assert.deepEqual(
        found.map(({ type }) => type),
        ['', 'Q', 'Q', 'Q'],
      )
      assert.deepEqual(found.map(isCommit), [false, false, false, true])
    }
  })
})
