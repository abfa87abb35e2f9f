import type { AccountId } from '@blindkeep/protocol/ids'

/** Whose turn it is to have bytes read again: one request of an account and two of all at a time, first come first served. */

/** A signal that aborts after so many milliseconds: how a rule waits without a clock of its own that runs. */
export type GiveUpAfter = (milliseconds: number) => AbortSignal

const SCANS_AT_ONCE = 2
const MAX_WAIT_MS = 10_000
/** Who would be one more does not wait at all. */
const MAX_WAITING = 64
/** So that no account can fill the queue alone. */
const MAX_WAITING_OF_ACCOUNT = 4

interface Waiting {
  readonly accountId: AccountId
  readonly enter: () => void
}

export function createScanTurns({ giveUpAfter }: { readonly giveUpAfter: GiveUpAfter }) {
  const scanning = new Set<AccountId>()
  const waiting = new Set<Waiting>()

  const isFree = (accountId: AccountId): boolean => scanning.size < SCANS_AT_ONCE && !scanning.has(accountId)

  function mayWait(accountId: AccountId): boolean {
    const own = [...waiting].filter((each) => each.accountId === accountId)
    return waiting.size < MAX_WAITING && own.length < MAX_WAITING_OF_ACCOUNT
  }

  function wait(accountId: AccountId, request: AbortSignal): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const own: Waiting = { accountId, enter: () => resolve(true) }
    waiting.add(own)
    // Out of the queue in the same step as the answer: a turn that were handed to somebody who has left would never come back.
    const leaveQueue = (answer: () => void) => () => {
      if (waiting.delete(own)) answer()
    }
    onAbort(
      giveUpAfter(MAX_WAIT_MS),
      leaveQueue(() => resolve(false)),
    )
    onAbort(
      request,
      leaveQueue(() => reject(request.reason)),
    )
    return promise
  }

  return {
    /** True when it is this account's turn, which ends with `leave`; false when it did not come in time. Throws the request's reason when that goes while it waits. */
    async enter(accountId: AccountId, request: AbortSignal): Promise<boolean> {
      if (isFree(accountId)) {
        scanning.add(accountId)
        return true
      }
      return mayWait(accountId) && wait(accountId, request)
    },

    leave(accountId: AccountId): void {
      scanning.delete(accountId)
      const next = [...waiting].find((each) => isFree(each.accountId))
      if (next === undefined) return
      waiting.delete(next)
      scanning.add(next.accountId)
      next.enter()
    },
  }
}

function onAbort(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then()
  else signal.addEventListener('abort', then, { once: true })
}
