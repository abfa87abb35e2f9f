/**
 * The commit of a landing reaches PostgreSQL long after its server has given up on it, as from a backend that was
 * frozen. Until then the drop's bytes may not be written over: a receipt may still be on its way.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { HEADERS } from '@blindkeep/protocol/wire'
import { Client } from 'pg'
import { type PostgresServer, startPostgresServer } from '../../packages/server/src/testing/postgresServer.ts'
import { type PostgresProxy, startPostgresProxy } from '../../testing/faultProxy/postgres.ts'
import { provedBody } from '../../testing/proving.ts'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import { type Api, createApi, jsonOf, pause } from '../harness/api.ts'

const FILE = randomBytes(4096)
/** Half of other bytes: a chunk that lands nothing. */
const OTHER = randomBytes(2048)

interface Created {
  readonly access_token: string
  readonly upload_id: string
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('a landing whose commit comes late', () => {
  let postgres: PostgresServer
  let proxy: PostgresProxy
  let server: RunningServer
  let api: Api
  let token: string
  let link: string
  let path: string

  before(async () => {
    postgres = await startPostgresServer()
    proxy = await startPostgresProxy(postgres.url('postgres'))
    server = await startServer({ env: { DATABASE_URL: proxy.through(postgres.url('postgres')) } })
    api = createApi(server)
  })
  after(async () => {
    api.close()
    await server.stop()
    await proxy.close()
    await postgres.stop()
  })
  beforeEach(async () => {
    const members = { email: `${randomUUID()}@example.org` }
    token = (await post('/v1/auth/register', await provedBody(server.url, '/v1/auth/register', { members })))
      .access_token
    const opaqueId = randomBytes(16).toString('hex')
    const key = { drop_pubkey: randomBytes(1216).toString('base64'), crypto_suite_id: 1 }
    await post('/v1/drops/links', { opaque_id: opaqueId, ...key }, token)
    link = `/d/${opaqueId}`
    // The first small drop of a process has a commit of its own before its landing.
    path = await openSession()
    assert.equal(await send(FILE), 204)
    path = await openSession()
  })

  async function openSession(): Promise<string> {
    const file = { content_type: 'application/octet-stream', size: FILE.length, ciphertext_hash: sha256(FILE) }
    const session = await post(link, { ...file, kem_ct: randomBytes(1120).toString('base64') })
    return `${link}/${session.upload_id}`
  }

  async function post(to: string, json: unknown, bearer?: string): Promise<Created> {
    const reply = await api.askUntilAnswered({
      method: 'POST',
      path: to,
      json,
      ...(bearer === undefined ? {} : { token: bearer }),
    })
    assert.equal(reply.status, 201, reply.code)
    return jsonOf(reply)
  }

  /** The status; undefined if there is none. */
  async function send(bytes: Buffer<ArrayBuffer>): Promise<number | undefined> {
    const headers = { [HEADERS.offset]: '0', [HEADERS.checksum]: sha256(bytes) }
    return (await api.ask({ method: 'PATCH', path, headers, bytes }))?.status
  }

  async function endIdleTransactions(): Promise<void> {
    const client = new Client(postgres.url('postgres'))
    await client.connect()
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'`)
    await client.end()
  }

  /** The landing's commit is on its way, and its guest has no answer. */
  async function sendAndLose(): Promise<{ readonly answer: Promise<number | undefined> }> {
    const lostBefore = proxy.lostCommits()
    proxy.loseCommits('late', 1)
    const answer = send(FILE)
    while (proxy.lostCommits() === lostBefore) await pause(5)
    return { answer }
  }

  /** Whether the drop has landed: then with its own bytes. */
  async function hasLanded(): Promise<boolean> {
    const get = (from: string) => api.askUntilAnswered({ method: 'GET', path: from, token })
    const receipt = await get(`${path}/receipt`)
    const { drops } = jsonOf<{ readonly drops: readonly { readonly drop_id: string }[] }>(await get('/v1/drops'))
    assert.equal(drops.length, receipt.status === 200 ? 2 : 1)
    for (const { drop_id } of drops) {
      const content = await get(`/v1/drops/${drop_id}/content`)
      assert.equal(content.status, 200)
      assert.equal(sha256(content.body), sha256(FILE), 'the bytes of the receipt')
    }
    if (receipt.status === 200) assert.equal(await send(FILE), 204, 'a repeat of the landed chunk')
    const { status, stdout } = await server.command(['fsck', '--deep'])
    assert.equal(status, 0, stdout)
    return receipt.status === 200
  }

  it('keeps its bytes from other chunks of the same server', async () => {
    const first = await sendAndLose()
    const others = [send(OTHER), send(OTHER), send(FILE)]
    await pause(300)
    await proxy.deliverLate()
    await first.answer
    assert.deepEqual((await Promise.all(others)).toSorted(), [204, 409, 409])
    assert.equal(await hasLanded(), true)
  })

  it('keeps its bytes from a chunk that comes when the first has been answered', async () => {
    const first = await sendAndLose()
    const wasAnswered = await Promise.race([first.answer.then(() => true), pause(2_000).then(() => false)])
    const other = send(OTHER)
    await pause(300)
    await proxy.deliverLate()
    assert.equal(await other, 409, `the first chunk was ${wasAnswered ? '' : 'not '}answered before`)
    await first.answer
    assert.equal(await hasLanded(), true)
  })

  it('has its own bytes, or none, when the next process takes a chunk', async (test) => {
    const first = await sendAndLose()
    await server.kill9()
    await first.answer
    const restarting = server.restart()
    const other = restarting.then(() => send(OTHER))
    // PostgreSQL ends a transaction that hears nothing for five seconds.
    await pause(4_000)
    await proxy.deliverLate()
    const status = await other
    const landed = await hasLanded()
    test.diagnostic(landed ? 'the commit came in time' : 'PostgreSQL had ended the transaction')
    assert.equal(status, landed ? 409 : 204)
  })

  it('is forgotten when its transaction has ended without a commit: then other bytes are taken', async () => {
    const first = await sendAndLose()
    await endIdleTransactions()
    await first.answer
    assert.equal(await send(OTHER), 204)
    assert.equal(await hasLanded(), false)
  })
})
