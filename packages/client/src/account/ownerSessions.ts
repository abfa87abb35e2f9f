/** The sessions of an account. */
import { type Bytes, toBase64, uuidBytes } from '@blindkeep/protocol/bytes'
import type { DeviceId, SessionId } from '@blindkeep/protocol/ids'
import type { Call } from '../http/call.ts'
import { openGivenName, sealName } from '../seal/sealedName.ts'
import type { OwnerDevices } from './ownerDevices.ts'

export interface OwnSession {
  readonly sessionId: SessionId
  /** The device of the session, as its client stated; undefined for none. Revoking the device ends the session. */
  readonly deviceId: DeviceId | undefined
  /** Given by the owner or by the client of the session. */
  readonly name: string | undefined
  /** Set when the name from the server does not open under this account's key as that of this session. */
  readonly nameFault: string | undefined
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
   * The other sessions that no revocation ends: they have no device, or name one that is not a live device of the
   * account. After a device was lost, one of them may be on it.
   */
  untiedSessions(): Promise<readonly OwnSession[]>
  /** An empty name removes it. Throws `RangeError` above 600 bytes, and `error.auth.session_not_found`. */
  nameSession(sessionId: SessionId, name: string): Promise<void>
  /**
   * Names this client's session and its device, unless they have names. A device that has one gives it to the session.
   * `isChosen`: the owner has chosen the name, which then replaces both. Throws as `nameSession` does.
   */
  nameThisClient(name: string, options?: NameThisClient): Promise<void>
  /** Signs that client out at once; this client too, for its own session. No error when the session is already over. */
  endSession(sessionId: string): Promise<void>
}

export interface NameThisClient {
  /** The device that this client signs with, if it has one. */
  readonly deviceId?: DeviceId | undefined
  readonly isChosen?: boolean | undefined
}

interface OwnerSessionsPorts {
  readonly call: Call
  readonly accountKey: Bytes
  readonly devices: Pick<OwnerDevices, 'devices' | 'nameDevice'>
}

export function createOwnerSessions({ call, accountKey, devices }: OwnerSessionsPorts): OwnerSessions {
  const nameSeal = (sessionId: SessionId) =>
    ({ key: accountKey, purpose: 'session-name', contextId: uuidBytes(sessionId) }) as const

  async function sessions(): Promise<readonly OwnSession[]> {
    const { body } = await call('listSessions')
    const listed: OwnSession[] = []
    for (const entry of body.sessions) {
      const { text: name, fault } = await openGivenName(nameSeal(entry.session_id), entry.sealed_name)
      listed.push({
        sessionId: entry.session_id,
        deviceId: entry.device_id ?? undefined,
        name,
        nameFault: fault,
        createdAt: entry.created_at,
        lastUsedAt: entry.last_used_at,
        isCurrent: entry.current,
      })
    }
    return listed
  }

  async function nameSession(sessionId: SessionId, name: string): Promise<void> {
    const sealed = await sealName(nameSeal(sessionId), name)
    const body = { sealed_name: sealed === undefined ? null : toBase64(sealed) }
    await call('nameSession', { path: { session_id: sessionId }, body })
  }

  return {
    sessions,
    nameSession,

    async nameThisClient(name, { deviceId, isChosen = false } = {}) {
      const session = (await sessions()).find(({ isCurrent }) => isCurrent)
      const isSessionNamed = session === undefined || isNamed(session)
      if (isSessionNamed && !isChosen) return
      const device =
        deviceId && (await devices.devices()).find((listed) => listed.isOwn && listed.deviceId === deviceId)
      if (device !== undefined && (isChosen || !isNamed(device))) await devices.nameDevice(device.deviceId, name)
      if (session !== undefined) await nameSession(session.sessionId, (isChosen ? undefined : device?.name) ?? name)
    },

    async untiedSessions() {
      const live = new Set<DeviceId>()
      for (const { deviceId, isOwn, revokedAt } of await devices.devices())
        if (isOwn && revokedAt === undefined) live.add(deviceId)
      const isTied = ({ deviceId }: OwnSession) => deviceId !== undefined && live.has(deviceId)
      return (await sessions()).filter((session) => !session.isCurrent && !isTied(session))
    },

    async endSession(sessionId) {
      await call('endSession', { path: { session_id: sessionId } })
    },
  }
}

/** A name that does not open stays until the owner replaces it: it shows that the server has changed it. */
function isNamed({ name, nameFault }: Pick<OwnSession, 'name' | 'nameFault'>): boolean {
  return (name ?? nameFault) !== undefined
}
