import { it } from 'node:test'
import { moveStory, OLD } from './moveStory.ts'
import { startServer } from './startServer.ts'

it('people of a server that moves go on at its new name, from everything that they had at the old one', async (t) => {
  const server = await startServer({ publicUrl: OLD, env: { REGISTRATION: 'open' } })
  t.after(server.stop)
  await moveStory({ ...server, start: server.restart })
})
