import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { type ObjectFault, type ObjectStoreProxy, startObjectStoreProxy } from './objectStore.ts'

/** A store as small as possible: it keeps what is put, and says what it was asked. */
let objects: Map<string, Buffer>
let asked: string[]
let store: Server
let proxy: ObjectStoreProxy

before(async () => {
  store = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = await buffer(request)
    asked.push(`${method} ${url} ${headers.host === new URL(proxy.endpoint).host ? 'as signed' : headers.host}`)
    if (method === 'PUT') objects.set(url, body)
    const found = objects.get(url)
    response.writeHead(found === undefined ? 404 : 200, { 'content-length': found?.length ?? 0 })
    response.end(method === 'HEAD' ? undefined : found)
  }).listen(0, '127.0.0.1')
  await once(store, 'listening')
  const { port } = store.address() as { readonly port: number }
  proxy = await startObjectStoreProxy(`http://127.0.0.1:${port}`)
})
beforeEach(() => {
  objects = new Map()
  asked = []
})
afterEach(() => proxy.heal())
after(async () => {
  await proxy.close()
  store.close()
})

const CONTENT = randomBytes(100_000)
const url = (key: string) => `${proxy.endpoint}/bucket/${key}`
const put = (key: string) => fetch(url(key), { method: 'PUT', body: CONTENT })
const get = async (key: string) => Buffer.from(await (await fetch(url(key))).arrayBuffer())
const spoilOne = (fault: ObjectFault) => proxy.spoil({ fault, times: 1 })
const puts = () => asked.filter((line) => line.startsWith('PUT')).length

describe('the proxy of an object store', () => {
  it('passes on everything without a rule, with the host that was signed', async () => {
    assert.equal((await put('a')).status, 200)
    assert.deepEqual(await get('a'), CONTENT)
    assert.deepEqual(asked, ['PUT /bucket/a as signed', 'GET /bucket/a as signed'])
  })

  it('spoils by method and key, as often as the rule says', async () => {
    proxy.spoil({ method: 'PUT', path: /\/b$/, fault: 'slow down', times: 2 })
    const statuses = []
    for (const key of ['a', 'b', 'b', 'b']) statuses.push((await put(key)).status)
    assert.deepEqual(statuses, [200, 503, 503, 200])
    assert.equal(proxy.spoiled(), 2)
  })

  it('loses a request', async () => {
    spoilOne('lose the request')
    await assert.rejects(put('a'))
    assert.equal(puts(), 0)
    assert.equal((await put('a')).status, 200)
  })

  it('loses an answer to what the store has done', async () => {
    spoilOne('lose the answer')
    await assert.rejects(put('a'))
    assert.deepEqual(objects.get('/bucket/a'), CONTENT)
  })

  it('applies a request after the client has given up', async () => {
    spoilOne({ applyAfterMs: 1_000 })
    await assert.rejects(put('a'))
    assert.equal(objects.size, 0)
    await proxy.settled()
    assert.deepEqual(objects.get('/bucket/a'), CONTENT)
  })

  it('sends a request twice', async () => {
    spoilOne('send twice')
    assert.equal((await put('a')).status, 200)
    assert.equal(puts(), 2)
  })

  it('hangs until the client gives up', async () => {
    spoilOne('hang')
    await assert.rejects(fetch(url('a'), { signal: AbortSignal.timeout(200) }), { name: 'TimeoutError' })
    assert.deepEqual(asked, [])
  })

  for (const [fault, status, code] of [
    ['slow down', 503, 'SlowDown'],
    ['error in 200', 200, 'InternalError'],
    ['skewed clock', 403, 'RequestTimeTooSkewed'],
    ['stale', 404, 'NoSuchKey'],
    ['full', 507, 'XMinioStorageFull'],
  ] as const)
    it(`answers ${status} ${code} without asking the store: ${fault}`, async () => {
      spoilOne(fault)
      const answer = await put('a')
      assert.equal(answer.status, status)
      assert.match(await answer.text(), new RegExp(`<Code>${code}</Code>`))
      assert.deepEqual(asked, [])
    })

  it('says yes to HEAD and no to GET', async () => {
    await put('a')
    proxy.spoil({ method: 'GET', fault: 'stale' })
    assert.equal((await fetch(url('a'), { method: 'HEAD' })).status, 200)
    assert.equal((await fetch(url('a'))).status, 404)
  })

  it('cuts the body of an answer', async () => {
    await put('a')
    spoilOne('cut the body')
    const answer = await fetch(url('a'))
    assert.equal(answer.headers.get('content-length'), String(CONTENT.length))
    await assert.rejects(answer.arrayBuffer())
    assert.deepEqual(await get('a'), CONTENT)
  })

  it('flips one bit of the body of an answer', async () => {
    await put('a')
    spoilOne('wrong body')
    const got = await get('a')
    assert.equal(got.length, CONTENT.length)
    assert.equal(got.filter((byte, at) => byte !== CONTENT[at]).length, 1)
  })

  it('refuses connections until it is healed', async () => {
    proxy.refuse()
    await assert.rejects(put('a'))
    await proxy.heal()
    assert.equal((await put('a')).status, 200)
  })
})
