/** Channels: where an owner hears of landed files. The receiver is in this process, and checks with Node's HMAC. */
import assert from 'node:assert/strict'
import { createECDH, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { openReceiver } from '../testing/receivers.ts'
import { until } from '../testing/until.ts'
import { sendJson } from './assetWorld.ts'
import { json, type Reply } from './call.ts'
import { answerOf, expectAnswer } from './expect.ts'
import { connect, NEEDS_OWN_SERVER, ownServer } from './server.ts'
import { asOwner, land, type Owner, provision, signUp } from './world.ts'

const MAX_CHANNELS = 10
const MAX_TESTS = 10
const MAX_CODES = 10
/** A message waits until nothing has landed for 5 seconds. On a busy machine it takes longer. */
const MAX_MESSAGE_MS = 30_000

interface Channel {
  readonly channel_id: string
  readonly state: string
  readonly shown: string
  readonly attempts: number
  readonly last_fault?: string
}

const server = await connect()
const offering =
  NEEDS_OWN_SERVER === false ? await ownServer({ NOTIFY: 'webhook,ntfy,push', NOTIFY_NETWORKS: '127.0.0.1' }) : server
const receiver = await openReceiver()
after(() => receiver.close())
const address = `http://127.0.0.1:${receiver.port}/hook?key=of-the-owner`

const add = (owner: Owner, over: object = {}): Promise<Reply> =>
  sendJson(owner, '/v1/channels', { kind: 'webhook', address, ...over })
const added = async (owner: Owner) => json<{ channel: Channel; secret: string }>(await add(owner))
const listOf = async (owner: Owner) =>
  json<{ offered: string[]; channels: Channel[]; push_key?: string }>(await asOwner(owner, 'GET', '/v1/channels'))
const test = (owner: Owner, { channel_id: id }: Channel) => asOwner(owner, 'POST', `/v1/channels/${id}/test`)
const confirm = (owner: Owner, id: string, code: unknown = '01234567') =>
  sendJson(owner, `/v1/channels/${id}/confirm`, { code })

// Covers: Channels
describe('channels', { skip: NEEDS_OWN_SERVER }, () => {
  it('are added with a secret that no other answer has, listed, and removed', async () => {
    const owner = await signUp(offering)
    const { offered, channels } = await listOf(owner)
    assert.deepEqual([offered, channels], [['webhook', 'ntfy', 'push'], []])
    const reply = await add(owner)
    expectAnswer(reply, '201')
    assert.match(String(reply.headers['cache-control']), /\bno-store\b/)
    const { channel, secret } = json<{ channel: Channel; secret: string }>(reply)
    assert.equal(Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length, 32)
    const list = await asOwner(owner, 'GET', '/v1/channels')
    assert.deepEqual(json<{ channels: Channel[] }>(list).channels, [channel])
    assert.equal(channel.shown, `127.0.0.1:${receiver.port}`)
    for (const hidden of [secret, 'of-the-owner', '/hook']) assert.ok(!list.body.toString().includes(hidden), hidden)
    const remove = () => asOwner(owner, 'DELETE', `/v1/channels/${channel.channel_id}`)
    for (const again of [await remove(), await remove()]) expectAnswer(again, '204')
    assert.deepEqual((await listOf(owner)).channels, [])
  })

  it('get one signed message about files that land together: how many and when, and no id', async () => {
    const owner = await signUp(offering)
    const { secret } = await added(owner)
    const before = receiver.received.length
    const link = await provision(owner)
    for (let drop = 0; drop < 3; drop += 1) await land(link, randomBytes(100))
    await until(async () => receiver.received.length > before, 'the message has arrived', MAX_MESSAGE_MS)
    const [{ headers, body } = { headers: {} as Record<string, unknown>, body: '' }, ...others] =
      receiver.received.slice(before)
    assert.equal(others.length, 0)
    const { type, timestamp, data } = JSON.parse(body)
    assert.deepEqual(
      [type, Object.keys(data), data.count],
      ['drops.landed', ['server', 'count', 'first_at', 'last_at'], 3],
    )
    assert.ok(
      Date.parse(data.first_at) <= Date.parse(data.last_at) && Date.parse(data.last_at) <= Date.parse(timestamp),
    )
    assert.ok(!body.includes(link.opaqueId))
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 60)
  })

  it('are tested: the answer has a class of faults and no word of the receiver', async () => {
    const owner = await signUp(offering)
    const { channel } = await added(owner)
    assert.deepEqual(json(await test(owner, channel)), { delivered: true })
    receiver.answer = 404
    const refused = await test(owner, channel)
    assert.deepEqual(json(refused), { delivered: false, fault: 'rejected' })
    assert.ok(!refused.body.toString().includes('words of the receiver'))
    receiver.answer = 204
  })

  it('lead to no address of the server’s own network', async () => {
    const owner = await signUp(offering)
    const before = receiver.connections()
    for (const host of ['127.0.0.2', '[::1]', '[::ffff:127.0.0.1]', '10.0.0.1', '169.254.169.254', '0.0.0.0']) {
      const reply = await add(owner, { address: `http://${host}:${receiver.port}/` })
      expectAnswer(reply, '400 channel.invalid')
    }
    const reply = await add(owner, { address: `http://localhost:${receiver.port}/` })
    const { channel } = json<{ channel: Channel }>(reply)
    assert.deepEqual(json(await test(owner, channel)), { delivered: false, fault: 'address_refused' })
    assert.equal(receiver.connections(), before)
  })

  it('are refused by kind, by address, and beyond their number', async () => {
    const owner = await signUp(offering)
    expectAnswer(await add(owner, { kind: 'email', address: 'owner@example.org' }), '403 channel.not_offered')
    expectAnswer(await add(owner, { kind: 'fax' }), '400 request.malformed')
    for (const wrong of [
      'hooks.example',
      'ftp://hooks.example/',
      'https://a:b@hooks.example/',
      'https://hooks.example/#x',
    ])
      expectAnswer(await add(owner, { address: wrong }), '400 channel.invalid', wrong)
    expectAnswer(await add(owner, { token: 'x' }), '400 channel.invalid')
    expectAnswer(await add(owner, { kind: 'ntfy', token: 'a\r\nb' }), '400 request.malformed')
    const answers = []
    for (let channel = 0; channel <= MAX_CHANNELS; channel += 1) answers.push(answerOf(await add(owner)))
    assert.deepEqual(answers.slice(-2), ['201', '403 request.limit_reached'])
  })

  it('may be browsers: the list has the key of the server, and the name as the client has sealed it', async () => {
    const owner = await signUp(offering)
    const { push_key: key = '' } = await listOf(owner)
    const point = Buffer.from(key, 'base64')
    assert.deepEqual([point.length, point[0]], [65, 4])
    const browser = {
      kind: 'push',
      address: 'https://push.example/a-secret-path',
      p256dh: createECDH('prime256v1').generateKeys('base64'),
      auth: randomBytes(16).toString('base64'),
      channel_id: randomUUID(),
      sealed_name: randomBytes(40).toString('base64'),
    }
    for (const missing of ['p256dh', 'auth', 'channel_id'])
      expectAnswer(await add(owner, { ...browser, [missing]: undefined }), '400 channel.invalid', missing)
    expectAnswer(await add(owner, { ...browser, p256dh: randomBytes(65).toString('base64') }), '400 channel.invalid')
    expectAnswer(await add(owner, { ...browser, auth: randomBytes(15).toString('base64') }), '400 request.malformed')
    for (const member of ['p256dh', 'auth', 'sealed_name'] as const)
      expectAnswer(await add(owner, { [member]: browser[member] }), '400 channel.invalid', member)
    const reply = await add(owner, browser)
    expectAnswer(reply, '201')
    const { channel } = json<{ channel: Channel & { sealed_name: string } }>(reply)
    assert.deepEqual(
      [channel.channel_id, channel.state, channel.shown, channel.sealed_name],
      [browser.channel_id, 'active', 'push.example', browser.sealed_name],
    )
    const list = await asOwner(owner, 'GET', '/v1/channels')
    assert.deepEqual(json<{ channels: Channel[] }>(list).channels, [channel])
    for (const hidden of ['a-secret-path', browser.p256dh, browser.auth])
      assert.ok(!list.body.toString().includes(hidden), hidden)
    expectAnswer(await add(await signUp(offering), browser), '400 channel.invalid', 'the id is taken')
    const named = { channel_id: randomUUID(), sealed_name: browser.sealed_name }
    const webhook = await add(owner, named)
    expectAnswer(webhook, '201')
    const { channel_id, sealed_name } = json<{ channel: typeof channel }>(webhook).channel
    assert.deepEqual({ channel_id, sealed_name }, named)
  })

  it('belong to their account: another one finds nothing', async () => {
    const [owner, other] = [await signUp(offering), await signUp(offering)]
    const { channel } = await added(owner)
    expectAnswer(await test(other, channel), '404 channel.not_found')
    expectAnswer(await confirm(other, channel.channel_id), '404 channel.not_found')
    expectAnswer(await asOwner(other, 'DELETE', `/v1/channels/${channel.channel_id}`), '204')
    assert.equal((await listOf(owner)).channels.length, 1)
    expectAnswer(await asOwner(owner, 'POST', `/v1/channels/${randomUUID()}/test`), '404 channel.not_found')
  })

  it('that need no code are confirmed already', async () => {
    const owner = await signUp(offering)
    const { channel } = await added(owner)
    const reply = await confirm(owner, channel.channel_id)
    expectAnswer(reply, '200')
    assert.deepEqual(json(reply), channel)
    expectAnswer(await confirm(owner, channel.channel_id, '1234'), '400 request.malformed')
  })

  it('are tested at most ten times in a quarter of an hour', async () => {
    const owner = await signUp(offering)
    // An address that no other test uses: it, too, gets ten messages a minute.
    const own = { address: `http://127.0.0.1:${receiver.port}/tested` }
    const { channel } = json<{ channel: Channel }>(await add(owner, own))
    for (let count = 0; count < MAX_TESTS; count += 1) expectAnswer(await test(owner, channel), '200')
    expectAnswer(await test(owner, channel), '429 channel.rate_limited')
  })
})

