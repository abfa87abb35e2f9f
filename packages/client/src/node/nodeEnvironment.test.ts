import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { nodeEnvironment } from './nodeEnvironment.ts'

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

/** As some proxies are: a body without a length is refused. Answers the hash of any other. */
async function answerOf(request: IncomingMessage): Promise<readonly [status: number, text: string]> {
  const body = await buffer(request)
  return request.headers['content-length'] === String(body.length) ? [200, sha256(body)] : [411, 'Length Required']
}

const strict = createServer(async (request, response) => {
  const [status, text] = await answerOf(request)
  response.writeHead(status).end(text)
})
strict.listen(0, '127.0.0.1')
await once(strict, 'listening')
after(() => strict.close())
const url = `http://127.0.0.1:${(strict.address() as AddressInfo).port}`

describe('a proxy that takes no body without a length', () => {
  it('takes every chunk, to its last byte', async () => {
    for (const bytes of [1, 65_536, 300_000, 16 * 1024 * 1024]) {
      const body = new Uint8Array(bytes).fill(7)
      const answer = await nodeEnvironment.fetch(url, { method: 'PATCH', body, headers: { 'X-Service-Offset': '0' } })
      assert.equal(await answer.text(), sha256(body), `${bytes} bytes`)
    }
  })

  it('takes JSON', async () => {
    const body = JSON.stringify({ size: 1 })
    const answer = await nodeEnvironment.fetch(url, { method: 'POST', body })
    assert.equal(await answer.text(), sha256(body))
  })
})
