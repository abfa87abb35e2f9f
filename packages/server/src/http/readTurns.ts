/**
 * Turns for lists: a long one is read in hundreds of short steps, so one account that asks for many at once would
 * otherwise be ahead of every other request most of the time.
 */
import type { Operation } from '@blindkeep/protocol/operations'
import { createTurns } from '@blindkeep/protocol/turns'
import type { Caller } from '../domain/account/sessions.ts'
import { StorageUnavailable } from '../ports/store.ts'

/** Of one account: read and written as JSON at once. */
const MAX_LISTS = 4
/** Of one account: as many as the connections of one network. */
const MAX_WAITING = 512

interface Reader {
  readonly caller: Caller | undefined
  /** Aborts when the client disconnects. */
  signal(): AbortSignal
}

/** Runs the work of a request: in a turn of its account, if the row answers a list. Throws the reason of the signal. */
export type InReadTurn = <Result>(row: Operation, reader: Reader, work: () => Promise<Result>) => Promise<Result>

export function createReadTurns(): InReadTurn {
  const turns = createTurns({
    most: Number.POSITIVE_INFINITY,
    mostWaiting: Number.POSITIVE_INFINITY,
    ofSource: { most: MAX_LISTS, mostWaiting: MAX_WAITING },
    busy: () => new StorageUnavailable('Too many lists of the account are asked for at once'),
  })
  return (row, { caller, signal }, work) => {
    if (caller === undefined || !answersList(row)) return work()
    return turns.take(work, {
      source: caller.account.accountId,
      watch(giveUp) {
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
