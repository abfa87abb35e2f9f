import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const OVERHEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/**
 * Version 1 ‖ nonce 12 ‖ ciphertext ‖ tag 16: AES-256-GCM (NIST SP 800-38D) with a random nonce, the version and the
 * name as additional data. One key seals a few secrets per account, far below the 2^32 that a random nonce of 96 bits
 * allows (section 8.3 there).
 */
export function seal(key: Uint8Array, name: string, secret: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additionalData(name))
  const ciphertext = [cipher.update(secret), cipher.final()]
  return new Uint8Array(Buffer.concat([Uint8Array.of(VERSION), nonce, ...ciphertext, cipher.getAuthTag()]))
}

/** Undefined for anything that `seal` did not create under this key and name. */
export function open(key: Uint8Array, name: string, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.length < OVERHEAD_BYTES || sealed[0] !== VERSION) return undefined
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
  const tag = sealed.subarray(-TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(additionalData(name)).setAuthTag(tag)
  const secret = decipher.update(sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES))
  try {
    return new Uint8Array(Buffer.concat([secret, decipher.final()]))
  } catch {
    // The authentication tag is another one: the only failure that `final` has.
    return undefined
  }
}

function additionalData(name: string): Buffer {
  return Buffer.concat([Uint8Array.of(VERSION), Buffer.from(name, 'utf8')])
}
