import { isIP } from 'node:net'
import { parseSize, SIZE_FORMS } from '@blindkeep/protocol/byteSizes'
import { normaliseEmail } from '@blindkeep/protocol/email'
import { type ProtocolVersion, parseProtocolVersion } from '@blindkeep/protocol/ids'
import { CHANNEL_KINDS, type ChannelKind } from '@blindkeep/protocol/schemas/channels'
import { MAX_SITE_CHARACTERS } from '@blindkeep/protocol/schemas/discovery'
import { shown } from '@blindkeep/protocol/terminalText'
import { parseS3Address, type S3Address } from '../adapters/s3/address.ts'
import { type Address, networksOf } from '../http/names/addresses.ts'

/** The value of a variable, or what is wrong with it: a sentence without its subject, the variable's name. */
type Parsed<Value> = { readonly value: Value } | { readonly fault: string }
export type Parser<Value> = (text: string) => Parsed<Value>

/** The address at which clients reach a server. */
export interface PublicAddress {
  /** The origin, which names the server in every receipt (specification, ServerInfoResponse). */
  readonly serverId: string
  /** The origin and the path before every other path, without a slash at its end. */
  readonly baseUrl: string
}

const digits = /^\d{1,16}$/

/** A whole number from `min` to `max`, in decimal digits only. */
export function integer({
  min,
  max = Number.MAX_SAFE_INTEGER,
}: {
  readonly min: number
  readonly max?: number
}): Parser<number> {
  return (text) => {
    const value = Number(text)
    const isInRange = digits.test(text) && Number.isSafeInteger(value) && value >= min && value <= max
    return isInRange ? { value } : { fault: `must be a whole number from ${min} to ${max}` }
  }
}

/** A number of bytes, alone or with a unit, as everywhere. */
export function size({ min }: { readonly min: number }): Parser<number> {
  return (text) => {
    const value = parseSize(text)
    return value !== undefined && value >= min ? { value } : { fault: `must be at least ${min} ${SIZE_FORMS}` }
  }
}

export function oneOf<Name extends string>(names: readonly Name[]): Parser<Name> {
  return (text) => {
    const value = names.find((name) => name === text)
    return value === undefined ? { fault: `must be one of ${names.join(', ')}` } : { value }
  }
}

const hostForm = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})$/

/** An IP address without brackets, or a name. */
export const host: Parser<string> = (value) =>
  isIP(value) !== 0 || hostForm.test(value) ? { value } : { fault: 'must be an IP address or a host name' }

export const text: Parser<string> = (value) => ({ value })

/** One line of text for people, without spaces around it. */
export const line: Parser<string> = (given) => {
  const value = given.trim()
  const isLine = value !== '' && value.length <= MAX_SITE_CHARACTERS && value.isWellFormed() && value === shown(value)
  return isLine
    ? { value }
    : { fault: `must be one line of 1 to ${MAX_SITE_CHARACTERS} characters, none of which turns the direction of text` }
}

/** A page for people. The fault never repeats the text: it may contain a password. */
export const httpsPage: Parser<string> = (given) => {
  const url = URL.parse(given)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    return { fault: 'must be an https URL without a user or a password' }
  return url.href.length <= MAX_SITE_CHARACTERS
    ? { value: url.href }
    : { fault: `must have at most ${MAX_SITE_CHARACTERS} characters` }
}

/** A bearer token (RFC 6750, section 2.1), too long to be guessed. The fault never repeats it. */
export const token: Parser<string> = (value) =>
  /^[A-Za-z0-9._~+/-]{20,512}=*$/.test(value)
    ? { value }
    : { fault: 'must have at least 20 characters, all of them letters, digits or -._~+/' }

export const protocolVersion: Parser<ProtocolVersion> = (given) => {
  const value = parseProtocolVersion(given)
  return value === undefined ? { fault: 'must be an existing date, YYYY-MM-DD' } : { value }
}

