import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import vectors from '../../../vectors/capabilities.json' with { type: 'json' }
import { concatBytes, fromBase64, fromHex } from './bytes.ts'
import { CapabilityError, type CapabilityVerification, capabilityClaims, verifyCapability } from './capability.ts'
import { parseAlbumId, parseInstant, parseJti } from './ids.ts'
import { known } from './testing/known.ts'

const SPKI = fromHex('302a300506032b6570032100')

function verifying(token: string, differing: Partial<typeof vectors.given> = {}): CapabilityVerification {
  const { issuer, peer, album_id, now, revocations } = { ...vectors.given, ...differing }
  return {
    token,
    issuer,
    publicKey: fromBase64(vectors.signing_key),
    peer,
    albumId: known(parseAlbumId(album_id)),
    revocations: {
      ...revocations,
      revoked: revocations.revoked.map(({ jti, expires_at }) => ({ jti: known(parseJti(jti)), expires_at })),
    },
    now: known(parseInstant(now)),
    verify: (publicKey, message, signature) => {
      const key = createPublicKey({ key: Buffer.from(concatBytes(SPKI, publicKey)), format: 'der', type: 'spki' })
      return verify(null, message, key, signature)
    },
  }
}

describe('the capability tokens of the vectors, by OpenSSL’s verifier', () => {
  it('exist', () => {
    assert.ok(vectors.valid.length >= 3 && vectors.invalid.length > 30)
  })

  for (const { name, token, claims, given } of vectors.valid) {
    it(`are valid: ${name}`, async () => {
      assert.deepEqual(await verifyCapability(verifying(token, given)), claims)
    })
  }

  for (const { name, reason, token, ...vector } of vectors.invalid) {
    it(`are refused for ${reason}: ${name}`, async () => {
      const differing = 'given' in vector ? vector.given : {}
      await assert.rejects(verifyCapability(verifying(token, differing)), { name: 'CapabilityError', reason })
    })
  }
})

describe('a capability token', () => {
  const [{ token } = { token: '' }] = vectors.valid

  it('is refused if any one character differs', async () => {
    for (let index = 0; index < token.length; index++) {
      const other = token[index] === 'A' ? 'B' : 'A'
      const altered = token.slice(0, index) + other + token.slice(index + 1)
      await assert.rejects(verifyCapability(verifying(altered)), CapabilityError, `character ${index}`)
    }
  })

  it('is accepted only after its signature is verified', async () => {
    const verification = verifying(token)
    const slow = { ...verification, verify: async () => false }
    await assert.rejects(verifyCapability(slow), { reason: 'signature_invalid' })
  })

  it('is never valid longer than its grant, because fractions of a second are cut off', () => {
    const { iat, nbf, exp } = capabilityClaims({
      issuer: 'https://keep.example',
      peer: 'https://peer.example',
      albumId: known(parseAlbumId(vectors.given.album_id)),
      jti: known(parseJti('0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e21')),
      issuedAt: known(parseInstant('2026-03-01T10:00:00.999Z')),
      expiresAt: known(parseInstant('2026-03-01T10:00:05.999Z')),
    })
    assert.deepEqual([nbf - iat, exp - iat], [0, 5])
    assert.equal(iat * 1000, Date.parse('2026-03-01T10:00:00Z'))
  })
})
