import type { DeclaredOperation } from './document.ts'

/** Declared statuses that no request causes. Tests must meet all others, which `run.ts` checks. */
export const UNTESTABLE_STATUSES: readonly {
  readonly status: number
  readonly operations: string
  readonly includes: (operation: DeclaredOperation) => boolean
  readonly reason: string
}[] = [
  {
    status: 500,
    operations: 'every operation',
    includes: () => true,
    reason: 'no request causes an internal error',
  },
  {
    status: 403,
    operations: 'every operation with a token',
    includes: ({ bearer }) => bearer,
    reason:
      'the specification declares it for all; only writes of a suspended account are answered so (operator.test.ts)',
  },
  {
    status: 429,
    operations: 'every list of an account',
    includes: ({ bearer, method }) => bearer && method === 'GET',
    reason: 'more than 512 lists of one account would have to wait at the same moment',
  },
  {
    status: 429,
    operations: '`POST /v1/assets/retention`',
    includes: ({ path }) => path === '/v1/assets/retention',
    reason: 'a session may raise 100,000 retentions in a day; `packages/server` tests it (retainAssets.test.ts)',
  },
  {
    status: 503,
    operations: '`GET` and `HEAD /.well-known/service/revoked-jti`',
    includes: ({ path }) => path === '/.well-known/service/revoked-jti',
    reason: 'no request makes the list unreadable',
  },
]
