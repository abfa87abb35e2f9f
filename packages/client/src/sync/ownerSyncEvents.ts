import { parseJson } from '@blindkeep/protocol/json'
import { EVENTS, type EventData, type EventName } from '@blindkeep/protocol/schemas/sync'
import type { Environment } from '../ground/environment.ts'
import { readAnswer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { AnswerError, ProblemError } from '../http/errors.ts'
import { backoffMs, isTransient, randomOf } from '../http/retry.ts'
import { createEventStreamParser, type StreamBlock } from './eventStreamParser.ts'

/** Events of successive connections, as one stream. */
export type LiveEvent = {
  [Name in EventName]: {
    /** To resume after this event, also in another process. */
    readonly id: string
    readonly name: Name
    readonly data: EventData<Name>
  }
}[EventName]

export interface EventsOptions {
  /** The id of the last processed event. */
  readonly lastEventId?: string | undefined
  /** Called when no event can be missed any more: lists that are read at the first call are complete. */
  readonly onConnected?: (() => void) | undefined
  /** Called when a connection has ended or failed; another one follows. */
  readonly onDisconnected?: (() => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A server sends something at least every 15 s. */
const SILENCE_MS = 45_000
/** After a connection that lasted this long, the backoff starts again. */
const STABLE_MS = 10_000

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
      if (signal?.aborted === true || !mayConnectLater(error, progress)) throw error
    }
    options.onDisconnected?.()
    if (environment.elapsedMs() - startedMs > STABLE_MS) progress.tries = 0
    progress.tries += 1
    await environment.wait(backoffMs(progress.tries, randomOf(environment)), signal)
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
    if (block !== undefined) requireId(block)
    progress.lastEventId = block?.id ?? progress.lastEventId
    // Without a known id to resume after, events during a broken connection would be lost.
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

/** Blocks as they are completed; undefined for a piece that completes none. */
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
    // Hangs up when the consumer stops; the connection may already be broken.
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

/** An id goes back in a header: one that no header can carry would end the stream for good. */
const idForm = /^[\x21-\x7e]{0,255}$/

function requireId({ id }: StreamBlock): void {
  if (!idForm.test(id)) throw new AnswerError('events', 'an event has an id that is not 255 printable characters')
}

/** Undefined for a block without an event, and for an event of a newer server. */
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
  // TypeScript does not see that a name and its data are one member of the union.
  return { id, name, data: value } as LiveEvent
}

/** Whether a retry may help. After a broken connection the server may take a while to free this client's slot. */
function mayConnectLater(error: unknown, { lastEventId }: Progress): boolean {
  const isFull = error instanceof ProblemError && error.code === 'error.request.limit_reached'
  return isFull ? lastEventId !== undefined : isTransient(error)
}
