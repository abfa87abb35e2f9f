import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { startLine } from './line.ts'

/** A line to a server that answers with the number of bytes it received. */
async function countedLine(t: TestContext) {
  const server = createServer((request, answer) => {
    buffer(request).then(
      ({ length }) => answer.end(String(length)),
      () => answer.destroy(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const line = await startLine(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.after(async () => {
    await line.close()
    server.closeAllConnections()
    server.close()
  })
  const post = (bytes: number) =>
    fetch(line.url, { method: 'POST', body: new Uint8Array(bytes) }).then(
      (answer) => answer.text(),
      () => 'lost',
    )
  return { line, post }
}

describe('a bad line', () => {
  it('carries every byte, no faster than the limit', async (t) => {
    const { line, post } = await countedLine(t)
    assert.equal(await post(3_000_000), '3000000')
    line.slow({ upBytesPerSecond: 1_000_000, latencyMs: 50 })
    const begun = performance.now()
    assert.equal(await post(400_000), '400000')
    assert.ok(performance.now() - begun > 400)
    assert.ok(line.passed().upBytes > 3_400_000)
  })

  it('is cut in the middle of requests the given number of times, and then works again', async (t) => {
    const { line, post } = await countedLine(t)
    line.cutAfter(100_000, 2)
    assert.deepEqual([await post(500_000), await post(500_000), await post(500_000)], ['lost', 'lost', '500000'])
  })

  it('refuses connections from down() to up() or mend()', async (t) => {
    const { line, post } = await countedLine(t)
    const up = line.down()
    assert.equal(await post(1), 'lost')
    up()
    assert.equal(await post(1), '1')
    line.down()
    line.mend()
    assert.equal(await post(1), '1')
  })
})
