import { it } from 'node:test'
import { moveStory, OLD } from './moveStory.ts'
import { startNodes } from './nodes.ts'
import { openObjectStore } from './objectStore.ts'

it('people of a server of two nodes that moves go on at its new name', async (t) => {
  const objects = await openObjectStore()
  t.after(objects.stop)
  const env = { REGISTRATION: 'open' }
  const { url, nodes, stop } = await startNodes({ count: 2, publicUrl: OLD, blobs: objects.env, env })
  t.after(stop)
  const [first] = nodes
  if (first === undefined) throw new Error('there are two nodes')
  const ofAll = (work: (node: (typeof nodes)[number]) => Promise<unknown>) => Promise.all(nodes.map(work))
  await moveStory({
    url,
    command: first.command,
    terminate: () => ofAll((node) => node.terminate()),
    start: async (settings) => void (await ofAll((node) => node.restart(settings))),
  })
})
