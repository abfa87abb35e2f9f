import type { Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Seats } from '../../ports/seats.ts'
import type { Change, NotedEvent, Session, Store } from '../../ports/store.ts'
import type { Caller, Sessions } from '../account/sessions.ts'
import type { Alarm } from '../changes/changes.ts'
import type { Positions } from '../changes/positions.ts'
import { isLive } from '../ground/liveSession.ts'
import type { Refuses } from '../ground/refusals.ts'

/** An entry of a connected client's stream: every change of its account, in order, until its session ends. */
export interface StreamEvent {
  /** A client that reconnects continues after this id. */
  readonly id: string
  /** Undefined for an entry that tells only the present position. */
  readonly event: Change | typeof RESET | undefined
}

/** Events were missed, so the client must read everything again. */
const RESET = { name: 'reset' } as const

export interface Listening {
  /** The events since the last call; empty when nothing has changed. `over` when the session or its token has ended. */
  next(): Promise<readonly StreamEvent[] | 'over'>
  /** Calls `wake` once, when `next` may have more; without delay for changes from before this call. */
  onNews(wake: () => void): void
  /** Frees the place of this stream. The caller must call it in the end, also after an error. */
  leave(): void
}

export const MAX_STREAMS = 16
/** Events that one `next` returns. */
const MAX_BATCH = 500

interface EventPorts {
  readonly store: Store
  readonly clock: Clock
  readonly alarm: Alarm
  readonly positions: Positions
  readonly sessions: Pick<Sessions, 'isSigned'>
  readonly seats: Seats
}

export type Events = ReturnType<typeof createEvents>

export function createEvents({ store, clock, alarm, positions, sessions, seats }: EventPorts) {
  /** Reads the events after a position, in one snapshot with the session. */
  async function look({ account: { accountId }, sessionId }: Caller, after: number | undefined): Promise<Look> {
    const now = clock.now()
    return store.read(async (tx) => {
      const session = await tx.sessions.find(sessionId)
      const last = await tx.changes.lastSeq(accountId)
      if (session === undefined || !isLive(session, now) || last === undefined) return 'over'
      const isBehind = after !== undefined && after < last
      const page = { accountId, changeSeq: after ?? 0, max: MAX_BATCH }
      return { session, last, found: isBehind ? await tx.changes.eventsAfter(page) : [] }
    })
  }

  return {
    /** Starts at the present, or after the event with this id. */
    async listen(caller: Caller, lastEventId: string | undefined): Promise<Listening | Refuses<'limit_reached'>> {
      const { accountId } = caller.account
      const seat = await seats.take(`event streams of ${accountId}`, MAX_STREAMS)
      if (seat === undefined)
        return { refused: 'limit_reached', detail: `an account has at most ${MAX_STREAMS} event streams at a time` }
      const bell = createBell()
      const stopListening = alarm.listen(accountId, bell.ring)
      let hasLeft = false
      let position: StreamPosition = lastEventId === undefined ? 'now' : 'unparsed'
      /** Everything was sent, and is while nothing is committed. */
      let quiet: { readonly at: number | undefined; readonly session: Session } | undefined

      async function next(): Promise<readonly StreamEvent[] | 'over'> {
        const now = clock.now()
        if (now >= caller.expiresAt || !(await sessions.isSigned(caller))) return 'over'
        const at = await store.look()
        if (at !== undefined && at === quiet?.at && isLive(quiet.session, now)) return []
        if (position === 'unparsed') position = (await positions.parse(accountId, lastEventId ?? '')) ?? 'lost'
        const seen = await look(caller, typeof position === 'number' ? position : undefined)
        if (seen === 'over') return seen
        const events = await eventsIn(seen)
        quiet = position === seen.last ? { at, session: seen.session } : undefined
        return events
      }

      async function eventsIn({ last, found }: Exclude<Look, 'over'>): Promise<readonly StreamEvent[]> {
        const idOf = (changeSeq: number) => positions.textOf(accountId, changeSeq)
        if (position === 'now') {
          position = last
          return [{ id: await idOf(last), event: undefined }]
        }
        if (typeof position !== 'number' || !continues(position, found, last)) {
          position = last
          return [{ id: await idOf(last), event: RESET }]
        }
        position = found.at(-1)?.changeSeq ?? position
        return Promise.all(
          withoutRepeats(found).map(async ({ changeSeq, change }) => ({ id: await idOf(changeSeq), event: change })),
        )
      }

      return {
        next,
        onNews: bell.onRing,
        leave() {
          if (hasLeft) return
          hasLeft = true
          stopListening()
          void seat.leave()
        },
      }
    },
  }
}

type Look = 'over' | { readonly session: Session; readonly last: number; readonly found: readonly NotedEvent[] }
/** `unparsed`: the id of the request was not read yet. `lost`: the id belongs to no position of this account. */
type StreamPosition = number | 'now' | 'unparsed' | 'lost'

/** Every number has an event until it is pruned: a gap means missed ones. Beyond the count: of another count. */
function continues(position: number, found: readonly NotedEvent[], last: number): boolean {
  if (found.length === 0) return position === last
  return found.every(({ changeSeq }, at) => changeSeq === position + 1 + at)
}

/** Keeps the last of equal changes: a link that took a hundred files has changed once. */
function withoutRepeats(found: readonly NotedEvent[]): readonly NotedEvent[] {
  const last = new Map(found.map(({ change, changeSeq }) => [JSON.stringify(change), changeSeq]))
  return found.filter(({ change, changeSeq }) => last.get(JSON.stringify(change)) === changeSeq)
}

/** Remembers a ring from before `onRing`. */
function createBell() {
  let hasRung = false
  let waiting: (() => void) | undefined

  function ring(): void {
    const wake = waiting
    waiting = undefined
    hasRung = wake === undefined
    wake?.()
  }

  function onRing(wake: () => void): void {
    waiting = wake
    if (hasRung) ring()
  }

  return { ring, onRing }
}

/** A client that reconnects later than this gets a reset. */
export const EVENTS_KEPT_SECONDS = 7 * 86_400
const MAX_PRUNED_AT_ONCE = 1000
/** Transactions in one sweep. Each is short, so no request waits long for the database. */
const MAX_PRUNINGS = 200

export async function pruneEvents(store: Store, before: Instant): Promise<void> {
  for (let turn = 0; turn < MAX_PRUNINGS; turn += 1) {
    const pruned = await store.write([], (tx) => tx.changes.pruneEvents(before, MAX_PRUNED_AT_ONCE))
    if (pruned < MAX_PRUNED_AT_ONCE) return
  }
}
