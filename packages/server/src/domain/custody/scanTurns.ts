/** Turns of deep scans: at most one request per account and two in total scan at a time, first come first served. */
import type { AccountId } from '@blindkeep/protocol/ids'
import type { GiveUpAfter } from '../ground/pause.ts'

const MAX_SCANS = 2
const MAX_WAIT_MS = 10_000
/** A request beyond this does not wait at all. */
const MAX_WAITING = 64
/** So that one account cannot fill the queue. */
const MAX_WAITING_OF_ACCOUNT = 4

interface Waiting {
  readonly accountId: AccountId
  readonly enter: () => void
}

export function createScanTurns({ giveUpAfter }: { readonly giveUpAfter: GiveUpAfter }) {
  const scanning = new Set<AccountId>()
  const waiting = new Set<Waiting>()

  const isFree = (accountId: AccountId): boolean => scanning.size < MAX_SCANS && !scanning.has(accountId)

  function mayWait(accountId: AccountId): boolean {
    const own = [...waiting].filter((each) => each.accountId === accountId)
    return waiting.size < MAX_WAITING && own.length < MAX_WAITING_OF_ACCOUNT
  }

  function wait(accountId: AccountId, request: AbortSignal): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const own: Waiting = { accountId, enter: () => resolve(true) }
    waiting.add(own)
    // Leaves the queue in the same step as it answers: a turn given to a request that has left would never end.
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
    /**
     * True when the account has its turn, which ends with `leave`. False when the wait was too long. Throws the reason
     * of `request` when `request` aborts first.
     */
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
