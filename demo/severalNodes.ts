/** The stage of `npm run demo -- --scale`: two nodes behind a proxy, with PostgreSQL and an object store. */
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { type Nodes, startNodes } from '../testing/nodes.ts'
import { openObjectStore, type TestObjectStore } from '../testing/objectStore.ts'
import type { RunningServer } from '../testing/startServer.ts'
import { peakMemory } from './memory.ts'
import type { Stage } from './stage.ts'
import type { Story } from './story.ts'

export async function openSeveralNodes(story: Story): Promise<Stage> {
  return story.step('PostgreSQL, an object store and two nodes behind a proxy start, all empty.', async () => {
    const objects = await openObjectStore()
    const started = await startNodes({ count: 2, blobs: objects.env }).catch(async (error: unknown) => {
      await objects.stop()
      throw error
    })
    story.say(`PostgreSQL is a real one. The object store: ${objects.name}.`)
    story.say(`The proxy at ${started.url} gives each request to the other node than the one before.`)
    return stageOf(started, objects)
  })
}

function stageOf({ url, proxy, nodes, stop }: Nodes, objects: TestObjectStore): Stage {
  const [first, second] = nodes
  if (first === undefined || second === undefined) throw new Error('two nodes were expected')
  const peaks: (number | undefined)[] = []
  const noteMemory = async (node: RunningServer) => void peaks.push(await peakMemory(node.pid()))
  return {
    url,
    async serverIsKilled({ say, check }) {
      await noteMemory(first)
      await first.kill9()
      const before = proxy.served.get(second.url) ?? 0
      say('One node is killed with kill -9. The other one goes on.')
      await first.restart()
      check((proxy.served.get(second.url) ?? 0) > before, 'the guest’s chunks went to the other node meanwhile')
      say('The first node is started again.')
    },
    flipBit: (hash) => flipBitOf(objects, hash),
    async peakMemory() {
      for (const node of nodes) await noteMemory(node)
      return peaks
    },
    logs: () => nodes.map((node) => node.log()),
    terminate: () => Promise.all(nodes.map((node) => node.terminate())),
    async stop() {
      await stop()
      await objects.stop()
    },
  }
}

/** Puts other bytes at all keys of this object, as a decaying store does. Some may no longer count. */
async function flipBitOf({ client, bucket: Bucket, prefix }: TestObjectStore, hash: string): Promise<void> {
  const listed = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${prefix}${hash.slice(0, 2)}/${hash}` }))
  if (listed.Contents === undefined) throw new Error('the store has no key of that hash')
  for (const { Key } of listed.Contents) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
    const bytes = await Body?.transformToByteArray()
    if (bytes === undefined) throw new Error('the store has no bytes at the key')
    const at = Math.floor(bytes.length / 2)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await client.send(new PutObjectCommand({ Bucket, Key, Body: bytes }))
  }
}
