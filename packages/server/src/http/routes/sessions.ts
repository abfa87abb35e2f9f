import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { Sessions } from '../../domain/account/sessions.ts'
import type { Routes } from '../call.ts'
import { newName } from '../wire/givenBytes.ts'

export function sessionRoutes({
  sessions,
}: {
  readonly sessions: Sessions
}): Pick<Routes, 'listSessions' | 'bindSession' | 'nameSession' | 'endSession'> {
  return {
    async listSessions({ caller }) {
      const live = await sessions.list(caller.account.accountId)
      return {
        status: 200,
        body: {
          sessions: live.map(({ sessionId, deviceId, sealedName, createdAt, lastUsedAt }) => ({
            session_id: sessionId,
            ...(deviceId && { device_id: deviceId }),
            ...(sealedName && { sealed_name: toBase64(sealedName) }),
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

    async nameSession({ caller, params, json: { sealed_name: name } }) {
      return (await sessions.name(caller.account.accountId, params.session_id, newName(name))) ?? { status: 204 }
    },

    async endSession({ caller, params }) {
      await sessions.endOwn(caller.account.accountId, params.session_id)
      return { status: 204 }
    },
  }
}
