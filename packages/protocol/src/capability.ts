/**
 * Federation capability tokens (specification, Authentication, 7): with such a JWT (RFC 7519) an album's owner lets one
 * peer read it for at most a day. The receiver of a token verifies it here, with the signing key and the list of
 * revoked tokens that the server publishes.
 */
import { base64urlnopad } from '@scure/base'
import { type Bytes, utf8 } from './bytes.ts'
import type { HybridVerifiers } from './cose.ts'
import { type AlbumId, addSeconds, type Instant, instantOf, type Jti, parseInstant } from './ids.ts'
import { isObject, parseJson } from './json.ts'
import { ReasonedError } from './reasonedError.ts'
import type { RevokedJtiResponse } from './schemas/discovery.ts'
import { ED25519_SIGNATURE_BYTES } from './suites.ts'
import { SERVICE } from './wire.ts'

/** `typ`: the same key signs access tokens, and readers must refuse one as the other (RFC 8725, section 3.11). */
export const CAPABILITY_TYPE = 'capability+jwt'
/** Longest lifetime of a token. */
export const MAX_CAPABILITY_SECONDS = 86_400
/** The only permission of a token. */
const CAPABILITY_SCOPE = 'read'
/** About 500 are usual. Longer tokens are refused before they are decoded. */
const MAX_CAPABILITY_CHARACTERS = 2048
/**
 * How much the clocks of server and peer may differ about the beginning of a token. Its end has no such tolerance:
 * after it, the server's list of revoked tokens no longer names the token, so a revoked token would be valid again.
 */
const CAPABILITY_SKEW_SECONDS = 60

/** Exactly these claims. A type, because an interface is not assignable to the record that is signed. */
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

/** A token that is not valid. `reason` says why for programs, the message for people. */
export class CapabilityError extends ReasonedError<CapabilityFault> {
  override readonly name = 'CapabilityError'
}

interface CapabilityGrant {
  /** `server_id`. */
  readonly issuer: string
  /** The peer's origin. */
  readonly peer: string
  readonly albumId: AlbumId
  readonly jti: Jti
  readonly issuedAt: Instant
  readonly expiresAt: Instant
}

/** The claims to sign. Cuts off fractions of a second. */
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

function capabilityAudience(albumId: AlbumId): string {
  return `urn:${SERVICE}:album:${albumId}`
}

export interface CapabilityVerification {
  readonly token: string
  /** `server_id` of the server of the album. The caller compares it with the address of that server. */
  readonly issuer: string
  /** `signing_key` of its server-info, 32 bytes. */
  readonly publicKey: Uint8Array
  /** Origin of the peer that presents the token. */
  readonly peer: string
  readonly albumId: AlbumId
  /** The server's list, as fetched. The list itself states how old it may be. */
  readonly revocations: Pick<RevokedJtiResponse, 'generated_at' | 'max_staleness_seconds' | 'revoked'>
  readonly now: Instant
  readonly verify: HybridVerifiers['ed25519']
}

/** Returns the claims of a token that is valid now; throws `CapabilityError` for any other. */
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
  /** The signed bytes (RFC 7515, section 5.2). */
  readonly signed: Bytes
  readonly signature: Uint8Array
}

function decode(token: string): Decoded {
  if (token.length > MAX_CAPABILITY_CHARACTERS)
    throw new CapabilityError('too_long', `a token has at most ${MAX_CAPABILITY_CHARACTERS} characters`)
  const [header = '', payload = '', signature = '', ...more] = token.split('.')
  const bytes = decodePart(signature)
  if (more.length > 0 || bytes.length !== ED25519_SIGNATURE_BYTES)
    throw new CapabilityError('not_compact', 'not three parts with a last part of 64 bytes')
  requireHeader(decodeObject(header, 'header'))
  return { claims: readClaims(decodeObject(payload, 'claims')), signed: utf8(`${header}.${payload}`), signature: bytes }
}

/** Base64url without padding and with unused bits zero, so that a token has one spelling. */
function decodePart(text: string): Uint8Array {
  try {
    return base64urlnopad.decode(text)
  } catch (cause) {
    throw new CapabilityError('not_compact', 'a part is not base64url without padding', { cause })
  }
}

/** JSON in printable ASCII, without spaces, each member once: every JSON reader reads it the same way. */
function decodeObject(part: string, fault: 'header' | 'claims'): Readonly<Record<string, unknown>> {
  const text = String.fromCharCode(...decodePart(part))
  const value = parseJson(text)
  if (!isObject(value) || Array.isArray(value) || !/^[\x20-\x7e]*$/.test(text) || JSON.stringify(value) !== text)
    throw new CapabilityError(fault, 'not a JSON object in its shortest form')
  return { ...value }
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
  if (claims.sub !== peer) throw new CapabilityError('peer', 'it is for another peer')
  if (claims.aud !== capabilityAudience(albumId)) throw new CapabilityError('audience', 'it is for another album')
  if (claims.scope !== CAPABILITY_SCOPE) throw new CapabilityError('scope', `its scope is not ${CAPABILITY_SCOPE}`)
}

function requireTime({ iat, nbf, exp }: CapabilityClaims, { now, revocations }: CapabilityVerification): void {
  const isInOrder = iat <= nbf && nbf < exp && exp - iat <= MAX_CAPABILITY_SECONDS
  if (!isInOrder) throw new CapabilityError('lifetime', 'its lifetime is over 24 hours, or its times are out of order')
  if (addSeconds(now, CAPABILITY_SKEW_SECONDS) < nbf * 1000)
    throw new CapabilityError('not_yet_valid', 'it is not valid yet')
  // The list leaves out tokens that had expired by the server's clock when it was made, so that clock counts too.
  const present = Math.max(now, parseInstant(revocations.generated_at) ?? 0)
  if (exp * 1000 <= present) throw new CapabilityError('expired', 'it has expired')
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
