/** The sessions of an account. */
import type { DeviceId, SessionId } from '@blindkeep/protocol/ids'
import type { Call } from '../http/call.ts'

export interface OwnSession {
  readonly sessionId: SessionId
  /** What the client stated at sign-in, unverified. */
  readonly deviceId: DeviceId | undefined
  /** RFC 3339. */
  readonly createdAt: string
  /** RFC 3339: when its tokens were last issued, which happens every 15 minutes of use. */
  readonly lastUsedAt: string
  /** Whether it is this client's session. */
  readonly isCurrent: boolean
}

export interface OwnerSessions {
  /** Sessions that have not ended, oldest first. At most 100: one more ends the session that was unused for longest. */
  sessions(): Promise<readonly OwnSession[]>
  /** Signs that client out at once; this client too, for its own session. No error when the session is already over. */
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
