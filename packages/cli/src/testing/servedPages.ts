/** `blindkeep pages serve` and `open` as processes, and requests as its pages make them. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { buffer, text } from 'node:stream/consumers'
import type { Call, Fact, World } from './world.ts'

export interface ServedPages {
  /** Of the pages. */
  readonly origin: string
  readonly pid: number | undefined
  /** What it has said on standard error so far. */
  said(): string
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

export function servePages(world: Pick<World, 'start'>, profile: string): Promise<ServedPages> {
  return pagesOf(world.start(['pages', 'serve', '--no-open', '--json', '--profile', profile]))
}

/** `address`: of a link or share, for the program's standard input. */
export function openPages(
  world: Pick<World, 'start'>,
  address: string,
  { flags = ['--no-open'], ...call }: Call & { readonly flags?: readonly string[] } = {},
): Promise<ServedPages> {
  const child = world.start(['pages', 'open', '-', '--json', ...flags], call)
  child.stdin?.end(address)
  return pagesOf(child)
}

async function pagesOf(child: ChildProcess): Promise<ServedPages> {
  assert.ok(child.stdout && child.stderr)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const fact = async () => {
    const { value, done } = await lines.next()
    assert.ok(!done, 'the program has ended')
    return JSON.parse(value)
  }
  const { event, address } = await fact()
  assert.equal(event, 'serving')
  const { host, port, origin } = new URL(address)
  const said: string[] = []
  child.stderr.setEncoding('utf8').on('data', (piece: string) => said.push(piece))

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
    const answer = await text(reply)
    return { status: reply.statusCode, body: answer === '' ? undefined : JSON.parse(answer) }
  }

  const closed = once(child, 'close')
  const ended = async () => (await closed)[0]

  return {
    origin,
    pid: child.pid,
    said: () => said.join(''),
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
