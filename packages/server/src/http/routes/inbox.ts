import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { Inbox } from '../../domain/inbox.ts'
import { isRefusal } from '../../domain/refusals.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Drop } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { rangeOf } from '../range.ts'
import { holds } from '../reply.ts'

type Row = 'inbox' | 'dropContent' | 'dropContentHead' | 'discardDrop' | 'discardDrops'

export function inboxRoutes({ inbox, blobs }: { readonly inbox: Inbox; readonly blobs: Blobs }): Pick<Routes, Row> {
  return {
    async inbox({ caller }) {
      const drops = await inbox.list(caller.account.accountId)
      return { status: 200, body: { drops: drops.map(entryOf) } }
    },

    async dropContent({ params, caller, header }) {
      const drop = await inbox.content(caller.account.accountId, params.drop_id)
      if (isRefusal(drop)) return drop
      const { location, size } = drop
      const ETag = `"${drop.ciphertextHash}"`
      if (holds(header('if-none-match'), ETag)) return { status: 304, headers: { ETag } }
      const isSame = header('if-range') === undefined || header('if-range') === ETag
      const range = isSame ? rangeOf(header('range'), size) : 'whole'
      if (range === 'unsatisfiable') return { refused: 'range_unsatisfiable', size }
      const { start, end } = range === 'whole' ? { start: 0, end: size } : range
      const bytes = blobs.read(location, { start, end })
      const headers = { ETag, 'Accept-Ranges': 'bytes', 'Content-Length': String(end - start) } as const
      if (range === 'whole') return { status: 200, bytes, headers }
      return {
        status: 206,
        bytes,
        headers: {
          ETag,
          'Content-Length': headers['Content-Length'],
          'Content-Range': `bytes ${start}-${end - 1}/${size}`,
        },
      }
    },

    async dropContentHead({ params, caller, header }) {
      const drop = await inbox.content(caller.account.accountId, params.drop_id)
      if (isRefusal(drop)) return drop
      const ETag = `"${drop.ciphertextHash}"`
      if (holds(header('if-none-match'), ETag)) return { status: 304, headers: { ETag } }
      return { status: 200, headers: { ETag, 'Accept-Ranges': 'bytes', 'Content-Length': String(drop.size) } }
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

function entryOf(drop: Drop) {
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
  }
}
