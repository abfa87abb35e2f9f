import { EVENTS, type EventData, type EventName } from '@blindkeep/protocol/schemas/sync'
import type { Environment } from '../environment.ts'
import { parseJson, readAnswer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { createEventStreamParser, type StreamBlock } from './eventStreamParser.ts'

/** One connection after another, as if it were one stream that never breaks. */
export type LiveEvent = {
  [Name in EventName]: {
    /** To go on after, also in another process. */
    readonly id: string
    readonly name: Name
    readonly data: EventData<Name>
  }
}[EventName]

export interface EventsOptions {
  /** The id of the last event that was worked in. */
  readonly lastEventId?: string | undefined
  /** Called whenever a connection is there and nothing can be missed any more. Who reads lists now, the first time, has everything. */
  readonly onConnected?: (() => void) | undefined
  /** Called whenever a connection has ended, or did not come about, and another will be tried. */
  readonly onDisconnected?: (() => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A server says something every 15 s. */
const SILENCE_MS = 45_000
const BACKOFF_MS = { first: 500, max: 30_000 }
/** A connection that has lasted so long was a good one: the next failure is a first one. */
const GOOD_MS = 10_000

interface Ports {
  readonly call: Call
  readonly environment: Environment
}

interface Progress {
  lastEventId: string | undefined
  tries: number
}

export async function* liveEvents(ports: Ports, options: EventsOptions = {}): AsyncGenerator<LiveEvent, void, void> {
  const { environment } = ports
  const { signal } = options
  const progress: Progress = { lastEventId: options.lastEventId, tries: 0 }
  for (;;) {
    const startedMs = environment.elapsedMs()
    try {
      yield* oneConnection(ports, options, progress)
    } catch (error) {
      if (signal?.aborted === true || !isPassing(error, progress)) throw error
    }
    options.onDisconnected?.()
    if (environment.elapsedMs() - startedMs > GOOD_MS) progress.tries = 0
    await environment.wait(backoffMs(environment, progress.tries), signal)
    progress.tries += 1
  }
}

async function* oneConnection(
  { call }: Ports,
  { onConnected, signal }: EventsOptions,
  progress: Progress,
): AsyncGenerator<LiveEvent, void, void> {
  const headers = progress.lastEventId === undefined ? {} : { 'Last-Event-ID': progress.lastEventId }
  const { body } = await call('events', { headers, signal, timeoutMs: SILENCE_MS })
  let isConnected = false
  for await (const block of blocksOf(body, progress.lastEventId)) {
    progress.lastEventId = block?.id ?? progress.lastEventId
    // Until the place is known from which to go on, a connection that breaks would take with it what comes meanwhile.
    if (!isConnected && progress.lastEventId !== undefined) {
      isConnected = true
      onConnected?.()
    }
    const event = block && eventOf(block)
    if (event === undefined) continue
    progress.tries = 0
    yield event
  }
}

/** Blocks as they come whole; undefined for a piece that completes none. */
async function* blocksOf(
  body: ReadableStream<Uint8Array>,
  lastEventId: string | undefined,
): AsyncGenerator<StreamBlock | undefined, void, void> {
  const parser = createEventStreamParser(lastEventId)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = pushed(() => parser.push(decoder.decode(value, { stream: true })))
      if (blocks.length === 0) yield undefined
      yield* blocks
    }
  } finally {
    // Whoever stops listening hangs up; that the line is broken already is no news then.
    await reader.cancel().catch(() => undefined)
  }
}

function pushed(push: () => readonly StreamBlock[]): readonly StreamBlock[] {
  try {
    return push()
  } catch (error) {
    throw error instanceof RangeError ? new AnswerError('events', error.message) : error
  }
}

/** Undefined for what is no event, or one of a newer server that this client does not know. */
function eventOf({ id, event }: StreamBlock): LiveEvent | undefined {
  if (event === undefined || !isEventName(event.name)) return undefined
  return known(id, event.name, event.data)
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name)
}

function known<Name extends EventName>(id: string, name: Name, text: string): LiveEvent {
  const { value, fault } = readAnswer(EVENTS[name], parseJson(text))
  if (fault !== undefined) throw new AnswerError('events', `${name}: ${fault}`)
  // TypeScript does not see that a name and the data of its schema are one member of the union.
  return { id, name, data: value } as LiveEvent
}

/** What another try may mend. After a cut the server may take a while to see that our place is free. */
function isPassing(error: unknown, { lastEventId }: Progress): boolean {
  if (error instanceof NetworkError) return true
  if (!(error instanceof ProblemError)) return false
  if (error.code === 'error.request.limit_reached') return lastEventId !== undefined
  return error.status === 429 || error.status >= 500
}

/** Doubling, with a random so that many clients do not come back at once. */
function backoffMs(environment: Environment, tries: number): number {
  const most = Math.min(BACKOFF_MS.max, BACKOFF_MS.first * 2 ** Math.min(tries, 10))
  return Math.round((most * (128 + (environment.randomBytes(1)[0] ?? 0) / 2)) / 256)
}
