import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Change, NotedEvent, Store } from '../../ports/store.ts'
import { type Caller, isLive, type Sessions } from '../account/sessions.ts'
import type { Refuses } from '../refusals.ts'
import type { Alarm } from './changes.ts'
import type { Positions } from './positions.ts'

/** What a connected client hears: every change of its account after a place in the count, in order, for as long as its session lasts. */
export interface CappedList {
  /** To go on after. */
  readonly id: string
  /** Undefined when only the place is told. */
  readonly event: Change | typeof RESET | undefined
}

/** What came before cannot be told any more. */
const RESET = { name: 'reset' } as const

export interface Listening {
  /** What there is to tell now, nothing when nothing has changed. `over`: the session or its token is, and there will be no more. */
  next(): Promise<readonly CappedList[] | 'over'>
  /** Calls `wake` when `next` may have more, once; a word that comes before is not lost. */
  onNews(wake: () => void): void
  /** Gives the place up. To be called at the end, however it comes. */
  leave(): void
}

export const MAX_STREAMS = 16
/** CappedList at once at the most. */
const MAX_BATCH = 500

interface EventPorts {
  readonly store: Store
  readonly clock: Clock
  readonly alarm: Alarm
  readonly positions: Positions
  readonly sessions: Pick<Sessions, 'isSigned'>
}

export type Events = ReturnType<typeof createEvents>

export function createEvents({ store, clock, alarm, positions, sessions }: EventPorts) {
  const streams = new Map<AccountId, number>()

  function enter(accountId: AccountId): boolean {
    const present = streams.get(accountId) ?? 0
    if (present >= MAX_STREAMS) return false
    streams.set(accountId, present + 1)
    return true
  }

  function leave(accountId: AccountId): void {
    const left = (streams.get(accountId) ?? 0) - 1
    if (left > 0) streams.set(accountId, left)
    else streams.delete(accountId)
  }

  /** What lies between a place and the present, in one snapshot with the session. */
  async function look(caller: Caller, after: number | undefined): Promise<Look> {
    const { accountId } = caller.account
    const now = clock.now()
    if (now >= caller.expiresAt || !(await sessions.isSigned(caller))) return 'over'
    return store.read(async (tx) => {
      const session = await tx.sessions.find(caller.sessionId)
      const last = await tx.changes.lastSeq(accountId)
      if (session === undefined || !isLive(session, now) || last === undefined) return 'over'
      const isBehind = after !== undefined && after < last
      const page = { accountId, changeSeq: after ?? 0, max: MAX_BATCH }
      return { last, found: isBehind ? await tx.changes.eventsAfter(page) : [] }
    })
  }

  return {
    /** Begins with now, or after the event of this id. */
    listen(caller: Caller, lastEventId: string | undefined): Listening | Refuses<'limit_reached'> {
      const { accountId } = caller.account
      if (!enter(accountId))
        return { refused: 'limit_reached', detail: `an account has at most ${MAX_STREAMS} event streams at a time` }
      const news = createNews()
      const deafen = alarm.listen(accountId, news.tell)
      let hasLeft = false
      let place: Place = lastEventId === undefined ? 'now' : 'unknown'

      async function next(): Promise<readonly CappedList[] | 'over'> {
        if (place === 'unknown') place = (await positions.parse(accountId, lastEventId ?? '')) ?? 'lost'
        const seen = await look(caller, typeof place === 'number' ? place : undefined)
        if (seen === 'over') return seen
        const { last, found } = seen
        const idOf = (changeSeq: number) => positions.textOf(accountId, changeSeq)
        if (place === 'now') {
          place = last
          return [{ id: await idOf(last), event: undefined }]
        }
        if (place === 'lost' || !continues(place, found, last)) {
          place = last
          return [{ id: await idOf(last), event: RESET }]
        }
        place = found.at(-1)?.changeSeq ?? place
        return Promise.all(
          withoutRepeats(found).map(async ({ changeSeq, change }) => ({ id: await idOf(changeSeq), event: change })),
        )
      }

      return {
        next,
        onNews: news.waitWith,
        leave() {
          if (hasLeft) return
          hasLeft = true
          deafen()
          leave(accountId)
        },
      }
    },
  }
}

type Look = 'over' | { readonly last: number; readonly found: readonly NotedEvent[] }
/** `unknown`: an id was given that has not been read yet. `lost`: what comes after it cannot be told. */
type Place = number | 'now' | 'unknown' | 'lost'

/** Every number has an event until it is pruned, so that a gap is something that was missed. A place ahead of the count is none of it. */
function continues(place: number, found: readonly NotedEvent[], last: number): boolean {
  if (found.length === 0) return place === last
  return found.every(({ changeSeq }, at) => changeSeq === place + 1 + at)
}

/** What is said again in one breath is said once, at its last place: a link that takes a hundred files at once has changed. */
function withoutRepeats(found: readonly NotedEvent[]): readonly NotedEvent[] {
  const last = new Map(found.map(({ change, changeSeq }) => [JSON.stringify(change), changeSeq]))
  return found.filter(({ change, changeSeq }) => last.get(JSON.stringify(change)) === changeSeq)
}

/** A bell that remembers being rung while nobody waited. */
function createNews() {
  let isTold = false
  let waiting: (() => void) | undefined

  function tell(): void {
    const wake = waiting
    waiting = undefined
    isTold = wake === undefined
    wake?.()
  }

  function waitWith(wake: () => void): void {
    waiting = wake
    if (isTold) tell()
  }

  return { tell, waitWith }
}

/** Old events are forgotten after so long; who comes later is told to read anew. */
export const EVENTS_KEPT_SECONDS = 7 * 86_400
const MAX_PRUNED_AT_ONCE = 1000
/** So many transactions in one sweep, each short, so that nobody waits long for the database. */
const MAX_PRUNINGS = 200

export async function pruneEvents(store: Store, before: Instant): Promise<void> {
  for (let turn = 0; turn < MAX_PRUNINGS; turn += 1) {
    const pruned = await store.write((tx) => tx.changes.pruneEvents(before, MAX_PRUNED_AT_ONCE))
    if (pruned < MAX_PRUNED_AT_ONCE) return
  }
}
