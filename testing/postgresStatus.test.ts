import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startNodes } from './nodes.ts'
import { openObjectStore } from './objectStore.ts'
import { newOwner, sendFile } from './people.ts'

it('a node’s status is shown beside it on PostgreSQL and S3, and says so when the store is away', async (t) => {
  const objects = await openObjectStore()
  let isStopped = false
  const stopObjects = async () => {
    if (!isStopped) await objects.stop()
    isStopped = true
  }
  t.after(stopObjects)
  const { nodes, url, stop } = await startNodes({ count: 1, blobs: objects.env })
  t.after(stop)
  const owner = await newOwner(url)
  const link = await owner.createLink({})
  await sendFile(link.url, new Uint8Array(1000))
  const status = async () => {
    const done = await nodes[0]?.command(['status', '--json'])
    return { exit: done?.status, told: JSON.parse(done?.stdout ?? ''), text: done?.stdout ?? '' }
  }
  const { exit, told, text } = await status()
  assert.equal(exit, 0)
  assert.deepEqual([told.accounts.count, told.live_links, told.files], [1, 1, { inboxes: 1, albums: 0 }])
  assert.deepEqual([told.arrived.day.objects, told.free_bytes, told.used_bytes > 1000], [1, null, true])
  for (const secret of [owner.email, link.opaqueId]) assert.ok(!text.includes(secret), secret)
  await stopObjects()
  const away = await status()
  assert.equal(away.exit, 1)
  assert.equal(away.told.alarms[0].kind, 'bytes_away')
})
