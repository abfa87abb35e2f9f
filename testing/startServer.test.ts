import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { claimPorts, freePort } from './startServer.ts'

describe('a free port', () => {
  it('is none of another process that would have the same ports by its number', async () => {
    const [first, others, port] = [await freePort(), await claimPorts(), await freePort()]
    assert.ok(others > port || others < first - 200, `${others} beside ${first}`)
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
