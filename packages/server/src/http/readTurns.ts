/**
 * Turns for lists: a long one is read in hundreds of short steps, so one account that asks for many at once would
 * otherwise be ahead of every other request most of the time.
 */
import type { Operation } from '@blindkeep/protocol/operations'
import { createTurns } from '@blindkeep/protocol/turns'
import type { Caller } from '../domain/account/sessions.ts'
import { isRefusal, type Refusal } from '../domain/ground/refusals.ts'
import { StorageUnavailable } from '../ports/store.ts'

/** Of one account: read and written as JSON at once. */
const MAX_LISTS = 4
/** Of one account: as many as the connections of one network. */
const MAX_WAITING = 512

interface Reader {
  readonly caller: Caller | undefined
  /** Aborts when the client disconnects. */
  signal(): AbortSignal
  /** The caller as it is now, or why there is none any more. */
  present(): Promise<Caller | Refusal | undefined>
}

/**
 * Runs the work of a request: in a turn of its account, if the row answers a list. Refuses if the session has ended
 * meanwhile. Throws the reason of the signal.
 */
export type InReadTurn = <Result>(
  row: Operation,
  reader: Reader,
  work: () => Promise<Result>,
) => Promise<Result | Refusal>

export function createReadTurns(): InReadTurn {
  const turns = createTurns({
    most: Number.POSITIVE_INFINITY,
    mostWaiting: Number.POSITIVE_INFINITY,
    ofSource: { most: MAX_LISTS, mostWaiting: MAX_WAITING },
    busy: () => new StorageUnavailable('Too many lists of the account are asked for at once'),
  })
  return async (row, { caller, signal, present }, work) => {
    if (caller === undefined || !answersList(row)) return work()
    let hasWaited = false
    const inTurn = async () => {
      const now = hasWaited ? await present() : caller
      return isRefusal(now) ? now : work()
    }
    return turns.take(inTurn, {
      source: caller.account.accountId,
      watch(giveUp) {
        hasWaited = true
        const gone = signal()
        const leave = () => giveUp(gone.reason)
        if (gone.aborted) leave()
        gone.addEventListener('abort', leave, { once: true })
        return () => gone.removeEventListener('abort', leave)
      },
    })
  }
}

/** Its JSON has a list of the account's rows. */
function answersList({ method, answers }: Operation): boolean {
  const body = answers[200]?.body
  if (method !== 'GET' || typeof body !== 'object') return false
  const { properties = {} } = body as { readonly properties?: Readonly<Record<string, { readonly type?: string }>> }
  return Object.values(properties).some(({ type }) => type === 'array')
}
