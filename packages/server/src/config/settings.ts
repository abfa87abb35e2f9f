import { type ProtocolVersion, parseProtocolVersion } from '@blindkeep/protocol/ids'
import {
  host,
  httpUrl,
  integer,
  networks,
  oneOf,
  type Parser,
  pathUrl,
  protocolVersion,
  publicAddress,
  text,
} from './parsers.ts'

/** One variable of the environment. Unset and empty mean the default. */
export interface Setting<Value> {
  readonly name: string
  readonly fallback: Value
  /** The default as it is shown to people. */
  readonly shown: string
  readonly meaning: string
  readonly parse: Parser<Value>
}

export type Registration = 'open' | 'invite' | 'closed'
type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const registrations: readonly Registration[] = ['open', 'invite', 'closed']
const logLevels: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

const DAY_SECONDS = 86_400
/** Ten years. Keeps sums of instants and durations far from where numbers lose their last digits. */
const MAX_SECONDS = 3650 * DAY_SECONDS
const MAX_COUNT = 1_000_000_000
const MEBIBYTE = 1024 * 1024

interface Described<Value> {
  readonly fallback: Value
  readonly meaning: string
  readonly parse: Parser<Value>
}

function setting<Value extends string | number>(name: string, described: Described<Value>): Setting<Value> {
  return { name, shown: String(described.fallback), ...described }
}

/** Undefined unless it is set; `unset` says what that means. */
function optional<Value>(
  name: string,
  described: { readonly unset: string; readonly meaning: string; readonly parse: Parser<Value> },
): Setting<Value | undefined> {
  return { name, fallback: undefined, shown: described.unset, meaning: described.meaning, parse: described.parse }
}

function seconds(name: string, fallback: number, meaning: string): Setting<number> {
  return setting(name, { fallback, meaning, parse: integer({ least: 1, most: MAX_SECONDS }) })
}

function bytes(name: string, fallback: number, meaning: string): Setting<number> {
  return setting(name, { fallback, meaning, parse: integer({ least: 1 }) })
}

function count(name: string, fallback: number, meaning: string): Setting<number> {
  return setting(name, { fallback, meaning, parse: integer({ least: 1, most: MAX_COUNT }) })
}

function version(name: string, date: string, meaning: string): Setting<ProtocolVersion> {
  const fallback = parseProtocolVersion(date)
  if (fallback === undefined) throw new Error(`the default of ${name} is not a date`)
  return setting(name, { fallback, meaning, parse: protocolVersion })
}

