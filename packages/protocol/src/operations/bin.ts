import { BinEntryResponse, BinResponse } from '../schemas/bin.ts'
import { MAX_PAGE } from '../schemas/lists.ts'
import { immutableContent } from './contents.ts'
import type { Operations } from './operation.ts'
import { pageQuery } from './pages.ts'

const query = pageQuery({
  of: 'entries',
  id: BinEntryResponse.properties.bin_id,
  gone: 'error.bin.not_found',
  places: 'Only what is in the bin has a place.',
})

/** What was discarded or deleted, for as long as its bytes are kept anyway. No other operation finds it. */
export const binOperations = {
  listBin: {
    method: 'GET',
    path: '/v1/bin',
    tag: 'bin',
    auth: 'bearer',
    summary: 'List what the caller has discarded and deleted',
    description:
      'Always a page: a page with fewer entries than its limit is the last one. Each entry has a drop or an asset, as the inbox or the feed had it last. It can be restored until empties_at. The true file names are sealed in its content.',
    query: {
      ...query,
      limit: { ...query.limit, description: `The largest number of entries, ${MAX_PAGE} by default.` },
    },
    answers: { 200: { description: 'The entries.', body: BinResponse } },
    problems: ['error.bin.not_found'],
  },
  binContent: {
    method: 'GET',
    path: '/v1/bin/{bin_id}/content/{hash}',
    tag: 'bin',
    auth: 'bearer',
    summary: 'Get a ciphertext of what is in the bin',
    description: 'That of the drop, or any blob of the asset. Sealed bytes, immutable, with ranges.',
    requestHeaders: ['Range', 'If-Range', 'If-None-Match'],
    answers: immutableContent,
    problems: ['error.bin.not_found', 'error.blob.withheld', 'error.request.range_not_satisfiable'],
  },
  restoreBinEntry: {
    method: 'POST',
    path: '/v1/bin/{bin_id}/restore',
    tag: 'bin',
    auth: 'bearer',
    summary: 'Undo a discard or a deletion',
    description:
      'The drop is pending again, or the asset is there with all its blobs, under its id. If its album was deleted, that comes back too, with its name. Open sessions that the deletion ended, and tokens for the album, do not. A repeat gets the same answer as long as what was restored is there.',
    writes: true,
    leaves: 'rows',
    answers: { 204: { description: 'Restored.' } },
    problems: ['error.bin.not_found', 'error.drop.inbox_full', 'error.request.limit_reached'],
  },
  endBinEntry: {
    method: 'DELETE',
    path: '/v1/bin/{bin_id}',
    tag: 'bin',
    auth: 'bearer',
    summary: 'Remove one entry from the bin',
    description:
      'Returns its quota at once; it cannot be restored any more. Its bytes are deleted when their grace window is over. The answer is the same if there is no such entry.',
    answers: { 204: { description: 'It is not in the bin.' } },
    problems: [],
  },
  emptyBin: {
    method: 'DELETE',
    path: '/v1/bin',
    tag: 'bin',
    auth: 'bearer',
    summary: 'Empty the bin',
    description: 'As for one entry, for all that were in it when the request came.',
    answers: { 204: { description: 'They are not in the bin.' } },
    problems: [],
  },
} as const satisfies Operations
