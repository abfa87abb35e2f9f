import { formatInstant } from '@blindkeep/protocol/ids'
import type { Sessions } from '../../domain/account/sessions.ts'
import type { Routes } from '../call.ts'

export function sessionRoutes({
  sessions,
}: {
  readonly sessions: Sessions
}): Pick<Routes, 'listSessions' | 'bindSession' | 'endSession'> {
  return {
    async listSessions({ caller }) {
      const live = await sessions.list(caller.account.accountId)
      return {
        status: 200,
        body: {
          sessions: live.map(({ sessionId, deviceId, createdAt, lastUsedAt }) => ({
            session_id: sessionId,
            ...(deviceId && { device_id: deviceId }),
            created_at: formatInstant(createdAt),
            last_used_at: formatInstant(lastUsedAt),
            current: sessionId === caller.sessionId,
          })),
        },
      }
    },

    async bindSession({ caller, json }) {
      return (await sessions.bind(caller, json.device_id)) ?? { status: 204 }
    },

    async endSession({ caller, params }) {
      await sessions.endOwn(caller.account.accountId, params.session_id)
      return { status: 204 }
    },
  }
}
