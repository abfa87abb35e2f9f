import type { EventData, EventName } from '@blindkeep/protocol/schemas/sync'
import type { Listening, StreamEvent } from '../domain/sync/events.ts'

/** Events of an account as server-sent events (WHATWG HTML, section 9.2): blocks, with comments between. */
export interface EventStream {
  readonly events: AsyncIterable<Uint8Array>
  /** Aborts when the client has stopped reading: then the connection is cut. */
  readonly until: AbortSignal
}

interface Life {
  /** The client disconnected. */
  readonly disconnected: AbortSignal
  /** The server ends. */
  readonly closing: AbortSignal
  readonly times?: StreamTimes
}

/** In milliseconds. */
export interface StreamTimes {
  /** Between two looks without an alarm: the delay of another process's changes. */
  readonly tick: number
  /** After sending events: events in this time are sent together. */
  readonly rest: number
  /** Between two comments, so that proxies keep the connection open. */
  readonly heartbeat: number
  /** For the client to read what was sent. */
  readonly stall: number
  /** The same, while the server ends. */
  readonly closing: number
}

const TIMES: StreamTimes = { tick: 1000, rest: 50, heartbeat: 15_000, stall: 30_000, closing: 1000 }

const COMMENT = Buffer.from(':\n\n')

/** Calls `listening.leave` at its end. A caller that does not read it to the end must call it too. */
export function eventStream(listening: Listening, { disconnected, closing, times = TIMES }: Life): EventStream {
  const end = AbortSignal.any([disconnected, closing])
  const cut = new AbortController()

  async function* pieces(): AsyncGenerator<Uint8Array> {
    let quietMs = times.heartbeat
    while (!end.aborted) {
      const events = await listening.next()
      if (events === 'over') return
      if (events.length > 0) {
        quietMs = 0
        yield Buffer.from(events.map(blockOf).join(''))
        await pause(times.rest, end)
      } else if (quietMs >= times.heartbeat) {
        quietMs = 0
        yield COMMENT
      }
      const hasNews = await pause(times.tick, end, listening.onNews)
      if (!hasNews) quietMs += times.tick
    }
    if (closing.aborted && !disconnected.aborted) yield Buffer.from(comeAgain())
  }

  /** A client that does not read must neither keep the server from ending nor occupy one of the account's streams. */
  async function* watched(): AsyncGenerator<Uint8Array> {
    const cutOff = () => cut.abort()
    try {
      for await (const piece of pieces()) {
        let timer = setTimeout(cutOff, times.stall)
        const hurry = () => {
          clearTimeout(timer)
          timer = setTimeout(cutOff, times.closing)
        }
        closing.addEventListener('abort', hurry)
        try {
          yield piece
        } finally {
          clearTimeout(timer)
          closing.removeEventListener('abort', hurry)
        }
      }
    } finally {
      listening.leave()
    }
  }

  return { events: watched(), until: cut.signal }
}

/** When the server ends, its clients connect again soon, but not all in the same second. */
const RETRY_MS = { min: 500, spread: 2000 }

function comeAgain(): string {
  return `retry: ${RETRY_MS.min + Math.floor(Math.random() * RETRY_MS.spread)}\n\n`
}

function blockOf({ id, event }: StreamEvent): string {
  return `id: ${id}\n${event === undefined ? '' : linesOf(wireEventOf(event))}\n`
}

function linesOf({ name, data }: WireEvent): string {
  // JSON.stringify writes no line breaks.
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n`
}

type WireEvent = { [Name in EventName]: { readonly name: Name; readonly data: EventData<Name> } }[EventName]

function wireEventOf(event: NonNullable<StreamEvent['event']>): WireEvent {
  const { name } = event
  switch (name) {
    case 'drop.landed':
    case 'drop.restored':
      return { name, data: { drop_id: event.dropId, opaque_id: event.opaqueId } }
    case 'drop.adopted':
      return { name, data: { drop_id: event.dropId, asset_id: event.assetId } }
    case 'drop.discarded':
      return { name, data: { drop_id: event.dropId } }
    case 'asset.changed':
      return { name, data: { asset_id: event.assetId, seq: event.changeSeq } }
    case 'album.changed':
      return { name, data: { album_id: event.albumId } }
    case 'link.changed':
      return { name, data: { opaque_id: event.opaqueId } }
    case 'server.moved':
      return { name, data: { from: event.from, to: event.to } }
    case 'quota.changed':
    case 'inbox.nearly_full':
    case 'drop.refused':
    case 'reset':
      return { name, data: {} }
  }
}

/** Resolves after `ms`, when `end` aborts, or with news; returns whether there is news. */
function pause(ms: number, end: AbortSignal, onNews?: Listening['onNews']): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (hasNews: boolean) => {
      clearTimeout(timer)
      end.removeEventListener('abort', stop)
      resolve(hasNews)
    }
    const stop = () => finish(false)
    const timer = setTimeout(stop, ms)
    end.addEventListener('abort', stop)
    if (end.aborted) stop()
    onNews?.(() => finish(true))
  })
}
