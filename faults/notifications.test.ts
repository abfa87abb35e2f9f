/** The server is killed between a landing and its message, and between the message and the row that says so. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { newOwner, sendFile } from '../testing/people.ts'
import { openReceiver, type Receiver } from '../testing/receivers.ts'
import { type RunningServer, startServer } from '../testing/startServer.ts'

/** A lease of a minute, the look of a minute, and a busy machine. */
const MAX_WAIT_MS = 180_000
const POLL_MS = 50

const landingsIn = ({ received }: Receiver) =>
  received.map(({ headers, body }) => ({ id: headers['webhook-id'], count: JSON.parse(body).data.count }))

describe('a message about landed files, after its server was killed', () => {
  let server: RunningServer
  let receiver: Receiver

  before(async () => {
    receiver = await openReceiver()
    server = await startServer({ env: { NOTIFY: 'webhook', NOTIFY_NETWORKS: '127.0.0.1' } })
  })
  after(async () => {
    await server.stop()
    await receiver.close()
  })

  async function untilReceived(count: number): Promise<void> {
    const until = Date.now() + MAX_WAIT_MS
    while (receiver.received.length < count) {
      assert.ok(Date.now() < until, `${receiver.received.length} of ${count} messages in time`)
      await wait(POLL_MS)
    }
  }

  it('comes late, not never; and a message that the receiver had comes once more, under the same id', async () => {
    const owner = await newOwner(server.url)
    const { url } = await owner.createLink()
    await owner.addChannel({ kind: 'webhook', address: `http://127.0.0.1:${receiver.port}/` })
    for (let file = 0; file < 3; file += 1) await sendFile(url, randomBytes(1000))
    await server.kill9()
    assert.equal(receiver.received.length, 0, 'killed before the message')
    receiver.answer = 'never'
    await server.restart()
    await untilReceived(1)
    await server.kill9()
    receiver.answer = 204
    await server.restart()
    await untilReceived(2)
    const [first, second] = landingsIn(receiver)
    assert.deepEqual([first?.count, second], [3, first])
    // Longer than the pause between two messages: a third one would come.
    await wait(75_000)
    assert.equal(receiver.received.length, 2)
    const { channels } = await owner.channels()
    assert.ok(channels[0]?.lastSentAt !== undefined)
    const { stdout, status } = await server.command(['fsck'])
    assert.equal(status, 0, stdout)
  })
})
