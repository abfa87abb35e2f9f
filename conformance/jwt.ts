/** Verifies the server's tokens with its published signing key and Node's own Ed25519. */
import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'

/** SubjectPublicKeyInfo of Ed25519 before its 32 bytes (RFC 8410). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** Header and claims of a token that verifies with the `signing_key` of server-info. */
export function verifyJwt(token: string, signingKey: string) {
  const raw = Buffer.from(signingKey, 'base64')
  assert.equal(raw.length, 32)
  const key = createPublicKey({ key: Buffer.concat([ED25519_SPKI, raw]), format: 'der', type: 'spki' })
  const [header = '', claims = '', signature = ''] = token.split('.')
  assert.ok(verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url')))
  return { header: partOf(token, 0), claims: partOf(token, 1) }
}

/** One part of a token, not verified: 0 is the header, 1 the claims. */
export function partOf(token: string, index: 0 | 1) {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())
}
