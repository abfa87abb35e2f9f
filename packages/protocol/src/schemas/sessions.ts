import type { DeviceId, SessionId } from '../ids.ts'
import type { Static } from '../static.ts'
import { boolean, list, object, optional, sealedName, time, uuid } from './shape.ts'

export const SessionResponse = object('SessionResponse', {
  session_id: uuid<SessionId>('The session; the `sid` of its access tokens.'),
  device_id: optional(
    uuid<DeviceId>(
      'The device that the session is tied to: the one that its client named at login or later. Revoking it ends the session.',
    ),
  ),
  sealed_name: optional(sealedName('session')),
  created_at: time('When the session began.'),
  last_used_at: time('When the server last issued its tokens.'),
  current: boolean('Whether it is the caller’s session.'),
})
export type SessionResponse = Static<typeof SessionResponse>

export const SessionsResponse = object('SessionsResponse', {
  sessions: list(SessionResponse, 'All sessions that have not ended, oldest first.'),
})
export type SessionsResponse = Static<typeof SessionsResponse>

export const BindSessionRequest = object('BindSessionRequest', {
  device_id: uuid<DeviceId>('A device of the caller that is not revoked.'),
})
export type BindSessionRequest = Static<typeof BindSessionRequest>

/** Absent: unchanged. Null: removed. */
export const NameSessionRequest = object('NameSessionRequest', { sealed_name: optional(sealedName('session')) })
export type NameSessionRequest = Static<typeof NameSessionRequest>
