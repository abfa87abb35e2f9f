/** The sessions of an account. */
import type { DeviceId, SessionId } from '@blindkeep/protocol/ids'
import type { Call } from '../http/call.ts'
import type { ListedDevice } from './ownerDevices.ts'

export interface OwnSession {
  readonly sessionId: SessionId
  /** The device that the session is tied to, as its client has stated; undefined for none. Revoking the device ends the session. */
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
  /**
   * The other sessions that no revocation ends: they have no device, or name one that is not a live device of the account. After a device was lost, one of
   * them may be on it.
   */
  untiedSessions(): Promise<readonly OwnSession[]>
  /** Signs that client out at once; this client too, for its own session. No error when the session is already over. */
  endSession(sessionId: string): Promise<void>
}

interface OwnerSessionsPorts {
  readonly call: Call
  readonly devices: () => Promise<readonly ListedDevice[]>
}

export function createOwnerSessions({ call, devices }: OwnerSessionsPorts): OwnerSessions {
  async function sessions(): Promise<readonly OwnSession[]> {
    const { body } = await call('listSessions')
    return body.sessions.map((entry) => ({
      sessionId: entry.session_id,
      deviceId: entry.device_id ?? undefined,
      createdAt: entry.created_at,
      lastUsedAt: entry.last_used_at,
      isCurrent: entry.current,
    }))
  }

  return {
    sessions,

    async untiedSessions() {
      const live = new Set<DeviceId>()
      for (const { deviceId, isOwn, revokedAt } of await devices())
        if (isOwn && revokedAt === undefined) live.add(deviceId)
      const isTied = ({ deviceId }: OwnSession) => deviceId !== undefined && live.has(deviceId)
      return (await sessions()).filter((session) => !session.isCurrent && !isTied(session))
    },

    async endSession(sessionId) {
      await call('endSession', { path: { session_id: sessionId } })
    },
  }
}
