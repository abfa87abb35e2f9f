import type { Static } from 'typebox'
import type { DeviceId, SessionId } from '../ids.ts'
import { boolean, list, object, optional, time, uuid } from './shape.ts'

export const SessionResponse = object('SessionResponse', {
  session_id: uuid<SessionId>('The session; the `sid` of its access tokens.'),
  device_id: optional(uuid<DeviceId>('What its client said at login of the device that signs in.')),
  created_at: time('When somebody signed in.'),
  last_used_at: time('When its tokens were last issued.'),
  current: boolean('Whether it is the one that asks.'),
})
export type SessionResponse = Static<typeof SessionResponse>

export const SessionsResponse = object('SessionsResponse', {
  sessions: list(SessionResponse, 'Those that have not ended, oldest first.'),
})
export type SessionsResponse = Static<typeof SessionsResponse>
