/**
 * Identifiers and instants. They are parsed once at the edge and branded, so that an unchecked string does not
 * compile where an id is required. Every parser returns `undefined` unless the whole text has exactly the canonical,
 * lowercase form.
 */
declare const brand: unique symbol
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name }

export type AccountId = Branded<string, 'AccountId'>
export type AssetId = Branded<string, 'AssetId'>
export type AlbumId = Branded<string, 'AlbumId'>
export type DeviceId = Branded<string, 'DeviceId'>
export type DropId = Branded<string, 'DropId'>
export type BinId = DropId | AssetId
export type UploadId = Branded<string, 'UploadId'>
export type SessionId = Branded<string, 'SessionId'>
/** Names one capability token (RFC 7519, section 4.1.7). */
export type Jti = Branded<string, 'Jti'>
/** Where an owner hears of landed drops. */
export type ChannelId = Branded<string, 'ChannelId'>
/** Names one passkey of an account. WebAuthn calls it the user handle. */
export type PasskeyId = Branded<string, 'PasskeyId'>
/** 128 bits as 32 lowercase hex characters. A credential: it never enters a log, a metric or an error. */
export type OpaqueId = Branded<string, 'OpaqueId'>
/** SHA-256 as 64 lowercase hex characters. */
export type Sha256Hex = Branded<string, 'Sha256Hex'>
/** Fingerprint of a public key: SHA-256 of its published bytes as 64 lowercase hex characters. */
export type KeyId = Branded<string, 'KeyId'>
/** YYYY-MM-DD. */
export type ProtocolVersion = Branded<string, 'ProtocolVersion'>
/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = Branded<number, 'Instant'>

export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
export const OPAQUE_ID_PATTERN = '^[0-9a-f]{32}$'
export const SHA256_PATTERN = '^[0-9a-f]{64}$'

const uuid = new RegExp(UUID_PATTERN)
const opaqueId = new RegExp(OPAQUE_ID_PATTERN)
const sha256 = new RegExp(SHA256_PATTERN)

function parser<Id extends string>(form: RegExp): (text: string) => Id | undefined {
  return (text) => (form.test(text) ? (text as Id) : undefined)
}

export const parseAccountId = parser<AccountId>(uuid)
export const parseAssetId = parser<AssetId>(uuid)
export const parseAlbumId = parser<AlbumId>(uuid)
export const parseDeviceId = parser<DeviceId>(uuid)
/** What is in the bin has the id that it had. */
export const parseBinId = parser<BinId>(uuid)
export const parseDropId = parser<DropId>(uuid)
export const parseUploadId = parser<UploadId>(uuid)
export const parseSessionId = parser<SessionId>(uuid)
export const parseJti = parser<Jti>(uuid)
export const parseChannelId = parser<ChannelId>(uuid)
export const parsePasskeyId = parser<PasskeyId>(uuid)
export const parseOpaqueId = parser<OpaqueId>(opaqueId)
export const parseSha256Hex = parser<Sha256Hex>(sha256)
export const parseKeyId = parser<KeyId>(sha256)

const date = /^(\d{4})-(\d{2})-(\d{2})$/

/** A calendar date that exists, `YYYY-MM-DD`. */
export function parseProtocolVersion(text: string): ProtocolVersion | undefined {
  return date.test(text) && isCalendarDate(text) ? (text as ProtocolVersion) : undefined
}

function isCalendarDate(text: string): boolean {
  const milliseconds = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(text)
}

const instant = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|([+-])(\d{2}):(\d{2}))$/

/** Instants outside the years 0000 to 9999 have no RFC 3339 form in UTC, but a text with an offset may name one. */
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z') as Instant

/** Reads any RFC 3339 date-time, a leap second as the second before it. Cuts off what is finer than milliseconds. */
export function parseInstant(text: string): Instant | undefined {
  const parts = instant.exec(text)
  if (parts === null) return undefined
  const [
    ,
    day = '',
    hour = '',
    minute = '',
    second = '',
    fraction = '',
    ,
    sign,
    offsetHour = '00',
    offsetMinute = '00',
  ] = parts
  const inRange =
    isCalendarDate(day) &&
    hour <= '23' &&
    minute <= '59' &&
    second <= '60' &&
    offsetHour <= '23' &&
    offsetMinute <= '59'
  if (!inRange) return undefined
  const wholeSecond = second === '60' ? '59' : second
  const milliseconds = fraction.slice(1, 4).padEnd(3, '0')
  const local = Date.parse(`${day}T${hour}:${minute}:${wholeSecond}.${milliseconds}Z`)
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000
  const at = sign === '-' ? local + offsetMs : local - (sign === '+' ? offsetMs : 0)
  return FIRST_INSTANT <= at && at <= LAST_INSTANT ? (at as Instant) : undefined
}

/** Of a text that a schema has checked, milliseconds since the epoch. NaN for what is no RFC 3339 date-time. */
export function millisecondsOf(text: string): number {
  return parseInstant(text) ?? Number.NaN
}

/** The instant of so many milliseconds since the epoch, if RFC 3339 has a form for it. */
export function instantIn(milliseconds: number): Instant | undefined {
  const whole = Math.floor(milliseconds)
  return FIRST_INSTANT <= whole && whole <= LAST_INSTANT ? (whole as Instant) : undefined
}

/** UTC with milliseconds, the form of all answers. */
export function formatInstant(at: Instant): string {
  return new Date(at).toISOString()
}

/** Only for clocks and stored numbers: milliseconds since the epoch. */
export function instantOf(milliseconds: number): Instant {
  return milliseconds as Instant
}

export function addSeconds(at: Instant, seconds: number): Instant {
  return (at + seconds * 1000) as Instant
}
