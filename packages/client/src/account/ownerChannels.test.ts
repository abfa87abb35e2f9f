/** Channels of a real server that offers webhooks and push to this machine. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { ChannelId } from '@blindkeep/protocol/ids'
import { anotherClient, newOwner, sendFile } from '../../../../testing/people.ts'
import { openPushService } from '../../../../testing/pushService.ts'
import { openReceiver } from '../../../../testing/receivers.ts'
import { startServer } from '../../../../testing/startServer.ts'
import { until } from '../../../../testing/until.ts'
import { ProblemError } from '../errors.ts'
import { nodeEnvironment } from '../node/node.ts'

const push = await openPushService()
const server = await startServer({
  env: { NOTIFY: 'webhook,push', NOTIFY_NETWORKS: '127.0.0.1', NODE_EXTRA_CA_CERTS: push.certificateFile },
})
const receiver = await openReceiver()
const address = `http://127.0.0.1:${receiver.port}/hook`
after(async () => {
  await server.stop()
  await receiver.close()
  await push.close()
})

/** A message waits until nothing has landed for 5 seconds. On a busy machine it takes longer. */
const MAX_MESSAGE_MS = 60_000

describe('channels of an owner', () => {
  it('are added, tested, listed and removed; the secret is in one answer', async () => {
    const owner = await newOwner(server.url)
    const { offered, channels: none } = await owner.channels()
    assert.deepEqual([offered, none], [['webhook', 'push'], []])
    const { channel, secret } = await owner.addChannel({ kind: 'webhook', address, name: 'The archive' })
    assert.equal(channel.name, 'The archive')
    assert.match(secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(await owner.testChannel(channel.channelId), undefined)
    assert.equal(JSON.parse(receiver.received.at(-1)?.body ?? '').type, 'test')
    const { channels } = await owner.channels()
    assert.deepEqual(channels, [channel])
    assert.ok(!JSON.stringify(channels).includes('/hook'))
    receiver.answer = 500
    assert.equal(await owner.testChannel(channel.channelId), 'receiver_failed')
    await owner.removeChannel(channel.channelId)
    await owner.removeChannel(channel.channelId)
    assert.deepEqual((await owner.channels()).channels, [])
  })

  it('are refused by kind and by address', async () => {
    const owner = await newOwner(server.url)
    const refusedAs = (code: string) => (error: unknown) => error instanceof ProblemError && error.code === code
    await assert.rejects(
      owner.addChannel({ kind: 'email', address: 'owner@example.org' }),
      refusedAs('error.channel.not_offered'),
    )
    await assert.rejects(
      owner.addChannel({ kind: 'webhook', address: 'hooks.example' }),
      refusedAs('error.channel.invalid'),
    )
  })
})

describe('a browser as a channel', () => {
  it('gets a message when files land, and one that no longer exists is given up at once', async () => {
    const owner = await newOwner(server.url)
    const { pushKey } = await owner.channels()
    const subscribe = () => push.subscribe(Buffer.from(pushKey ?? new Uint8Array()).toString('base64url'))
    const [browser, lost] = [subscribe(), subscribe()]
    const added = await owner.addBrowser({ ...browser, name: 'Firefox on Linux' })
    const gone = await owner.addBrowser({ ...lost, name: 'a browser that was removed' })
    assert.deepEqual([added.kind, added.state, added.name], ['push', 'active', 'Firefox on Linux'])
    const { channels } = await anotherClient(server.url, owner).channels()
    assert.deepEqual(channels, [added, gone])
    assert.equal(added.shown, new URL(browser.endpoint).host)
    assert.ok(!JSON.stringify(channels).includes('/push/'))

    assert.equal(await owner.testChannel(added.channelId), undefined)
    assert.equal(JSON.parse(push.received.at(-1)?.text ?? '').about, 'test')
    push.unsubscribe(lost.endpoint)
    assert.equal(await owner.testChannel(gone.channelId), 'no_longer_there')

    const { url } = await owner.createLink()
    await sendFile(url, new Uint8Array(1000))
    await sendFile(url, new Uint8Array(2000))
    const stateOf = async (channelId: ChannelId) =>
      (await owner.channels()).channels.find((each) => each.channelId === channelId)
    await until(
      async () => (await stateOf(added.channelId))?.lastSentAt !== undefined,
      'a message was sent',
      MAX_MESSAGE_MS,
    )
    await until(
      async () => (await stateOf(gone.channelId))?.state === 'given_up',
      'the other is given up',
      MAX_MESSAGE_MS,
    )
    const { about, count, server: host } = JSON.parse(push.received.at(-1)?.text ?? '')
    assert.deepEqual([push.received.length, about, count, host], [2, 'landings', 2, new URL(server.url).host])
    const last = await stateOf(gone.channelId)
    assert.deepEqual([last?.lastFault, last?.attempts], ['no_longer_there', 1])
    assert.deepEqual(push.refused, [])
  })

  it('has a name that the server cannot give to another one', async () => {
    const owner = await newOwner(server.url)
    const { channelId } = await owner.addBrowser({ ...push.subscribe(), name: 'Firefox on Linux' })
    const misled = anotherClient(server.url, owner, {
      ...nodeEnvironment,
      async fetch(input, init) {
        const answer = await nodeEnvironment.fetch(input, init)
        const text = (await answer.text()).replaceAll(channelId, '00000000-0000-4000-8000-000000000000')
        return new Response(text, { status: answer.status, headers: answer.headers })
      },
    })
    const [listed] = (await misled.channels()).channels
    assert.equal(listed?.name, undefined)
    assert.match(listed?.nameFault ?? '', /./)
  })
})
