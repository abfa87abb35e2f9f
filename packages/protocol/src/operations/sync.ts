import { Type } from 'typebox'
import { MAX_SYNC_ENTRIES, SYNC_ENTRIES_DEFAULT, SyncResponse } from '../schemas/sync.ts'
import type { Operations } from './operation.ts'

export const syncOperations = {
  sync: {
    method: 'GET',
    path: '/v1/sync',
    tag: 'sync',
    auth: 'bearer',
    summary: 'List the changes since a cursor',
    description:
      'The caller’s assets in the order of their last change. Each asset appears once, in its present state, at its latest change; a deleted asset appears as its tombstone. A client that reads to the end has the last state of every asset, even if assets change while it reads. Begin without a cursor, and store next_cursor after processing its page. A cursor does not expire. A cursor of another numbering, for example after a restore of the server, gets error.sync.cursor_invalid: begin again without one.',
    query: {
      cursor: {
        description: 'next_cursor of the page before. Without it the feed starts at its beginning.',
        required: false,
        schema: Type.String(),
      },
      limit: {
        description: `The largest number of entries, ${SYNC_ENTRIES_DEFAULT} by default.`,
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
    summary: 'Receive changes as they happen',
    description:
      'Server-sent events (WHATWG HTML, section 9.2). Read them with fetch, because an EventSource sends no token. Each event names what has changed, so that the client reads it again. Several changes of the same thing at one moment may be one event. The stream starts at the present and first sends the id of the present. With Last-Event-ID it continues after that event, each event exactly once, for 7 days; if that is not possible, it sends the event reset: read all lists again. A comment comes at least every 15 s. The stream ends when the access token expires, the session or the server ends, or the client reads too slowly: connect again with the last id. An account may have 16 streams at a time.',
    requestHeaders: ['Last-Event-ID'],
    answers: {
      200: {
        description: 'Events, until the stream ends.',
        body: 'events',
        headers: ['Cache-Control', 'X-Accel-Buffering'],
      },
    },
    problems: ['error.request.limit_reached'],
  },
} as const satisfies Operations
