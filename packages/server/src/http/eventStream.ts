import type { EventData, EventName } from '@blindkeep/protocol/schemas/sync'
import type { Listening, StreamEvent } from '../domain/changes/events.ts'

/** What an account hears, as bytes of server-sent events (WHATWG HTML, section 9.2): one block for each event, comments while nothing happens. */
export interface EventStream {
  readonly events: AsyncIterable<Uint8Array>
  /** Aborts when the client takes nothing any more: the connection is to be cut. */
  readonly until: AbortSignal
}

interface Life {
  /** The connection is gone. */
  readonly gone: AbortSignal
  /** The server ends. */
  readonly closing: AbortSignal
  readonly times?: StreamTimes
}

/** In milliseconds. */
export interface StreamTimes {
  /** Between two looks when nobody raises the alarm: how late another process’s change may be heard of. */
  readonly tick: number
  /** After something was told: what happens meanwhile is told together. */
  readonly rest: number
  /** Between two comments, so that what stands in between keeps the connection. */
  readonly heartbeat: number
  /** For the client to take what was told. */
  readonly stall: number
  /** The same, once the server ends. */
  readonly closing: number
}

const TIMES: StreamTimes = { tick: 1000, rest: 50, heartbeat: 15_000, stall: 30_000, closing: 1000 }

const COMMENT = Buffer.from(':\n\n')

/** Whoever gives it up early, or never begins it, has to call `listening.leave` as well; at its own end it does so itself. */
export function eventStream(listening: Listening, { gone, closing, times = TIMES }: Life): EventStream {
  const end = AbortSignal.any([gone, closing])
  const cut = new AbortController()

  async function* pieces(): AsyncGenerator<Uint8Array> {
    let quietMs = times.heartbeat
    while (!end.aborted) {
      const told = await listening.next()
      if (told === 'over') return
      if (told.length > 0) {
        quietMs = 0
        yield Buffer.from(told.map(blockOf).join(''))
        await pause(times.rest, end)
      } else if (quietMs >= times.heartbeat) {
        quietMs = 0
        yield COMMENT
      }
      const hasNews = await pause(times.tick, end, listening.onNews)
      if (!hasNews) quietMs += times.tick
    }
  }

  /** A client that does not take what it was given must not keep the server from ending, nor its place from others. */
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

function blockOf({ id, event }: StreamEvent): string {
  return `id: ${id}\n${event === undefined ? '' : linesOf(wireEventOf(event))}\n`
}

function linesOf({ name, data }: WireEvent): string {
  // JSON has no line breaks of its own.
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n`
}

type WireEvent = { [Name in EventName]: { readonly name: Name; readonly data: EventData<Name> } }[EventName]

function wireEventOf(event: NonNullable<StreamEvent['event']>): WireEvent {
  const { name } = event
  switch (name) {
    case 'drop.landed':
      return { name, data: { drop_id: event.dropId, opaque_id: event.opaqueId } }
    case 'drop.adopted':
      return { name, data: { drop_id: event.dropId, asset_id: event.assetId } }
    case 'drop.discarded':
      return { name, data: { drop_id: event.dropId } }
    case 'asset.changed':
      return { name, data: { asset_id: event.assetId, seq: event.changeSeq } }
    case 'link.changed':
      return { name, data: { opaque_id: event.opaqueId } }
    case 'quota.changed':
    case 'reset':
      return { name, data: {} }
  }
}

/** Until so long has passed, `end` aborts, or there is news; says whether there was. */
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
