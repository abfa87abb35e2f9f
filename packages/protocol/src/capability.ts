/**
 * Federation capability tokens (specification, Authentication, 7): a JWT (RFC 7519) by which an album's owner lets one peer read it for a day at most.
 * Whoever is shown one judges it here, with what the server publishes: its signing key and its list of revoked tokens.
 */
import { base64urlnopad } from '@scure/base'
import { type Bytes, utf8 } from './bytes.ts'
import type { HybridVerifiers } from './cose.ts'
import { type AlbumId, addSeconds, type Instant, instantOf, type Jti, parseInstant } from './ids.ts'
import type { RevokedJtiResponse } from './schemas/discovery.ts'
import { ED25519_SIGNATURE_BYTES } from './suites.ts'
import { SERVICE } from './wire.ts'

/** `typ` of the header: keeps an access token of the same key from standing for a capability, and the other way round (RFC 8725, section 3.11). */
export const CAPABILITY_TYPE = 'capability+jwt'
/** Longest life of a token. */
export const MAX_CAPABILITY_SECONDS = 86_400
/** The one thing that a token lets its peer do. */
export const CAPABILITY_SCOPE = 'read'
/** About 500 are usual; what is longer than this is refused unread. */
export const MAX_CAPABILITY_CHARACTERS = 2048
/**
 * By how much the clocks of server and peer may disagree about the beginning of a token. Its end has no such room: past it the server's list of revoked
 * tokens does not name the token any more, and a revoked one would come back to life.
 */
export const CAPABILITY_SKEW_SECONDS = 60

/** Exactly these claims, no others. A type and no interface, so that it is one of the records that are signed. */
export type CapabilityClaims = {
  /** `server_id` of the server that signed. */
  readonly iss: string
  /** The peer's origin. */
  readonly sub: string
  /** `urn:service:album:<album_id>`. */
  readonly aud: string
  readonly scope: string
  readonly jti: string
  /** This and the next two are whole seconds since 1970-01-01T00:00:00Z. */
  readonly iat: number
  readonly nbf: number
  readonly exp: number
}

export type CapabilityFault =
  | 'too_long'
  | 'not_compact'
  | 'header'
  | 'claims'
  | 'signature_invalid'
  | 'issuer'
  | 'peer'
  | 'audience'
  | 'scope'
  | 'lifetime'
  | 'not_yet_valid'
  | 'expired'
  | 'revocations_stale'
  | 'revoked'

/** A token that does not count. `reason` says why, for programs; the message says it for people. */
export class CapabilityError extends Error {
  override readonly name = 'CapabilityError'
  readonly reason: CapabilityFault

