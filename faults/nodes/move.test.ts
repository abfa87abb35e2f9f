/** A move of a server with several nodes, one of which sleeps through it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { openLink, send } from '@blindkeep/client/guest'
import { sourceOfBytes } from '@blindkeep/client/source'
import { openClient } from '../../packages/server/src/adapters/sql/postgres/client.ts'
import { NODE_LOCK } from '../../packages/server/src/adapters/sql/postgres/nodeConnection.ts'
import { startNodes } from '../../testing/nodes.ts'
import { openObjectStore } from '../../testing/objectStore.ts'
import { newOwner, quickEnvironment, sendFile } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'

it('moves once, while no node runs, and a node that wakes up afterwards signs nothing and ends', async (t) => {
  const objects = await openObjectStore()
  t.after(objects.stop)
  const { nodes, proxy, url, databaseUrl, stop } = await startNodes({ count: 3, blobs: objects.env })
  t.after(stop)
  const [sleeping, other, idle] = nodes
  assert.ok(sleeping !== undefined && other !== undefined && idle !== undefined)
  const owner = await newOwner(url)
  const { url: link } = await owner.createLink({})
  await sendFile(link, randomBytes(100))
  const source = sourceOfBytes(new Uint8Array(randomBytes(100)))
  const prepared = await (await openLink(link, quickEnvironment)).prepare({ source })
  const state = { ...prepared, baseUrl: sleeping.url }

  const to = url.replace('127.0.0.1', 'localhost')
  const move = async () => await other.command(['move', '--yes', '--json'], { PUBLIC_URL: to })
  assert.match((await move()).stderr, /a node serves this database/)
  for (const node of [sleeping, idle]) process.kill(node.pid(), 'SIGSTOP')
  const stopped = new AbortController()
  const sending = send({ state, source, signal: stopped.signal }).catch(() => undefined)
  await other.terminate()
  proxy.leaveOut(sleeping.url)
  // The database ends the connection of the sleeping node, and with it the node's lock.
  await untilUnlocked(databaseUrl)
  const moved = await move()
  assert.equal(moved.status, 0, moved.stderr)
  assert.equal(JSON.parse(moved.stdout).to, to)
  const receipts = async () => {
    const { status, stdout } = await other.command(['fsck', '--json'], { PUBLIC_URL: to })
    assert.equal(status, 0, stdout)
    return JSON.parse(stdout).counts.receipts
  }
  assert.equal(await receipts(), 1)
  // Of the second one no request asks anything.
  for (const node of [sleeping, idle]) {
    process.kill(node.pid(), 'SIGCONT')
    await until(
      () => !node.isRunning(),
      () => `the node ends: ${node.log()}`,
    )
    assert.equal(await node.terminate(), 70)
    assert.match(node.log(), new RegExp(`Blindkeep stops: the server has moved to ${to}`))
  }
  stopped.abort()
  await sending
  assert.equal(await receipts(), 1)

  await assert.rejects(sleeping.restart(), /belongs to/)
  await Promise.all(nodes.map((node) => node.restart({ PUBLIC_URL: to })))
  await sendFile(link.replace(url, to), randomBytes(100))
  assert.equal(await receipts(), 2)
})

/** Waits for the lock of all nodes, where asking with `move` again and again takes a process each time. */
async function untilUnlocked(databaseUrl: string): Promise<void> {
  const client = await openClient(databaseUrl)
  await client.query(`select pg_advisory_lock(${NODE_LOCK})`)
  await client.end()
}
