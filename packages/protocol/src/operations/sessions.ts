import { RefreshRequest, TokenResponse } from '../schemas/accounts.ts'
import { BindSessionRequest, NameSessionRequest, SessionsResponse } from '../schemas/sessions.ts'
import type { Operations } from './operation.ts'

export const sessionOperations = {
  refresh: {
    method: 'POST',
    path: '/v1/auth/refresh',
    tag: 'accounts',
    auth: 'none',
    summary: 'Rotate the token pair',
    description:
      'A refresh token works once. A repeat within 60 s gets the same new pair; a later repeat ends the session.',
    body: { type: 'application/json', schema: RefreshRequest },
    answers: { 200: { description: 'The new pair.', body: TokenResponse } },
    problems: ['error.auth.session_expired'],
  },
  logout: {
    method: 'POST',
    path: '/v1/auth/logout',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'End this session',
    description: 'Its tokens end at once.',
    answers: { 204: { description: 'Ended.' } },
    problems: [],
  },
  listSessions: {
    method: 'GET',
    path: '/v1/auth/sessions',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'List the sessions of the account',
    description:
      'All sessions that have not ended, oldest first. There are at most 100: when another opens, the session unused for the longest time ends.',
    answers: { 200: { description: 'The sessions.', body: SessionsResponse } },
    problems: [],
  },
  bindSession: {
    method: 'POST',
    path: '/v1/auth/sessions/current/device',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Tie this session to a device',
    description:
      'Revoking the device then ends the session, its later tokens and its event streams. For a client that knows its device only after the sign-in. A session stays tied to its first device: a repeat with the same device succeeds, another device is refused.',
    body: { type: 'application/json', schema: BindSessionRequest },
    answers: { 204: { description: 'The session is tied to the device.' } },
    problems: ['error.device.not_found', 'error.device.not_authorized', 'error.auth.session_bound'],
  },
  nameSession: {
    method: 'PATCH',
    path: '/v1/auth/sessions/{session_id}',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'Name one of the caller’s sessions',
    description:
      'For a list in which the owner knows each client. The name is sealed under a key of the account, so a client gives it after the sign-in, when that key is open. An absent member stays as it is, null removes it.',
    body: { type: 'application/json', schema: NameSessionRequest, nullRemoves: true },
    writes: true,
    answers: { 204: { description: 'The session has this name now.' } },
    problems: ['error.auth.session_not_found'],
  },
  endSession: {
    method: 'DELETE',
    path: '/v1/auth/sessions/{session_id}',
    tag: 'accounts',
    auth: 'bearer',
    summary: 'End one of the caller’s sessions',
    description:
      'Its tokens end at once, its event streams within seconds. The caller’s own session ends as by logout. Ended, unknown and other accounts’ sessions get the same 204.',
    answers: { 204: { description: 'The caller has no such session now.' } },
    problems: [],
  },
} as const satisfies Operations
