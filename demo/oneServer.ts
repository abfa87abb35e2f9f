/** The stage of the plain demo: one server with SQLite and files. */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startServer } from '../testing/startServer.ts'
import { peakMemory } from './memory.ts'
import type { Stage } from './stage.ts'
import type { Story } from './story.ts'

/** Long enough for several attempts of the guest to fail. */
const OUTAGE_MS = 3_000

export async function openOneServer(story: Story): Promise<Stage> {
  return story.step('A server starts with an empty directory.', async () => {
    const server = await startServer()
    story.say(`It listens at ${server.url} and has no key to any file.`)
    const peaks: (number | undefined)[] = []
    return {
      url: server.url,
      async serverIsKilled({ say }) {
        peaks.push(await peakMemory(server.pid()))
        await server.kill9()
        say(`The server is killed with kill -9 and stays down for ${OUTAGE_MS / 1000} s.`)
        await wait(OUTAGE_MS)
        await server.restart()
        say('The server is started again on the same port and directory.')
      },
      flipBit: async (hash) => flipBitOf(await findObject(server.dataDir, hash)),
      peakMemory: async () => [...peaks, await peakMemory(server.pid())],
      logs: () => [server.log()],
      terminate: async () => [await server.terminate()],
      stop: async () => void (await server.stop()),
    }
  })
}

/** The object file whose name begins with the hash. */
async function findObject(dataDir: string, hash: string): Promise<string> {
  const directory = join(dataDir, 'blobs', hash.slice(0, 2))
  const name = (await readdir(directory)).find((each) => each.startsWith(hash))
  if (name === undefined) throw new Error('the server has no file of that hash')
  return join(directory, name)
}

async function flipBitOf(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  const { size } = await handle.stat()
  const byte = new Uint8Array(1)
  const at = Math.floor(size / 2)
  await handle.read(byte, 0, 1, at)
  await handle.write(Uint8Array.of((byte[0] ?? 0) ^ 1), 0, 1, at)
  await handle.close()
}
