/** The server is killed between a landing and its message, and between the message and the row that says so. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { newOwner, sendFile } from '../../testing/people.ts'
import { openPushService, type PushService } from '../../testing/pushService.ts'
import { openReceiver, type Receiver } from '../../testing/receivers.ts'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import { until } from '../../testing/until.ts'

/** A lease of a minute, the look of a minute, and a busy machine. */
const MAX_WAIT_MS = 180_000

const landingsIn = ({ received }: Receiver) =>
  received.map(({ headers, body }) => ({ id: headers['webhook-id'], count: JSON.parse(body).data.count }))

/** How many files each message to a browser is about, and its id. */
const pushesIn = ({ received }: PushService) =>
  received.map(({ text }) => {
    const { id, count } = JSON.parse(text)
    return { id, count }
  })

describe('a message about landed files, after its server was killed', () => {
  let server: RunningServer
  let receiver: Receiver
  let push: PushService

  before(async () => {
    receiver = await openReceiver()
    push = await openPushService()
    const env = { NOTIFY: 'webhook,push', NOTIFY_NETWORKS: '127.0.0.1', NODE_EXTRA_CA_CERTS: push.certificateFile }
    server = await startServer({ env })
  })
  after(async () => {
    await server.stop()
    await receiver.close()
    await push.close()
  })

  /** By the webhook and by the browser. */
  async function untilReceived(count: number): Promise<void> {
    const lengths = () => [receiver.received.length, push.received.length]
    const areThere = () => lengths().every((length) => length >= count)
    await until(areThere, () => `${count} messages, not ${lengths()}`, MAX_WAIT_MS)
  }

  it('comes late, not never; and a message that the receiver had comes once more, under the same id', async () => {
    const owner = await newOwner(server.url)
    const { url } = await owner.createLink()
    await owner.addChannel({ kind: 'webhook', address: `http://127.0.0.1:${receiver.port}/` })
    await owner.addBrowser({ ...push.subscribe(), name: 'Firefox on Linux' })
    // At once, as the message comes five seconds after a landing without another.
    await Promise.all(Array.from({ length: 3 }, () => sendFile(url, randomBytes(1000))))
    await server.kill9()
    assert.deepEqual([receiver.received.length, push.received.length], [0, 0], 'killed before the message')
    receiver.answer = 'never'
    push.answer = 'never'
    await server.restart()
    await untilReceived(1)
    await server.kill9()
    receiver.answer = 204
    push.answer = 201
    await server.restart()
    await untilReceived(2)
    const [first, second] = landingsIn(receiver)
    assert.deepEqual([first?.count, second], [3, first])
    const [pushed, again] = pushesIn(push)
    assert.deepEqual([pushed?.count, again], [3, pushed])
    // Longer than the pause between two messages: a third one would come.
    await wait(75_000)
    assert.deepEqual([receiver.received.length, push.received.length], [2, 2])
    const { channels } = await owner.channels()
    for (const { lastSentAt } of channels) assert.ok(lastSentAt !== undefined)
    const { stdout, status } = await server.command(['fsck'])
    assert.equal(status, 0, stdout)
  })
})
