import { formatInstant } from '@blindkeep/protocol/ids'
import { MAX_PAGE } from '@blindkeep/protocol/schemas/lists'
import { viewOf } from '../../domain/assets/assetView.ts'
import type { Bin, ShownEntry } from '../../domain/bin/bin.ts'
import type { Serving } from '../../domain/custody/servable.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Routes } from '../call.ts'
import { contentAnswer } from '../content.ts'
import { listQuestion } from '../wire/lists.ts'
import { mapInSlices } from '../wire/slices.ts'
import { assetEntry, IMMUTABLE } from './assets.ts'
import { dropEntry } from './inbox.ts'

type Row = 'listBin' | 'binContent' | 'restoreBinEntry' | 'endBinEntry' | 'emptyBin'

export function binRoutes({ bin, serving }: { readonly bin: Bin; readonly serving: Serving }): Pick<Routes, Row> {
  return {
    async listBin({ query, caller }) {
      const { max = MAX_PAGE, ...question } = listQuestion(query)
      const entries = await bin.list(caller.account.accountId, { ...question, max })
      if (isRefusal(entries)) return entries
      return { status: 200, body: { entries: await mapInSlices(entries, entryOf) } }
    },

    async binContent({ params, caller, header }) {
      const content = await bin.content(caller.account.accountId, params.bin_id, params.hash)
      return isRefusal(content) ? content : contentAnswer({ ...content, ...IMMUTABLE }, header, serving)
    },

    async restoreBinEntry({ params, caller }) {
      return (await bin.restore(caller.account.accountId, params.bin_id)) ?? { status: 204 }
    },

    async endBinEntry({ params, caller }) {
      await bin.end(caller.account.accountId, params.bin_id)
      return { status: 204 }
    },

    async emptyBin({ caller }) {
      await bin.empty(caller.account.accountId)
      return { status: 204 }
    },
  }
}

function entryOf({ entryId, size, deletedAt, emptiesAt, removed }: ShownEntry) {
  const times = { deleted_at: formatInstant(deletedAt), empties_at: formatInstant(emptiesAt) }
  const what =
    removed.drop === undefined
      ? { asset: assetEntry(viewOf(removed.asset, removed.blobs)) }
      : { drop: dropEntry(removed.drop) }
  return { bin_id: entryId, size, ...times, ...what }
}
