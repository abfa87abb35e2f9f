import { formatInstant } from '@blindkeep/protocol/ids'
import type { Capabilities } from '../../domain/assets/capabilities.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Routes } from '../call.ts'
import { givenInstant } from '../wire/givenInstant.ts'
import { listQuestion } from '../wire/lists.ts'

type Row = 'mintCapability' | 'listCapabilities' | 'revokeCapability'

export function capabilityRoutes({ capabilities }: { readonly capabilities: Capabilities }): Pick<Routes, Row> {
  return {
    async mintCapability({ params, json, caller }) {
      const expiresAt = givenInstant(json.expires_at)
      const { sessionId } = caller
      const request = { albumId: params.album_id, peer: json.peer, expiresAt, sessionId }
      const answer = await capabilities.mint(caller.account.accountId, request)
      if (isRefusal(answer)) return answer
      const { token, jti } = answer
      return { status: 201, body: { token, jti, expires_at: formatInstant(answer.expiresAt) } }
    },

    async listCapabilities({ params, query, caller }) {
      const live = await capabilities.list(caller.account.accountId, params.album_id, listQuestion(query))
      if (isRefusal(live)) return live
      const entries = live.map(({ jti, peer, expiresAt }) => ({ jti, peer, expires_at: formatInstant(expiresAt) }))
      return { status: 200, body: { capabilities: entries } }
    },

    async revokeCapability({ params, caller }) {
      const { album_id: albumId, jti } = params
      return (await capabilities.revoke(caller.account.accountId, albumId, jti)) ?? { status: 204 }
    },
  }
}
