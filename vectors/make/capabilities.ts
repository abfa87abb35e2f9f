import { toBase64, toHex, utf8 } from '@blindkeep/protocol/bytes'
import { type CapabilityClaims, type CapabilityFault, capabilityClaims } from '@blindkeep/protocol/capability'
import { type Instant, parseAlbumId, parseInstant, parseJti } from '@blindkeep/protocol/ids'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base64urlnopad } from '@scure/base'
import { known, rising } from './inputs.ts'

const SEED = rising(0x80, 32)
const STRANGERS_SEED = rising(0x90, 32)

const at = (text: string): Instant => known(parseInstant(text))
const jti = known(parseJti('0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e21'))
const otherJti = '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e22'
const albumId = known(parseAlbumId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e01'))
const issuedAt = at('2026-03-01T10:00:00.750Z')
const expiresAt = at('2026-03-02T10:00:00.999Z')

/** What a verifier of a token knows besides the token. */
const given = {
  issuer: 'https://keep.example',
  peer: 'https://peer.example',
  album_id: albumId,
  now: '2026-03-01T12:00:00.000Z',
  revocations: revocations('2026-03-01T11:50:00.000Z'),
}

function revocations(generatedAt: string, revoked: readonly string[] = [otherJti]) {
  return {
    generated_at: generatedAt,
    max_staleness_seconds: 900,
    revoked: revoked.map((each) => ({ jti: each, expires_at: '2026-03-02T09:00:00.000Z' })),
  }
}

const good = capabilityClaims({ ...given, albumId, jti, issuedAt, expiresAt })
const HEADER = '{"alg":"EdDSA","typ":"capability+jwt"}'

/** JSON as the server writes it: claims sorted by name, no spaces. */
function textOf(claims: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(claims).toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

/** A token with a valid signature, whatever its parts contain. */
function tokenOf(payload: string, header: string = HEADER, seed: Uint8Array = SEED): string {
  const signed = `${base64urlnopad.encode(utf8(header))}.${base64urlnopad.encode(utf8(payload))}`
  return `${signed}.${base64urlnopad.encode(ed25519.sign(utf8(signed), seed))}`
}

const token = tokenOf(textOf(good))
const [head = '', body = '', signature = ''] = token.split('.')

type Given = Partial<typeof given>
interface Refusal {
  readonly name: string
  readonly reason: CapabilityFault
  readonly token: string
  /** The members that differ from the `given` of the file. */
  readonly given?: Given
}

const changed = (
  name: string,
  reason: CapabilityFault,
  changes: Partial<Record<keyof CapabilityClaims | 'album', unknown>>,
): Refusal => ({ name, reason, token: tokenOf(textOf({ ...good, ...changes })) })
const shown = (name: string, reason: CapabilityFault, differing: Given): Refusal => ({
  name,
  reason,
  token,
  given: differing,
})
const headed = (name: string, header: string): Refusal => ({
  name,
  reason: 'header',
  token: tokenOf(textOf(good), header),
})
const worded = (name: string, payload: string): Refusal => ({ name, reason: 'claims', token: tokenOf(payload) })

const formRefusals: readonly Refusal[] = [
  { name: 'nothing', reason: 'not_compact', token: '' },
  { name: 'no signature', reason: 'not_compact', token: `${head}.${body}.` },
  { name: 'two parts', reason: 'not_compact', token: `${head}.${body}` },
  { name: 'a fourth part', reason: 'not_compact', token: `${token}.${signature}` },
  { name: 'padding', reason: 'not_compact', token: `${token}==` },
  { name: 'unused bits that are not zero', reason: 'not_compact', token: respelled(token) },
  { name: 'a space behind it', reason: 'not_compact', token: `${token} ` },
  { name: 'longer than any token', reason: 'too_long', token: tokenOf(textOf({ ...good, jti: 'x'.repeat(2048) })) },
  headed('alg none', '{"alg":"none","typ":"capability+jwt"}'),
  headed('HMAC', '{"alg":"HS256","typ":"capability+jwt"}'),
  headed('the typ of an access token', '{"alg":"EdDSA","typ":"at+jwt"}'),
  headed('no typ', '{"alg":"EdDSA"}'),
  headed('a member more', '{"alg":"EdDSA","typ":"capability+jwt","kid":"1"}'),
  headed('a space', '{"alg":"EdDSA", "typ":"capability+jwt"}'),
  worded('claims: no JSON', 'x'),
  worded('claims: a list', '[]'),
  worded('claims: one given twice', textOf(good).replace('{', `{"aud":"urn:service:album:${otherJti}",`)),
  worded('claims: a letter that is not ASCII', textOf({ ...good, jti: 'é' })),
  changed('claims: one more', 'claims', { album: albumId }),
  changed('claims: no jti', 'claims', { jti: undefined }),
  changed('claims: an empty jti', 'claims', { jti: '' }),
  changed('claims: a list of audiences', 'claims', { aud: [good.aud] }),
  changed('claims: exp as text', 'claims', { exp: String(good.exp) }),
  changed('claims: exp with a fraction', 'claims', { exp: good.exp + 0.5 }),
  changed('claims: iat before 1970', 'claims', { iat: -1 }),
]

/** All have a valid signature, except the first two. */
const judgedRefusals: readonly Refusal[] = [
  { name: 'signed by another key', reason: 'signature_invalid', token: tokenOf(textOf(good), HEADER, STRANGERS_SEED) },
  {
    name: 'other claims under the same signature',
    reason: 'signature_invalid',
    token: `${head}.${base64urlnopad.encode(utf8(textOf({ ...good, sub: 'https://other.example' })))}.${signature}`,
  },
  shown('of another server', 'issuer', { issuer: 'https://other.example' }),
  shown('shown by another peer', 'peer', { peer: 'https://other.example' }),
  shown('for another album', 'audience', { album_id: known(parseAlbumId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e31')) }),
  changed('for a thing that is no album', 'audience', { aud: `urn:service:asset:${albumId}` }),
  changed('to write', 'scope', { scope: 'write' }),
  changed('to read and write', 'scope', { scope: 'read write' }),
  changed('longer than 24 hours', 'lifetime', { exp: good.exp + 1 }),
  changed('counting before it was made', 'lifetime', { nbf: good.iat - 1 }),
  changed('ending as it begins', 'lifetime', { exp: good.nbf }),
  shown('61 seconds before it begins', 'not_yet_valid', {
    now: '2026-03-01T09:58:59.000Z',
    revocations: revocations('2026-03-01T09:58:00.000Z'),
  }),
  shown('at its end', 'expired', {
    now: '2026-03-02T10:00:00.000Z',
    revocations: revocations('2026-03-02T09:59:00.000Z'),
  }),
  shown('before its end by the peer’s clock, at its end by the server’s', 'expired', {
    now: '2026-03-02T09:59:30.000Z',
    revocations: revocations('2026-03-02T10:00:00.000Z', []),
  }),
  shown('a list too old', 'revocations_stale', { revocations: revocations('2026-03-01T11:44:59.999Z') }),
  shown('a list from the future', 'revocations_stale', { revocations: revocations('2026-03-01T12:01:00.001Z') }),
  shown('a list of no time', 'revocations_stale', { revocations: revocations('') }),
  shown('revoked', 'revoked', { revocations: revocations('2026-03-01T11:50:00.000Z', [otherJti, jti]) }),
]

/** The same 64 bytes in another spelling: the last of 86 characters has four unused bits. */
function respelled(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return text.slice(0, -1) + alphabet.charAt(alphabet.indexOf(text.slice(-1)) + 1)
}

export async function capabilityVectors() {
  const short = { ...good, exp: good.nbf + 1 }
  return {
    ed25519_seed: toHex(SEED),
    signing_key: toBase64(ed25519.getPublicKey(SEED)),
    given,
    valid: [
      { name: 'in the middle of its life', token, claims: good, given: {} },
      {
        name: '60 seconds before it begins, with a list as old as it may be',
        token,
        claims: good,
        given: { now: '2026-03-01T09:59:00.000Z', revocations: revocations('2026-03-01T09:44:00.000Z') },
      },
      {
        name: 'a millisecond before its end, of a life of one second',
        token: tokenOf(textOf(short)),
        claims: short,
        given: { now: '2026-03-01T10:00:00.999Z', revocations: revocations('2026-03-01T10:00:00.999Z', []) },
      },
    ],
    invalid: [...formRefusals, ...judgedRefusals],
  }
}
