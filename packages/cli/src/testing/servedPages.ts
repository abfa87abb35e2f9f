/** `blindkeep pages serve` as a process, and requests as its pages make them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { buffer, text } from 'node:stream/consumers'
import type { Fact, World } from './world.ts'

export interface ServedPages {
  /** Of the pages. */
  readonly origin: string
  /** The next object that the program prints. */
  fact(): Promise<Fact>
  /** Resolves with its exit status; at once if it has ended. */
  ended(): Promise<number | null>
  /** The same after this signal. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** What stands at a path, as a browser opens it. */
  open(path: string): Promise<Buffer>
  ask(path: string, asked?: Asked): Promise<{ readonly status: number | undefined; readonly body: Fact }>
  /** Asks for a code, and types it. */
  pair(): Promise<Fact>
}

interface Asked {
  readonly method?: string
  readonly body?: object
  readonly token?: string
}

export async function servePages(world: Pick<World, 'start'>, profile: string): Promise<ServedPages> {
  const child = world.start(['pages', 'serve', '--no-open', '--json', '--profile', profile])
  assert.ok(child.stdout)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const fact = async () => {
    const { value, done } = await lines.next()
    assert.ok(!done, 'the program has ended')
    return JSON.parse(value)
  }
  const { event, address } = await fact()
  assert.equal(event, 'serving')
  const { host, port, origin } = new URL(address)

  async function open(path: string) {
    const [reply]: IncomingMessage[] = await once(
      http.get({ host: '127.0.0.1', port, path, headers: { host } }),
      'response',
    )
    assert.equal(reply?.statusCode, 200)
    return await buffer(reply)
  }

  async function ask(path: string, { method = 'GET', body, token }: Asked = {}) {
    const headers = {
      host,
      'sec-fetch-site': 'same-origin',
      'sec-fetch-dest': 'empty',
      ...(token !== undefined && { 'x-local-token': token }),
    }
    const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent: false })
    request.end(body === undefined ? undefined : JSON.stringify(body))
    const [reply]: IncomingMessage[] = await once(request, 'response')
    assert.ok(reply)
    const said = await text(reply)
    return { status: reply.statusCode, body: said === '' ? undefined : JSON.parse(said) }
  }

  const closed = once(child, 'close')
  const ended = async () => (await closed)[0]

  return {
    origin,
    fact,
    open,
    ask,
    ended,
    async end(signal) {
      child.kill(signal)
      return await ended()
    },
    async pair() {
      await ask('/local/code', { method: 'POST' })
      const { code } = await fact()
      const { status, body } = await ask('/local/pair', { method: 'POST', body: { code } })
      assert.equal(status, 200)
      return body
    },
  }
}
