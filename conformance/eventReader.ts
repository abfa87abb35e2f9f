/** Reads event streams. Written from the standard alone (WHATWG HTML, section 9.2). */
import assert from 'node:assert/strict'
import type { Listening } from './client.ts'
import type { Owner } from './world.ts'

export interface StreamEvent {
  readonly id: string
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface EventStream {
  readonly head: Listening['head']
  /** The id that the stream sent before its first event; undefined when it started after a given event. */
  startId(): string | undefined
  /** The next event; undefined when the stream has ended. */
  next(): Promise<StreamEvent | undefined>
  /** Events up to and with the first of this name. */
  upTo(name: string): Promise<readonly StreamEvent[]>
  cut(): void
}

/** Resolves when the stream has started; it carries every event from then on. */
export async function listen({ client, token }: Owner, lastEventId?: string): Promise<EventStream> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const { head, pieces, cut } = await client.listen({ method: 'GET', path: '/v1/events', token, headers })
  const blocks = blocksOf(pieces)
  let id = lastEventId ?? ''
  const received: StreamEvent[] = []
  const take = async (): Promise<boolean> => {
    const { done, value } = await blocks.next()
    if (done === true) return false
    const fields = (name: string) => value.filter(([field]) => field === name).map(([, text]) => text)
    id = fields('id').at(-1) ?? id
    const data = fields('data')
    if (data.length > 0)
      received.push({ id, name: fields('event').at(-1) ?? 'message', data: JSON.parse(data.join('\n')) })
    return true
  }
  assert.ok(await take(), 'a stream sends its first block at once')
  const startedAt = received.length === 0 && id !== lastEventId ? id : undefined
  const next = async () => {
    while (received.length === 0 && (await take()));
    return received.shift()
  }
  return {
    head,
    startId: () => startedAt,
    next,
    async upTo(name) {
      const all: StreamEvent[] = []
      while (all.at(-1)?.name !== name) {
        const event = await next()
        assert.ok(event !== undefined, `the stream ended before ${name}`)
        all.push(event)
      }
      return all
    },
    cut,
  }
}

type Field = readonly [name: string, value: string]

/** The fields of each block; a comment has none. Returns when the stream ends or is cut. */
async function* blocksOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<readonly Field[], void, void> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const piece of pieces) {
      text += decoder.decode(piece, { stream: true })
      const blocks = text.replaceAll(/\r\n?/g, '\n').split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) yield block.split('\n').filter(isField).map(fieldOf)
    }
  } catch {
    // The connection was cut.
  }
}

const isField = (line: string) => line !== '' && !line.startsWith(':')

function fieldOf(line: string): Field {
  const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
  return [name, value]
}