  constructor(reason: CapabilityFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

export interface CapabilityGrant {
  /** `server_id`. */
  readonly issuer: string
  /** The peer's origin. */
  readonly peer: string
  readonly albumId: AlbumId
  readonly jti: Jti
  readonly issuedAt: Instant
  readonly expiresAt: Instant
}

/** What the server signs. Fractions of a second are cut off. */
export function capabilityClaims(grant: CapabilityGrant): CapabilityClaims {
  const issuedAt = Math.floor(grant.issuedAt / 1000)
  return {
    iss: grant.issuer,
    sub: grant.peer,
    aud: capabilityAudience(grant.albumId),
    scope: CAPABILITY_SCOPE,
    jti: grant.jti,
    iat: issuedAt,
    nbf: issuedAt,
    exp: Math.floor(grant.expiresAt / 1000),
  }
}

export function capabilityAudience(albumId: AlbumId): string {
  return `urn:${SERVICE}:album:${albumId}`
}

export interface CapabilityVerification {
  readonly token: string
  /** `server_id` of the server whose album it is; compare it with the address that you asked. */
  readonly issuer: string
  /** `signing_key` of its server-info, 32 bytes. */
  readonly publicKey: Uint8Array
  /** Origin of whoever showed the token. */
  readonly peer: string
  readonly albumId: AlbumId
  /** The server's list, as it was fetched; how old it may be it says itself. */
  readonly revocations: Pick<RevokedJtiResponse, 'generated_at' | 'max_staleness_seconds' | 'revoked'>
  readonly now: Instant
  readonly verify: HybridVerifiers['ed25519']
}

/** Gives the claims of a token that counts now; throws `CapabilityError` for any other. */
export async function verifyCapability(verification: CapabilityVerification): Promise<CapabilityClaims> {
  const { claims, signed, signature } = decode(verification.token)
  if (!(await verification.verify(verification.publicKey, signed, signature)))
    throw new CapabilityError('signature_invalid', 'the signing key did not sign this token')
  requireGrant(claims, verification)
  requireTime(claims, verification)
  requireNotRevoked(claims, verification)
  return claims
}

interface Decoded {
  readonly claims: CapabilityClaims
  /** What the signature is over (RFC 7515, section 5.2). */
  readonly signed: Bytes
  readonly signature: Uint8Array
}

function decode(token: string): Decoded {
  if (token.length > MAX_CAPABILITY_CHARACTERS)
    throw new CapabilityError('too_long', `a token has at most ${MAX_CAPABILITY_CHARACTERS} characters`)
  const [header = '', payload = '', signature = '', ...more] = token.split('.')
  const bytes = decodePart(signature)
  if (more.length > 0 || bytes.length !== ED25519_SIGNATURE_BYTES)
    throw new CapabilityError('not_compact', 'not three parts of which the last is 64 bytes')
  requireHeader(decodeObject(header, 'header'))
  return { claims: readClaims(decodeObject(payload, 'claims')), signed: utf8(`${header}.${payload}`), signature: bytes }
}

/** Base64url without padding and with unused bits zero, so that nobody can spell one token in several ways. */
function decodePart(text: string): Uint8Array {
  try {
    return base64urlnopad.decode(text)
  } catch (cause) {
    throw new CapabilityError('not_compact', 'a part is not base64url without padding', { cause })
  }
}

/** JSON in printable ASCII, without spaces and each member once: what reads the same to every reader of JSON. */
function decodeObject(part: string, fault: 'header' | 'claims'): Readonly<Record<string, unknown>> {
  const text = String.fromCharCode(...decodePart(part))
  const value = parseJson(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || !/^[\x20-\x7e]*$/.test(text) || JSON.stringify(value) !== text)
    throw new CapabilityError(fault, 'not a JSON object in its shortest form')
  return { ...value }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function requireHeader(header: Readonly<Record<string, unknown>>): void {
  if (header.alg !== 'EdDSA' || header.typ !== CAPABILITY_TYPE || Object.keys(header).length !== 2)
    throw new CapabilityError('header', `the header is not just EdDSA and ${CAPABILITY_TYPE}`)
}

const TEXT_CLAIMS = ['iss', 'sub', 'aud', 'scope', 'jti'] as const
const TIME_CLAIMS = ['iat', 'nbf', 'exp'] as const

function readClaims(given: Readonly<Record<string, unknown>>): CapabilityClaims {
  if (Object.keys(given).length !== TEXT_CLAIMS.length + TIME_CLAIMS.length)
    throw new CapabilityError('claims', `a token has the claims ${[...TEXT_CLAIMS, ...TIME_CLAIMS].join(', ')}`)
  const text = (name: (typeof TEXT_CLAIMS)[number]): string => {
    const value = given[name]
    if (typeof value !== 'string' || value === '') throw new CapabilityError('claims', `${name} is not a text`)
    return value
  }
  const seconds = (name: (typeof TIME_CLAIMS)[number]): number => {
    const value = given[name]
    if (typeof value !== 'number' || !Number.isSafeInteger(value * 1000) || !Number.isInteger(value) || value < 0)
      throw new CapabilityError('claims', `${name} is not a whole number of seconds`)
    return value
  }
  return {
    iss: text('iss'),
    sub: text('sub'),
    aud: text('aud'),
    scope: text('scope'),
    jti: text('jti'),
    iat: seconds('iat'),
    nbf: seconds('nbf'),
    exp: seconds('exp'),
  }
}

function requireGrant(claims: CapabilityClaims, { issuer, peer, albumId }: CapabilityVerification): void {
  if (claims.iss !== issuer) throw new CapabilityError('issuer', 'another server issued it')
  if (claims.sub !== peer) throw new CapabilityError('peer', 'it is made out to another peer')
  if (claims.aud !== capabilityAudience(albumId)) throw new CapabilityError('audience', 'it is for another album')
  if (claims.scope !== CAPABILITY_SCOPE) throw new CapabilityError('scope', `its scope is not ${CAPABILITY_SCOPE}`)
}

function requireTime({ iat, nbf, exp }: CapabilityClaims, { now, revocations }: CapabilityVerification): void {
  const isInOrder = iat <= nbf && nbf < exp && exp - iat <= MAX_CAPABILITY_SECONDS
  if (!isInOrder) throw new CapabilityError('lifetime', 'it lives longer than 24 hours, or its times are out of order')
  if (addSeconds(now, CAPABILITY_SKEW_SECONDS) < nbf * 1000)
    throw new CapabilityError('not_yet_valid', 'it does not count yet')
  // The list leaves out what had ended by the server's own clock when it was made, so that clock has a say too.
  const present = Math.max(now, parseInstant(revocations.generated_at) ?? 0)
  if (exp * 1000 <= present) throw new CapabilityError('expired', 'it has ended')
}

function requireNotRevoked({ jti }: CapabilityClaims, { now, revocations }: CapabilityVerification): void {
  const generatedAt = parseInstant(revocations.generated_at)
  const isFresh =
    generatedAt !== undefined &&
    generatedAt <= addSeconds(now, CAPABILITY_SKEW_SECONDS) &&
    now <= instantOf(generatedAt + revocations.max_staleness_seconds * 1000)
  if (!isFresh)
    throw new CapabilityError('revocations_stale', 'the list of revoked tokens is too old, or from the future')
  if (revocations.revoked.some((entry) => entry.jti === jti)) throw new CapabilityError('revoked', 'it was revoked')
}
