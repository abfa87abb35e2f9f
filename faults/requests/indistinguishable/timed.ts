/** Requests one after another over one connection, each with its time until the head of the answer. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Reply } from '../../../conformance/call.ts'

export type Ask = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly reply: Reply; readonly ms: number }>

export async function overOneConnection(url: string, work: (ask: Ask) => Promise<void>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    await work(async (method, path, body) => {
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      const headers = bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) }
      const startedAt = performance.now()
      const asked = request(url + path, { agent, method, ...(headers && { headers }) })
      asked.end(bytes)
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      const ms = performance.now() - startedAt
      const { headers: found, rawHeaders, statusCode: status = 0 } = answer
      return { reply: { status, headers: found, rawHeaders, body: await buffer(answer) }, ms }
    })
  } finally {
    agent.destroy()
  }
}
