import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { ChannelResponse } from '@blindkeep/protocol/schemas/channels'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { ListedChannel } from '../../domain/notify/channelChecks.ts'
import type { Channels } from '../../domain/notify/channels.ts'
import type { Routes } from '../call.ts'
import { givenBytes } from '../wire/givenBytes.ts'

type Row = 'addChannel' | 'listChannels' | 'confirmChannel' | 'testChannel' | 'removeChannel'

export function channelRoutes({ channels }: { readonly channels: Channels }): Pick<Routes, Row> {
  return {
    async addChannel({ json, caller }) {
      const { kind, address, token, channel_id, p256dh, auth, sealed_name } = json
      const added = await channels.add(caller.account.accountId, {
        kind,
        address,
        token: token ?? undefined,
        push: { p256dh: givenBytes(p256dh), auth: givenBytes(auth) },
        channelId: channel_id ?? undefined,
        sealedName: givenBytes(sealed_name),
      })
      if (isRefusal(added)) return added
      // As Standard Webhooks writes a secret.
      const secret = added.secret && { secret: `whsec_${toBase64(added.secret)}` }
      return { status: 201, body: { channel: entryOf(added), ...secret } }
    },

    async listChannels({ caller }) {
      const owned = await channels.list(caller.account.accountId)
      const { offered, pushKey } = channels
      return {
        status: 200,
        body: {
          offered: [...offered],
          channels: owned.map(entryOf),
          ...(pushKey !== undefined && { push_key: toBase64(pushKey) }),
        },
      }
    },

    async confirmChannel({ params, json, caller }) {
      const confirmed = await channels.confirm(caller.account.accountId, params.channel_id, json.code)
      return isRefusal(confirmed) ? confirmed : { status: 200, body: entryOf(confirmed) }
    },

    async testChannel({ params, caller }) {
      const tested = await channels.test(caller.account.accountId, params.channel_id)
      if (isRefusal(tested)) return tested
      const { fault } = tested
      return { status: 200, body: { delivered: fault === undefined, ...(fault !== undefined && { fault }) } }
    },

    async removeChannel({ params, caller }) {
      await channels.remove(caller.account.accountId, params.channel_id)
      return { status: 204 }
    },
  }
}

function entryOf({ channel, shown, sealedName }: ListedChannel): ChannelResponse {
  const { channelId, kind, state, createdAt, attempts, sentAt, failedAt, fault } = channel
  return {
    channel_id: channelId,
    kind,
    state,
    shown,
    ...(sealedName !== undefined && { sealed_name: toBase64(sealedName) }),
    created_at: formatInstant(createdAt),
    attempts,
    ...(sentAt !== undefined && { last_sent_at: formatInstant(sentAt) }),
    ...(failedAt !== undefined && { last_failed_at: formatInstant(failedAt) }),
    ...(fault !== undefined && { last_fault: fault }),
  }
}
