/** Headers and addresses near the limit of the server's HTTP parser, 16 KiB for all headers together. */
import type { Call } from '../../../conformance/call.ts'

const BYTES = 14_000
const fill = (unit: string) => unit.repeat(Math.floor(BYTES / unit.length))

interface HeavyHeaders {
  readonly what: string
  readonly headers: NonNullable<Call['headers']>
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  authorization: [
    `Bearer ${fill('a')}`,
    `Bearer ${fill('a.')}`,
    `Bearer ${fill('=')}`,
    `Bearer${fill(' ')}!`,
    fill('Bearer '),
  ],
  'content-type': [`application/json${fill(';')}`, `application/json;${fill('a=b;')}`, fill(' a')],
  'content-encoding': [fill('gzip,'), fill(' ')],
  'accept-encoding': [fill(','), fill('br;q=0.0,'), fill('br;'), `br;q=${fill('0')}`],
  accept: [fill('*/*,')],
  range: [`bytes=${fill('0-0,')}`, `bytes=${fill('9')}-`, `bytes=0-${fill('0')}!`, `bytes=-${fill('0')}x`],
  'if-none-match': [fill(','), fill('W/'), fill('"a", ')],
  'if-range': [fill('"')],
  'idempotency-key': [fill('a')],
  'x-forwarded-for': [fill('1.2.3.4,'), fill(','), fill(':'), `[${fill('::')}]`],
  'last-event-id': [fill('0')],
  'x-service-protocol': [fill('2026-11-01')],
  'x-service-offset': [fill('0')],
  'x-service-checksum': [fill('0')],
  cookie: [fill('a=b; ')],
  host: [fill('a.'), fill('1:'), `[${fill(':')}]`],
}

export const HEAVY_HEADERS: readonly HeavyHeaders[] = [
  ...Object.entries(VALUES).flatMap(([name, values]) =>
    values.map((value) => ({ what: `${name}: ${value.slice(0, 20)}…`, headers: { [name]: value } })),
  ),
  {
    what: '1,000 headers',
    headers: Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, '1'])),
  },
]

/** The same operation with a heavy query, and with a heavy id. */
export function heavyPaths(given: string): readonly { readonly what: string; readonly path: string }[] {
  const [path = ''] = given.split('?')
  const queries = [fill('a&'), fill('&'), fill('limit=1&'), fill('%61&'), `cursor=${fill('0')}`, `cursor=${fill('%')}`]
  const parts = path.split('/')
  const ids = [fill('a'), fill('%61'), fill('%'), fill('0'), fill('..%2f')]
  return [
    ...queries.map((query) => ({ what: `?${query.slice(0, 20)}…`, path: `${path}?${query}` })),
    ...ids.map((id) => ({ what: `an id ${id.slice(0, 10)}…`, path: [...parts.slice(0, -1), id].join('/') })),
    { what: 'many slashes', path: `${path}${fill('/')}` },
  ]
}
