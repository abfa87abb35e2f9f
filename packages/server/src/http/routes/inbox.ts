import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { Serving } from '../../domain/custody/servable.ts'
import type { Adopt } from '../../domain/drops/adoption.ts'
import type { Inbox, PendingDrop } from '../../domain/drops/inbox.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Routes } from '../call.ts'
import { contentAnswer, contentHead } from '../content.ts'
import { declaredOf } from '../wire/declared.ts'
import { listQuestion } from '../wire/lists.ts'
import { mapInSlices } from '../wire/slices.ts'

type Row = 'inbox' | 'dropContent' | 'dropContentHead' | 'adoptDrop' | 'discardDrop' | 'discardDrops'

interface InboxRoutePorts {
  readonly inbox: Inbox
  readonly adopt: Adopt
  readonly serving: Serving
}

export function inboxRoutes({ inbox, adopt, serving }: InboxRoutePorts): Pick<Routes, Row> {
  return {
    async inbox({ query, caller }) {
      const drops = await inbox.list(caller.account.accountId, listQuestion(query))
      if (isRefusal(drops)) return drops
      return { status: 200, body: { drops: await mapInSlices(drops, dropEntry) } }
    },

    async dropContent({ params, caller, header }) {
      const drop = await inbox.servable(caller.account.accountId, params.drop_id)
      return isRefusal(drop) ? drop : contentAnswer(drop, header, serving)
    },

    async dropContentHead({ params, caller, header }) {
      const drop = await inbox.content(caller.account.accountId, params.drop_id)
      return isRefusal(drop) ? drop : contentHead(drop, header)
    },

    async adoptDrop({ params, json, caller }) {
      const answer = await adopt({
        accountId: caller.account.accountId,
        dropId: params.drop_id,
        declared: declaredOf(json, { assetId: json.asset_id, role: 'original' }),
      })
      return isRefusal(answer) ? answer : { status: 200, body: { asset_id: answer } }
    },

    async discardDrop({ params, caller }) {
      return (await inbox.discard(caller.account.accountId, params.drop_id)) ?? { status: 204 }
    },

    async discardDrops({ query, caller }) {
      await inbox.discardOfLink(caller.account.accountId, query.opaque_id)
      return { status: 204 }
    },
  }
}

export function dropEntry(drop: PendingDrop) {
  return {
    drop_id: drop.dropId,
    opaque_id: drop.opaqueId,
    ciphertext_hash: drop.ciphertextHash,
    size: drop.size,
    content_type: drop.contentType,
    kem_ct: toBase64(drop.kemCt),
    ...(drop.suggestedFilename !== undefined && { suggested_filename: drop.suggestedFilename }),
    received_at: formatInstant(drop.receivedAt),
    adopting: drop.leasedUntil !== undefined,
    ...(drop.withheld !== undefined && { withheld: drop.withheld }),
  }
}
