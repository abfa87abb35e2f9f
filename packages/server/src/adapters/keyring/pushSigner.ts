import { createECDH, createPrivateKey, hkdfSync, sign } from 'node:crypto'
import type { PushSigner } from '../../ports/keyring.ts'

const CURVE = 'prime256v1'
/** The order of P-256 (SP 800-186, section 3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
/** 128 bits more than the order has: the remainder is then as good as uniform (FIPS 186-5, A.2.1). */
const SEED_BYTES = 48
const SCALAR_BYTES = 32
const HEADER = encoded({ typ: 'JWT', alg: 'ES256' })

/**
 * Derived, so that no row has it: all nodes and a restored server have the same, and browsers stay subscribed. It is of
 * use only together with the endpoints and keys of subscriptions, which are sealed under the same secret.
 */
export function createPushSigner(masterSecret: Uint8Array): PushSigner {
  const seed = Buffer.from(hkdfSync('sha512', masterSecret, new Uint8Array(), 'service/server/push/1', SEED_BYTES))
  const scalar = (BigInt(`0x${seed.toString('hex')}`) % (ORDER - 1n)) + 1n
  const secret = Buffer.from(scalar.toString(16).padStart(2 * SCALAR_BYTES, '0'), 'hex')
  const pair = createECDH(CURVE)
  pair.setPrivateKey(secret)
  const point = pair.getPublicKey()
  const part = (from: number, to?: number) => point.subarray(from, to).toString('base64url')
  const key = createPrivateKey({
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: secret.toString('base64url'),
      x: part(1, 1 + SCALAR_BYTES),
      y: part(1 + SCALAR_BYTES),
    },
    format: 'jwk',
  })
  return {
    publicKey: new Uint8Array(point),
    sign(claims) {
      const signed = `${HEADER}.${encoded(claims)}`
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
      return `${signed}.${signature.toString('base64url')}`
    },
  }
}

function encoded(value: Readonly<Record<string, string | number>>): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