/** Every setting that is in use. Documents and help are printed from this table. */
export const SETTINGS = {
  host: setting('HOST', { fallback: '127.0.0.1', meaning: 'Address to listen on.', parse: host }),
  port: setting('PORT', {
    fallback: 8080,
    meaning: 'Port to listen on; 0 takes a free one.',
    parse: integer({ least: 0, most: 65_535 }),
  }),
  publicUrl: optional('PUBLIC_URL', {
    unset: 'http://HOST:PORT on loopback, needed elsewhere',
    meaning:
      'Where the server is reached from outside. Its origin names the server in receipts, its path goes before every other.',
    parse: publicAddress,
  }),
  dataDirectory: setting('DATA_DIR', {
    fallback: './data',
    meaning: 'Directory that holds everything which has no place of its own.',
    parse: text,
  }),
  databasePath: optional('DATABASE_URL', {
    unset: 'sqlite:DATA_DIR/blindkeep.sqlite',
    meaning: 'The database, as sqlite:<path>.',
    parse: pathUrl('sqlite'),
  }),
  blobsDirectory: optional('BLOBS_URL', {
    unset: 'file:DATA_DIR/blobs',
    meaning: 'Where the objects lie, as file:<directory>.',
    parse: pathUrl('file'),
  }),
  masterSecretFile: optional('MASTER_SECRET_FILE', {
    unset: 'DATA_DIR/secrets/master.secret',
    meaning:
      'File with the secret that all private keys rest sealed under. Made at the first start. Not in backups: keep a copy elsewhere.',
    parse: text,
  }),
  pagesDirectory: optional('PAGES_DIR', {
    unset: 'the `dist` of @blindkeep/web',
    meaning: 'Directory with the built pages. Read once, at the start.',
    parse: text,
  }),
  registration: optional('REGISTRATION', {
    unset: 'open while PUBLIC_URL is unset or loopback and no proxy forwards the request, else invite',
    meaning:
      'Who may register: anybody (open), whoever has a code of `blindkeep-server account invite` (invite), or nobody (closed).',
    parse: oneOf(registrations),
  }),
  trustedProxies: optional('TRUST_PROXY', {
    unset: 'none',
    meaning: 'Addresses and CIDR networks of proxies whose X-Forwarded-For is believed, separated by commas.',
    parse: networks,
  }),
  quotaSoftBytes: optional('QUOTA_SOFT_BYTES', {
    unset: 'QUOTA_HARD_BYTES',
    meaning: 'Use of an account from which it is warned.',
    parse: integer({ least: 0 }),
  }),
  quotaHardBytes: optional('QUOTA_HARD_BYTES', {
    unset: 'no limit',
    meaning: 'Most that an account may use.',
    parse: integer({ least: 0 }),
  }),
  quotaGraceDays: setting('QUOTA_GRACE_DAYS', {
    fallback: 14,
    meaning: 'Days at or over the hard limit until the grace period is over.',
    parse: integer({ least: 0, most: 3650 }),
  }),
  requestBytesMax: bytes('REQUEST_BYTES_MAX', MEBIBYTE, 'Largest JSON body.'),
  chunkBytesMax: bytes('CHUNK_BYTES_MAX', 16 * MEBIBYTE, 'Largest chunk of an upload.'),
  chunkBytesSuggested: bytes('CHUNK_BYTES_SUGGESTED', 8 * MEBIBYTE, 'Chunk size that clients are told to start with.'),
  blobBytesMax: bytes('BLOB_BYTES_MAX', MEBIBYTE ** 2, 'Largest blob.'),
  freeSpaceFloorBytes: setting('FREE_SPACE_FLOOR_BYTES', {
    fallback: 1024 * MEBIBYTE,
    meaning: 'Free space, less what is reserved, below which no new upload begins.',
    parse: integer({ least: 0 }),
  }),
  protocolMin: version('PROTOCOL_MIN', '2026-01-01', 'Oldest protocol version that writes may use.'),
  protocolMax: version('PROTOCOL_MAX', '2026-11-01', 'Newest protocol version.'),
  deprecationLeadDays: setting('DEPRECATION_LEAD_DAYS', {
    fallback: 90,
    meaning: 'Days from the announcement of a cutoff, by `deprecation announce`, to the cutoff itself, at the least.',
    parse: integer({ least: 0, most: 3650 }),
  }),
  accessTokenSeconds: seconds('ACCESS_TOKEN_SECONDS', 900, 'Life of an access token.'),
  refreshTokenSeconds: seconds(
    'REFRESH_TOKEN_SECONDS',
    30 * DAY_SECONDS,
    'Life of a refresh token, begun anew with each use.',
  ),
  uploadFirstByteSeconds: seconds(
    'SESSION_FIRST_BYTE_SECONDS',
    900,
    'Life of an upload session that has received nothing.',
  ),
  uploadIdleSeconds: seconds('SESSION_IDLE_SECONDS', DAY_SECONDS, 'Life of an upload session after its last chunk.'),
  uploadLifeSeconds: seconds('SESSION_LIFE_SECONDS', 7 * DAY_SECONDS, 'Life of an upload session in all.'),
  receiptGuestSeconds: seconds(
    'RECEIPT_GUEST_SECONDS',
    30 * DAY_SECONDS,
    'How long a guest can fetch the receipt of a landed drop.',
  ),
  adoptionLeaseSeconds: seconds(
    'ADOPTION_LEASE_SECONDS',
    60,
    'How long an adoption that is under way keeps a drop from any other adoption or discard.',
  ),
  collectGraceSeconds: seconds(
    'GC_GRACE_SECONDS',
    DAY_SECONDS,
    'How long an object that nothing owns any more is kept.',
  ),
  scrubDays: setting('SCRUB_DAYS', {
    fallback: 30,
    meaning: 'Days after which every object is read again, to find what the disk has damaged.',
    parse: integer({ least: 1, most: 3650 }),
  }),
  linkSessionsPerWindow: count('LINK_SESSIONS_PER_WINDOW', 600, 'Drop sessions that one link admits in 15 minutes.'),
  sourceSessionsPerWindow: count(
    'SOURCE_SESSIONS_PER_WINDOW',
    6000,
    'Attempts that one address may make in 15 minutes.',
  ),
  passphraseTriesPerWindow: count(
    'PASSPHRASE_TRIES_PER_WINDOW',
    10,
    'Wrong passphrases that one address may try on a link in 15 minutes.',
  ),
  loginTriesPerWindow: count(
    'LOGIN_TRIES_PER_WINDOW',
    10,
    'Wrong secrets that one address may try on an account in 15 minutes.',
  ),
  manifestDriftDays: setting('MANIFEST_DRIFT_DAYS', {
    fallback: 30,
    meaning: 'Days that the timestamp of a manifest may be away from the clock of the server, before or after it.',
    parse: integer({ least: 0, most: 3650 }),
  }),
  deepBytesPerHour: bytes(
    'DEEP_BYTES_PER_HOUR',
    64 * 1024 * MEBIBYTE,
    'Bytes that deep storage verification reads for one account in an hour.',
  ),
  federationUrl: optional('FEDERATION_URL', {
    unset: 'none',
    meaning: 'Where federated peers reach the server.',
    parse: httpUrl,
  }),
  sweepSeconds: setting('SWEEP_SECONDS', {
    fallback: 60,
    meaning: 'Pause between two looks for what has run out.',
    parse: integer({ least: 1, most: DAY_SECONDS }),
  }),
  logLevel: setting<LogLevel>('LOG_LEVEL', {
    fallback: 'info',
    meaning: `Least that is logged: ${logLevels.join(', ')}.`,
    parse: oneOf(logLevels),
  }),
} as const
