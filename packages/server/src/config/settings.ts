import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isLoopback } from '../http/names/addresses.ts'
import { DATA_DIRECTORY } from './dataDirectory.ts'
import { MESSAGE_SETTINGS } from './messageSettings.ts'
import {
  type BlobsAddress,
  blobsAddress,
  type DatabaseAddress,
  databaseAddress,
  host,
  httpsPage,
  httpUrl,
  integer,
  line,
  oneOf,
  proxies,
  publicAddress,
  size,
  text,
  token,
} from './parsers.ts'
import {
  bytes,
  count,
  DAY_SECONDS,
  days,
  derived,
  optional,
  type Setting,
  seconds,
  setting,
  shared,
  version,
} from './setting.ts'

const REGISTRATIONS = ['open', 'invite', 'closed'] as const
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const MEBIBYTE = 1024 * 1024

/** Every setting, once: property, variable, default, meaning, parser. Help and documents print this table. */
export const SETTINGS = {
  host: setting('HOST', { fallback: '127.0.0.1', meaning: 'Address to listen on.', parse: host }),
  port: setting('PORT', {
    fallback: 8080,
    meaning: 'Port to listen on; 0 chooses a free port.',
    parse: integer({ min: 0, max: 65_535 }),
  }),
  publicUrl: optional('PUBLIC_URL', {
    shown: 'http://HOST:PORT on loopback, required elsewhere',
    meaning:
      'Address at which clients reach the server. Its origin names the server in receipts; its path comes before every other path.',
    parse: publicAddress,
  }),
  insecurePublicUrl: setting('INSECURE_PUBLIC_URL', {
    fallback: 'refused',
    meaning:
      'Whether PUBLIC_URL may be an http address that is not loopback (refused or allowed). Browsers give pages there no encryption: only programs can use such a server, and everyone on the way sees what they send.',
    parse: oneOf(['refused', 'allowed']),
  }),
  dataDirectory: setting('DATA_DIR', {
    fallback: DATA_DIRECTORY,
    meaning: 'Directory for all data that has no setting of its own.',
    parse: text,
  }),
  firstStart: setting('FIRST_START', {
    fallback: 'allowed',
    meaning:
      'Whether a start makes a new server where there is no database (allowed or refused). Refuse it once there are accounts: a disk that is not mounted, or a wrong DATA_DIR, then stops the start.',
    parse: oneOf(['allowed', 'refused']),
  }),
  database: derived('DATABASE_URL', {
    shown: 'sqlite:DATA_DIR/blindkeep.sqlite',
    derive: ({ dataDirectory }): DatabaseAddress => ({
      kind: 'sqlite',
      path: join(dataDirectory, 'blindkeep.sqlite'),
    }),
    meaning:
      'The database, as sqlite:<path> or postgres://<user>@<host>/<database>. PGPASSWORD or PGPASSFILE may hold the password.',
    parse: databaseAddress,
  }),
  blobs: derived('BLOBS_URL', {
    shown: 'file:DATA_DIR/blobs',
    derive: ({ dataDirectory }): BlobsAddress => ({ kind: 'files', directory: join(dataDirectory, 'blobs') }),
    meaning:
      'The objects, as file:<directory> or s3://<bucket>/<prefix>?endpoint=<URL>&region=<name>&pathStyle=<true or false>.',
    parse: blobsAddress,
  }),
  s3AccessKeyId: optional('AWS_ACCESS_KEY_ID', {
    shown: 'none',
    meaning: 'Names the user of the S3 store.',
    parse: text,
  }),
  s3SecretAccessKey: optional('AWS_SECRET_ACCESS_KEY', {
    isSecret: true,
    shown: 'none',
    meaning: 'The secret of that user.',
    parse: text,
  }),
  s3SessionToken: optional('AWS_SESSION_TOKEN', {
    isSecret: true,
    shown: 'none',
    meaning: 'Belongs to credentials that end, and ends with them: for a trial.',
    parse: text,
  }),
  s3CredentialsFile: optional('S3_CREDENTIALS_FILE', {
    shown: 'none',
    meaning:
      'File with lines AWS_ACCESS_KEY_ID=… and AWS_SECRET_ACCESS_KEY=…, in place of the variables. It may be replaced while the server runs.',
    parse: text,
  }),
  spoolDirectory: derived('SPOOL_DIR', {
    shown: 'DATA_DIR/spool',
    derive: ({ dataDirectory }) => join(dataDirectory, 'spool'),
    meaning: 'Directory for chunks on their way to the S3 store.',
    parse: text,
  }),
  masterSecretFile: derived('MASTER_SECRET_FILE', {
    shown: 'DATA_DIR/secrets/master.secret',
    // In a directory of its own, so that a backup of the database and the objects leaves it out.
    derive: ({ dataDirectory }) => join(dataDirectory, 'secrets', 'master.secret'),
    meaning:
      'File with the secret that encrypts the server’s private keys. Made at the first start. Not in backups: keep a copy elsewhere.',
    parse: text,
  }),
  pagesDirectory: derived('PAGES_DIR', {
    shown: 'the pages that come with the server',
    derive: builtPages,
    meaning: 'Directory with the built pages. Read once, at the start.',
    parse: text,
  }),
  registration: shared(
    derived('REGISTRATION', {
      shown: 'open if PUBLIC_URL is unset or loopback and no proxy forwarded the request, otherwise invite',
      derive: ({ publicUrl }): (typeof REGISTRATIONS)[number] =>
        publicUrl === undefined || isLoopback(new URL(publicUrl.serverId).hostname) ? 'open' : 'invite',
      meaning:
        'Who may register: all clients (open), clients with a code from `blindkeep-server account invite` (invite), or none (closed).',
      parse: oneOf(REGISTRATIONS),
    }),
  ),
  trustedProxies: derived('TRUST_PROXY', {
    shown: 'none',
    derive: () => [],
    meaning: 'Addresses and CIDR networks of proxies whose X-Forwarded-For the server believes, separated by commas.',
    parse: proxies,
  }),
  quotaSoftBytes: shared(
    derived('QUOTA_SOFT_BYTES', {
      shown: 'QUOTA_HARD_BYTES',
      derive: ({ quotaHardBytes }) => quotaHardBytes,
      meaning: 'Usage from which the server warns an account.',
      parse: size({ min: 0 }),
    }),
  ),
  quotaHardBytes: shared(
    optional('QUOTA_HARD_BYTES', {
      shown: 'no limit',
      meaning: 'Most that an account may use.',
      parse: size({ min: 0 }),
    }),
  ),
  quotaGraceDays: shared(days('QUOTA_GRACE_DAYS', 14, 'Days at or above the hard limit until the grace period ends.')),
  inboxFilesMax: shared(
    setting('INBOX_FILES_MAX', {
      fallback: 10_000,
      meaning:
        'Files that may wait in the inbox of an account, those on their way included. Its lists are measured up to 10,000.',
      parse: integer({ min: 1, max: 10_000 }),
    }),
  ),
  requestBytesMax: bytes('REQUEST_BYTES_MAX', MEBIBYTE, 'Largest JSON body. Without a bearer token at most 64 KiB.'),
  chunkBytesMax: bytes('CHUNK_BYTES_MAX', 16 * MEBIBYTE, 'Largest chunk of an upload.'),
  chunkBytesSuggested: bytes('CHUNK_BYTES_SUGGESTED', 8 * MEBIBYTE, 'Chunk size that the server suggests to clients.'),
  blobBytesMax: shared(bytes('BLOB_BYTES_MAX', MEBIBYTE ** 2, 'Largest blob.')),
  freeSpaceFloorBytes: setting('FREE_SPACE_FLOOR_BYTES', {
    fallback: 1024 * MEBIBYTE,
    meaning:
      'Free disk space below which no bytes are accepted; an object store has none to measure. New uploads begin only above it and what open ones reserve: 16 MiB for each, 1 GiB in all, with the default chunk.',
    parse: size({ min: 0 }),
  }),
  protocolMin: shared(version('PROTOCOL_MIN', '2026-01-01', 'Oldest protocol version that writes may use.')),
  protocolMax: shared(version('PROTOCOL_MAX', '2026-11-01', 'Newest protocol version.')),
  deprecationLeadDays: shared(
    days(
      'DEPRECATION_LEAD_DAYS',
      90,
      'Least number of days from `deprecation announce` to the cutoff that it announces.',
    ),
  ),
  accessTokenSeconds: shared(seconds('ACCESS_TOKEN_SECONDS', 900, 'Lifetime of an access token.')),
  refreshTokenSeconds: shared(
    seconds(
      'REFRESH_TOKEN_SECONDS',
      30 * DAY_SECONDS,
      'Lifetime of a refresh token. Each use gives a new token with a full lifetime.',
    ),
  ),
  uploadFirstByteSeconds: shared(
    seconds('SESSION_FIRST_BYTE_SECONDS', 900, 'Lifetime of an upload session that has received nothing.'),
  ),
  uploadYieldSeconds: shared(
    seconds(
      'SESSION_YIELD_SECONDS',
      10,
      'Age from which a guest’s upload session that has received nothing gives its place to a new one, if the link has no other place.',
    ),
  ),
  uploadIdleSeconds: shared(
    seconds('SESSION_IDLE_SECONDS', DAY_SECONDS, 'Lifetime of an upload session after its last chunk.'),
  ),
  uploadLifeSeconds: shared(seconds('SESSION_LIFE_SECONDS', 7 * DAY_SECONDS, 'Longest lifetime of an upload session.')),
  receiptGuestSeconds: shared(
    seconds('RECEIPT_GUEST_SECONDS', 30 * DAY_SECONDS, 'How long a guest can fetch the receipt of a landed drop.'),
  ),
  adoptionLeaseSeconds: shared(
    seconds(
      'ADOPTION_LEASE_SECONDS',
      60,
      'How long a running adoption keeps other adoptions and discards away from its drop.',
    ),
  ),
  collectGraceSeconds: shared(seconds('GC_GRACE_SECONDS', DAY_SECONDS, 'How long an orphaned object is kept.')),
  partGraceSeconds: shared(
    seconds(
      'PART_GRACE_SECONDS',
      3600,
      'How long an object store keeps bytes that do not count any more. Longer than backups of the database reach back, if it may be recovered to an earlier instant.',
    ),
  ),
  scrubDays: setting('SCRUB_DAYS', {
    fallback: 30,
    meaning: 'Days after which an object is read again, to find damage on the disk.',
    parse: integer({ min: 1, max: 3650 }),
  }),
  linkSessionsPerWindow: shared(
    count(
      'LINK_SESSIONS_PER_WINDOW',
      600,
      'Upload sessions that clients may open on one link in 15 minutes; one address at most a quarter of them. What has landed does not count.',
    ),
  ),
  sourceSessionsPerWindow: shared(
    count(
      'SOURCE_SESSIONS_PER_WINDOW',
      6000,
      'Upload sessions that one address may open in 15 minutes, over all links. What has landed does not count.',
    ),
  ),
  passphraseTriesPerWindow: shared(
    count(
      'PASSPHRASE_TRIES_PER_WINDOW',
      10,
      'Wrong passphrases that one address may try on a link or share in 15 minutes.',
    ),
  ),
  loginTriesPerWindow: shared(
    count(
      'LOGIN_TRIES_PER_WINDOW',
      10,
      'Wrong keys or codes that one address may try on an account in 15 minutes. Fixed limits apply to all addresses together.',
    ),
  ),
  rowsPerDay: shared(
    count(
      'ROWS_PER_DAY',
      20_000,
      'Devices, albums, links, shares, tokens and changes that an account may add in a day, deleted ones included; one session at most a quarter of them.',
    ),
  ),
  unlandedUploadsPerHour: shared(
    count(
      'UNLANDED_UPLOADS_PER_HOUR',
      2000,
      'Upload sessions that an account may open in an hour for itself with one sign-in; with all of them a third more. What has landed does not count.',
    ),
  ),
  manifestDriftDays: shared(
    days('MANIFEST_DRIFT_DAYS', 30, 'Days by which the timestamp of a manifest may differ from the server’s clock.'),
  ),
  retentionDaysMax: shared(
    days(
      'RETENTION_MAX_DAYS',
      400,
      'Days from now beyond which the retention_until of a manifest is refused; 0 refuses every one. Until then neither the file nor its account can be deleted.',
    ),
  ),
  deepBytesPerHour: shared(
    bytes(
      'DEEP_BYTES_PER_HOUR',
      64 * 1024 * MEBIBYTE,
      'Bytes that deep storage verification reads for one session in an hour; for all sessions of an account together, a third more.',
    ),
  ),
  ...MESSAGE_SETTINGS,
  federationUrl: optional('FEDERATION_URL', {
    shown: 'none',
    meaning: 'Address at which federated peers reach the server.',
    parse: httpUrl,
  }),
  siteName: optional('SITE_NAME', {
    shown: 'none',
    meaning: 'Who runs the server, as visitors of the pages read it: one line of at most 200 characters.',
    parse: line,
  }),
  siteImprintUrl: optional('SITE_IMPRINT_URL', {
    shown: 'none',
    meaning: 'Page that says who runs the server, an https address. Visitors of the pages see a link with its host.',
    parse: httpsPage,
  }),
  sitePrivacyUrl: optional('SITE_PRIVACY_URL', {
    shown: 'none',
    meaning: 'Page that says what you do with personal data, an https address, shown in the same way.',
    parse: httpsPage,
  }),
  sweepSeconds: setting('SWEEP_SECONDS', {
    fallback: 60,
    meaning: 'Pause between two sweeps, which end what has expired.',
    parse: integer({ min: 1, max: DAY_SECONDS }),
  }),
  drainSeconds: setting('DRAIN_SECONDS', {
    fallback: 0,
    meaning:
      'Seconds for which a server that ends still takes requests, while /readyz answers 503: so long a load balancer may need to turn away.',
    parse: integer({ min: 0, max: 300 }),
  }),
  logAddresses: setting('LOG_ADDRESSES', {
    fallback: 'refused',
    meaning:
      'The answers whose line in the log has the client’s address, where it is known: none, refused (status 400 and above), or all.',
    parse: oneOf(['none', 'refused', 'all']),
  }),
  metricsPort: optional('METRICS_PORT', {
    shown: 'none, and no metrics',
    meaning: 'Port for GET /metrics, in the text format of Prometheus, and for the page /status.',
    parse: integer({ min: 1, max: 65_535 }),
  }),
  metricsHost: setting('METRICS_HOST', {
    fallback: '127.0.0.1',
    meaning: 'Address to listen on for metrics. METRICS_TOKEN is required unless it is a loopback address.',
    parse: host,
  }),
  metricsToken: optional('METRICS_TOKEN', {
    isSecret: true,
    shown: 'none',
    meaning: 'Bearer token that a request for metrics or status must have: at least 20 characters.',
    parse: token,
  }),
  logLevel: setting('LOG_LEVEL', {
    fallback: 'info',
    meaning: `Lowest level that is logged: ${LOG_LEVELS.join(', ')}.`,
    parse: oneOf(LOG_LEVELS),
  }),
} as const

/** The checked values, under the names of the table's rows. */
export type Values = {
  readonly [Property in keyof typeof SETTINGS]: (typeof SETTINGS)[Property] extends Setting<infer Value> ? Value : never
}

/** An installed package has the pages beside its code; in a clone they are the built files of another package. */
function builtPages(): string {
  const beside = join(import.meta.dirname, 'pages')
  return existsSync(beside)
    ? beside
    : join(dirname(fileURLToPath(import.meta.resolve('@blindkeep/web/package.json'))), 'dist')
}
