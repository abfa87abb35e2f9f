import { Type } from 'typebox'
import { MAX_SYNC_ENTRIES, SYNC_ENTRIES_DEFAULT, SyncResponse } from '../schemas/sync.ts'
import type { Operations } from './operation.ts'

export const syncOperations = {
  sync: {
    method: 'GET',
    path: '/v1/sync',
    tag: 'sync',
    auth: 'bearer',
    summary: 'What has changed since',
    description:
      'The caller’s assets in the order of their last change. An asset appears once, as it is now, at the place of its latest change, and a deleted one as its tombstone: whoever reads on to the end, whatever changes meanwhile, has the last state of each. Begin without a cursor, keep next_cursor once its page is worked in, and go on after it for years. A cursor that is not of this numbering (after a restore of the server, say) is error.sync.cursor_invalid: begin again without one.',
    query: {
      cursor: {
        description: 'next_cursor of the page before; from the very beginning without it.',
        required: false,
        schema: Type.String(),
      },
      limit: {
        description: `Entries at most; ${SYNC_ENTRIES_DEFAULT} without it.`,
        required: false,
        schema: Type.Integer({ minimum: 1, maximum: MAX_SYNC_ENTRIES }),
      },
    },
    answers: { 200: { description: 'A page of the feed.', body: SyncResponse } },
    problems: ['error.sync.cursor_invalid'],
  },
  events: {
    method: 'GET',
    path: '/v1/events',
    tag: 'sync',
    auth: 'bearer',
    summary: 'What changes, as it happens',
    description:
      'Server-sent events (WHATWG HTML, section 9.2), to be read by fetch, as an EventSource sends no token. Each event says that something has changed and which, so that the client reads that again; what is said several times in one moment may be said once. The stream begins with now and first gives the id of now; with Last-Event-ID it goes on after that event, each exactly once, for 7 days. When that cannot be done it gives the event reset: read the lists anew. A comment comes at least every 15 s. The stream ends when the access token expires, the session or the server ends, or the client reads too slowly: connect again with the last id. At most 16 streams of an account at a time.',
    requestHeaders: ['Last-Event-ID'],
    answers: {
      200: {
        description: 'Events, for as long as the client stays.',
        body: 'events',
        headers: ['Cache-Control', 'X-Accel-Buffering'],
      },
    },
    problems: ['error.request.limit_reached'],
  },
} as const satisfies Operations
