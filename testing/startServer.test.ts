import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { freePort, PORTS } from './startServer.ts'

describe('a free port', () => {
  // First: a process claims its ports once.
  it('is none of another process, whose ports they would be by its number', async () => {
    const first = PORTS.first + (process.pid % PORTS.processes) * PORTS.each
    const other = createServer().listen(first, '127.0.0.1')
    await once(other, 'listening')
    const port = await freePort()
    other.close()
    assert.ok(port < first || port >= first + PORTS.each, `${port} after ${first}`)
  })

  it('is none that the system gives to others, and another each time, also beside one in use', async () => {
    const first = await freePort()
    const used = createServer().listen(first + 1, '127.0.0.1')
    await once(used, 'listening')
    const others = [await freePort(), await freePort()]
    used.close()
    const all = [first, first + 1, ...others]
    assert.equal(new Set(all).size, all.length)
    // Where Linux begins; other systems and the registry of ports begin at 49152.
    assert.ok(Math.max(...all) < 32_768, all.join())
  })
})