// Covers: Channels
describe('channels of a server that offers none', { skip: NEEDS_OWN_SERVER }, () => {
  it('cannot be added, and the list says so', async () => {
    const owner = await signUp(server)
    assert.deepEqual(await listOf(owner), { offered: [], channels: [] })
    expectAnswer(await add(owner), '403 channel.not_offered')
  })
})

// Covers: Channels
describe('an e-mail address', { skip: NEEDS_OWN_SERVER }, () => {
  it('waits for its code, which may be guessed ten times in a quarter of an hour and is sent once, and a mailbox gets three a day of all accounts', async () => {
    // Nothing takes mail there: the answers do not wait for it.
    const mailing = await ownServer({ NOTIFY: 'email', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'keep@example.org' })
    const owner = await signUp(mailing)
    const mail = { kind: 'email', address: 'Owner@Example.org' }
    const reply = await add(owner, mail)
    expectAnswer(reply, '201')
    const { channel } = json<{ channel: Channel }>(reply)
    assert.deepEqual([channel.state, channel.shown], ['unconfirmed', 'owner@example.org'])
    assert.deepEqual(json(await test(owner, channel)), { delivered: false, fault: 'unconfirmed' })
    for (let count = 0; count < MAX_CODES; count += 1)
      // One of a hundred million codes is right.
      expectAnswer(await confirm(owner, channel.channel_id), '400 channel.code_wrong')
    expectAnswer(await confirm(owner, channel.channel_id), '429 channel.rate_limited')
    expectAnswer(await add(owner, { ...mail, address: 'owner+one@example.org' }), '201')
    const other = await signUp(mailing)
    expectAnswer(await add(other, { ...mail, address: 'ow.ner@example.org' }), '201')
    expectAnswer(await add(other, mail), '429 channel.rate_limited')
    expectAnswer(await add(other, { ...mail, address: 'another@example.org' }), '201')
  })
})