/** The fault never repeats the text: it may contain a password. */
export const publicAddress: Parser<PublicAddress> = (given) => {
  const url = URL.parse(given)
  if (url === null || !(url.protocol === 'http:' || url.protocol === 'https:'))
    return { fault: 'must be an http or https URL' }
  const isPlain =
    url.search === '' && url.hash === '' && url.username === '' && url.password === '' && !/[?#]/.test(given)
  if (!isPlain) return { fault: 'must be a URL without a query, a fragment, a user or a password' }
  return { value: { serverId: url.origin, baseUrl: url.origin + url.pathname.replace(/\/+$/, '') } }
}

export const httpUrl: Parser<string> = (given) => {
  const parsed = publicAddress(given)
  return 'fault' in parsed ? parsed : { value: parsed.value.baseUrl }
}

/** Addresses and networks in CIDR notation, separated by commas. */
export const networks: Parser<readonly string[]> = (given) => {
  const value = given.split(',').map((part) => part.trim())
  const wrong = value.find((part) => !isNetwork(part))
  return wrong === undefined ? { value } : { fault: `must list IP addresses and CIDR networks; "${wrong}" is neither` }
}

/** The first and the last address that a machine on the internet can have, of each kind. */
const ENDS: readonly (readonly Address[])[] = [
  [
    { text: '1.0.0.0', family: 'ipv4' },
    { text: '223.255.255.255', family: 'ipv4' },
  ],
  [
    { text: '2000::', family: 'ipv6' },
    { text: '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', family: 'ipv6' },
  ],
]

/** Networks of proxies. If every address of the internet is one, each client chooses its own address with a header. */
export const proxies: Parser<readonly string[]> = (given) => {
  const parsed = networks(given)
  if ('fault' in parsed) return parsed
  const trusted = networksOf(parsed.value)
  return ENDS.some((ends) => ends.every(trusted.has))
    ? {
        fault:
          'must not have all addresses: each client could then choose the address by which it is limited. Name only those from which your proxy connects, such as 127.0.0.1 or 10.0.0.0/24',
      }
    : parsed
}

function isNetwork(given: string): boolean {
  const [address = '', length, ...more] = given.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return length === undefined || (digits.test(length) && Number(length) <= (family === 4 ? 32 : 128))
}

/** Where the rows are. A PostgreSQL URL may hold a password: it is never shown. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }

/** `sqlite:<path>`, or a URL (https://www.postgresql.org/docs/current/libpq-connect.html) with a database. */
export const databaseAddress: Parser<DatabaseAddress> = (given) => {
  const path = pathOf('sqlite', given)
  if (path !== undefined) return { value: { kind: 'sqlite', path } }
  const url = URL.parse(given)
  const isPostgres = url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hash === ''
  if (isPostgres && /^\/[^/]+$/.test(url.pathname)) return { value: { kind: 'postgres', url: given } }
  return { fault: 'must be sqlite:<path> or postgres://<user>@<host>/<database>' }
}

/** Where the bytes are. */
export type BlobsAddress =
  | { readonly kind: 'files'; readonly directory: string }
  | { readonly kind: 's3'; readonly address: S3Address }

/** `file:<directory>`, or a bucket of an S3 store. */
export const blobsAddress: Parser<BlobsAddress> = (given) => {
  const directory = pathOf('file', given)
  if (directory !== undefined) return { value: { kind: 'files', directory } }
  if (!given.startsWith('s3:')) return { fault: 'must be file:<directory> or s3://<bucket>/<prefix>' }
  const parsed = parseS3Address(given)
  return 'fault' in parsed ? parsed : { value: { kind: 's3', address: parsed.value } }
}

/** The path in `<scheme>:<path>`; `<scheme>:///<path>` is an absolute one. */
function pathOf(scheme: string, given: string): string | undefined {
  const prefix = `${scheme}:`
  const path = given.slice(prefix.length).replace(/^\/\/(?=\/)/, '')
  const isPath = given.startsWith(prefix) && path !== '' && !path.startsWith('//') && !/[?#:]/.test(path)
  return isPath ? path : undefined
}

/** Separated by commas, each once. */
export const channelKinds: Parser<readonly ChannelKind[]> = (given) => {
  const names = given.split(',').map((part) => part.trim())
  const value = CHANNEL_KINDS.filter((kind) => names.includes(kind))
  return value.length === names.length ? { value } : { fault: `must list some of ${CHANNEL_KINDS.join(', ')}` }
}

/** Where mail is handed in. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. */
  readonly isTls: boolean
}

/** The fault never repeats the text: it may contain a password. */
export const mailServer: Parser<MailServer> = (given) => {
  const url = URL.parse(given)
  const isMail = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname)
  if (!isMail || url.search !== '' || url.hash !== '')
    return { fault: 'must be smtps://<host> or smtp://<host>, with a port if it is not the usual one' }
  if (url.username !== '' || url.password !== '')
    return { fault: 'must not contain credentials: set SMTP_USER and SMTP_PASSWORD' }
  const isTls = url.protocol === 'smtps:'
  const port = url.port === '' ? (isTls ? 465 : 587) : Number(url.port)
  return { value: { host: url.hostname.replace(/^\[|\]$/g, ''), port, isTls } }
}

export const emailAddress: Parser<string> = (given) => {
  const value = normaliseEmail(given)
  return value === undefined ? { fault: 'must be a plain e-mail address' } : { value }
}

/** As Standard Webhooks have it: base64 of at least 24 bytes. The fault does not repeat it. */
export const webhookSecret: Parser<string> = (given) => {
  const value = given.replace(/^whsec_/, '')
  const bytes = Buffer.from(value, 'base64')
  return bytes.length >= 24 && bytes.toString('base64') === value
    ? { value }
    : { fault: 'must be base64 of at least 24 bytes: `openssl rand -base64 32` makes one' }
}

/** An address that may have secrets, which the fault does not repeat. */
export const webhookUrl: Parser<string> = (given) => {
  const url = URL.parse(given)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hash === ''
    ? { value: url.href }
    : { fault: 'must be an http or https URL without user, password and #' }
}
