/** Turns of deep scans: at most one request per account and two in total scan at a time, first come first served. */
import type { AccountId } from '@blindkeep/protocol/ids'
import { createTurns } from '@blindkeep/protocol/turns'
import type { GiveUpAfter } from '../../ground/pause.ts'

const MAX_SCANS = 2
const MAX_WAIT_MS = 10_000
/** A request beyond this does not wait at all. */
const MAX_WAITING = 64
/** So that one account cannot fill the queue. */
const MAX_WAITING_OF_ACCOUNT = 4

const TOO_LONG = new Error('the wait for a turn was too long')

export function createScanTurns({ giveUpAfter }: { readonly giveUpAfter: GiveUpAfter }) {
  const turns = createTurns({
    most: MAX_SCANS,
    mostWaiting: MAX_WAITING,
    ofSource: { most: 1, mostWaiting: MAX_WAITING_OF_ACCOUNT },
    busy: () => TOO_LONG,
  })
  /**
   * What ends the account's turn, as soon as it has one. Undefined when the wait was too long. Throws the reason of
   * `request` when `request` aborts first.
   */
  return async (accountId: AccountId, request: AbortSignal): Promise<(() => void) | undefined> => {
    const watch = (giveUp: (reason: unknown) => void) => {
      onAbort(giveUpAfter(MAX_WAIT_MS), () => giveUp(TOO_LONG))
      onAbort(request, () => giveUp(request.reason))
      return () => undefined
    }
    try {
      return await turns.enter({ source: accountId, watch })
    } catch (error) {
      if (error === TOO_LONG) return undefined
      throw error
    }
  }
}

function onAbort(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then()
  else signal.addEventListener('abort', then, { once: true })
}
