/** Where the account is signed in. */
import type { DeviceId, SessionId } from '@blindkeep/protocol/ids'
import type { Call } from '../http/call.ts'

export interface OwnSession {
  readonly sessionId: SessionId
  /** What its client said at sign-in, unverified. */
  readonly deviceId: DeviceId | undefined
  /** RFC 3339. */
  readonly createdAt: string
  /** RFC 3339; when its tokens were last issued, which happens every quarter of an hour of use. */
  readonly lastUsedAt: string
  /** Whether it is the one that asks. */
  readonly isCurrent: boolean
}

export interface OwnerSessions {
  /** Those that have not ended, oldest first; 100 at most, as one more ends the one that has gone unused for longest. */
  sessions(): Promise<readonly OwnSession[]>
  /** Signs that client out at once; one's own too. No error when it was over. */
  endSession(sessionId: string): Promise<void>
}

export function createOwnerSessions({ call }: { readonly call: Call }): OwnerSessions {
  return {
    async sessions() {
      const { body } = await call('listSessions')
      return body.sessions.map((entry) => ({
        sessionId: entry.session_id,
        deviceId: entry.device_id ?? undefined,
        createdAt: entry.created_at,
        lastUsedAt: entry.last_used_at,
        isCurrent: entry.current,
      }))
    },

    async endSession(sessionId) {
      await call('endSession', { path: { session_id: sessionId } })
    },
  }
}
