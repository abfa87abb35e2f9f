/** The sections of the project’s own rules, which go beyond the specification. See `clauses.ts`. */

interface OwnSection {
  readonly title: string
  /** Where the rules are written, if they are not only in the tests. */
  readonly statedIn: string
  /** Rules that no test can show from outside, and why. */
  readonly untestable: readonly (readonly [rule: string, reason: string])[]
}

export const OWN_RULES: readonly OwnSection[] = [
  {
    title: 'Requests',
    statedIn: '',
    untestable: [],
  },
  {
    title: 'Site',
    statedIn: 'OpenAPI, site',
    untestable: [],
  },
  {
    title: 'Accounts and sessions',
    statedIn: 'OpenAPI, tag accounts',
    untestable: [['a late reuse of a refresh token ends the session', 'a reuse is accepted as a repeat for 60 s']],
  },
  {
    title: 'Devices, albums and capabilities',
    statedIn: 'OpenAPI, tags devices, albums and federation',
    untestable: [],
  },
  {
    title: 'Uploads',
    statedIn: 'OpenAPI, tag uploads',
    untestable: [],
  },
  {
    title: 'Provenance',
    statedIn: 'OpenAPI, appendUpload',
    untestable: [],
  },
  {
    title: 'Assets and blobs',
    statedIn: 'OpenAPI, tag assets',
    untestable: [
      [
        'a damaged object is read from another location, or answered 500 storage.unavailable',
        'no request damages a stored blob; `packages/server` tests it (scrub.test.ts)',
      ],
    ],
  },
  {
    title: 'Feed and events',
    statedIn: 'OpenAPI, tag sync',
    untestable: [
      ['the server removes events after 7 days', '`packages/server` tests it with a clock of its own (events.test.ts)'],
    ],
  },
  {
    title: 'Moves',
    statedIn: 'docs/formats.md',
    untestable: [],
  },
  {
    title: 'Bin',
    statedIn: 'OpenAPI, tag bin',
    untestable: [['an entry ends at empties_at', '`packages/server` tests it with a clock of its own (bin.test.ts)']],
  },
  {
    title: 'Links',
    statedIn: 'OpenAPI, provisionLink, listLinks, changeLink, revokeLink, guestLink, noteHeldBack',
    untestable: [],
  },
  {
    title: 'Creating a drop',
    statedIn: 'OpenAPI, createDrop',
    untestable: [],
  },
  {
    title: 'Chunks',
    statedIn: 'OpenAPI, appendChunk, dropSession, cancelDrop',
    untestable: [
      [
        'an acknowledged chunk survives a killed process',
        'the suite kills no server; `npm run faults -- random-kills` does',
      ],
    ],
  },
  {
    title: 'Inbox and content',
    statedIn: 'OpenAPI, tag inbox',
    untestable: [
      [
        'after a crash, the claim of an adoption excludes others for a minute',
        'the suite kills no server; `npm run faults -- adoption-kills` does',
      ],
    ],
  },
  {
    title: 'Shares',
    statedIn: 'OpenAPI, tag shares',
    untestable: [],
  },
  {
    title: 'Channels',
    statedIn: 'OpenAPI, tag channels',
    untestable: [
      [
        'an e-mail address gets messages only after its code was entered',
        'the suite has no mail server; `packages/server` tests it (channels.test.ts)',
      ],
      [
        'a message to a browser is encrypted for it, and signed by the server',
        'the suite has no push service; `packages/server` tests it (push.test.ts)',
      ],
      [
        'a channel is given up after about a day of failures',
        '`packages/server` tests it with a clock of its own (notifier.test.ts)',
      ],
    ],
  },
  {
    title: 'Quota and receipts',
    statedIn: 'ARCHITECTURE.md',
    untestable: [['HEAD answers finishing while a drop lands', 'it lasts a few milliseconds']],
  },
  {
    title: 'Authorization',
    statedIn: '`matrix.ts`',
    untestable: [],
  },
  {
    title: 'Secrets',
    statedIn: '`secrets.ts`',
    untestable: [],
  },
  {
    title: 'Receipt checker',
    statedIn: '',
    untestable: [],
  },
]
