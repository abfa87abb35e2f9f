/**
 * Turns for lists: a long one is read in hundreds of short steps, so one account that asks for many at once would
 * otherwise be ahead of every other request most of the time.
 */
import { answersList, type Operation } from '@blindkeep/protocol/operations'
import { createTurns } from '@blindkeep/protocol/turns'
import type { Caller } from '../domain/account/sessions.ts'
import { isRefusal, type Refusal } from '../domain/ground/refusals.ts'

/** Of one account: read and written as JSON at once. */
const MAX_LISTS = 4
/** Of one account: as many as the connections of one network. */
const MAX_WAITING = 512
const TOO_MANY = { refused: 'rows_limited', retryAfterSeconds: 1 } as const

interface Reader {
  readonly caller: Caller | undefined
  /** Aborts when the client disconnects. */
  signal(): AbortSignal
  /** The caller as it is now, or why there is none any more. */
  present(): Promise<Caller | Refusal | undefined>
}

/**
 * The work of a row's requests: in turns of the account, if the row answers a list. It refuses if too many lists of the
 * account wait, or the session has ended meanwhile, and throws the reason of the signal. Other rows keep their work as
 * it is, so that they pay nothing.
 */
export type InReadTurns = <Call extends Reader, Result>(
  row: Operation,
  work: (call: Call) => Promise<Result | Refusal>,
) => (call: Call) => Promise<Result | Refusal>

export function createReadTurns(): InReadTurns {
  const tooMany = new Error('Too many lists of the account wait')
  const turns = createTurns({
    most: Number.POSITIVE_INFINITY,
    mostWaiting: Number.POSITIVE_INFINITY,
    ofSource: { most: MAX_LISTS, mostWaiting: MAX_WAITING },
    busy: () => tooMany,
  })
  return (row, work) => {
    if (!answersList(row)) return work
    return (call) => {
      let hasWaited = false
      const inTurn = async () => {
        const now = hasWaited ? await call.present() : call.caller
        return isRefusal(now) ? now : work(call)
      }
      const taken = turns.take(inTurn, {
        source: call.caller?.account.accountId,
        watch(giveUp) {
          hasWaited = true
          const gone = call.signal()
          const leave = () => giveUp(gone.reason)
          if (gone.aborted) leave()
          gone.addEventListener('abort', leave, { once: true })
          return () => gone.removeEventListener('abort', leave)
        },
      })
      return taken.catch((error: unknown) => {
        if (error === tooMany) return TOO_MANY
        throw error
      })
    }
  }
}
