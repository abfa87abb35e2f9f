import type { AccountId, SessionId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { accountLock, type Store } from '../../ports/store.ts'
import { isLive } from '../ground/liveSession.ts'
import type { NewName } from '../ground/newName.ts'
import type { Refuses } from '../ground/refusals.ts'

export function createNameSession({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  /** The owner's own name for a live session of the account. Undefined removes it. */
  return async function name(
    accountId: AccountId,
    sessionId: SessionId,
    sealedName: NewName,
  ): Promise<Refuses<'session_not_found'> | undefined> {
    return store.write([accountLock(accountId)], async (tx) => {
      const session = await tx.sessions.find(sessionId)
      if (session?.accountId !== accountId || !isLive(session, clock.now())) return { refused: 'session_not_found' }
      if (sealedName !== 'same') await tx.sessions.setName(sessionId, sealedName)
      return undefined
    })
  }
}
