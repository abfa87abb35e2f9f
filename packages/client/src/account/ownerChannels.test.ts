/** Channels of a real server that offers webhooks to this machine. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { newOwner } from '../../../../testing/people.ts'
import { openReceiver } from '../../../../testing/receivers.ts'
import { startServer } from '../../../../testing/startServer.ts'
import { ProblemError } from '../errors.ts'

const server = await startServer({ env: { NOTIFY: 'webhook', NOTIFY_NETWORKS: '127.0.0.1' } })
const receiver = await openReceiver()
const address = `http://127.0.0.1:${receiver.port}/hook`
after(async () => {
  await server.stop()
  await receiver.close()
})

describe('channels of an owner', () => {
  it('are added, tested, listed and removed; the secret is in one answer', async () => {
    const owner = await newOwner(server.url)
    assert.deepEqual(await owner.channels(), { offered: ['webhook'], channels: [] })
    const { channel, secret } = await owner.addChannel({ kind: 'webhook', address })
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
