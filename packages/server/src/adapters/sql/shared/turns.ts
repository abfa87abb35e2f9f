import { createTurns, type Turns } from '@blindkeep/protocol/turns'
import { StorageUnavailable } from '../../../ports/store.ts'

/** How many may wait for one thing. More are refused, because the last would wait for minutes. */
export const MAX_WAITING = 20_000

/** Works one at a time, in the order of the calls. */
export function createSingleTurns(): Turns {
  const busy = () => new StorageUnavailable('Too many requests wait for the database')
  return createTurns({ most: 1, mostWaiting: MAX_WAITING - 1, busy })
}
