/** Message encryption for Web Push (RFC 8291): one record of aes128gcm (RFC 8188). */
import { createCipheriv, createECDH, ECDH, hkdfSync, randomBytes } from 'node:crypto'

const CURVE = 'prime256v1'
/** The first byte of a point (SEC 1, section 2.3.3). */
const UNCOMPRESSED = 4
const SALT_BYTES = 16
const KEY_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Ends the content of the last record; zeros follow as padding (RFC 8188, section 2). */
const LAST_RECORD = 2
/** What the header names; the one record is shorter. Push services take at least 4096 bytes (RFC 8030, section 7.2). */
const RECORD_BYTES = 4096

export interface PushKeys {
  /** Of the browser: an uncompressed point, and 16 secret bytes. */
  readonly p256dh: Uint8Array
  readonly auth: Uint8Array
  /** Content and padding together. 0: no padding. */
  readonly paddedBytes: number
  readonly choice?: PushChoice
}

/** Random, except where a test repeats an example. */
interface PushChoice {
  readonly salt: Uint8Array
  readonly privateKey: Uint8Array
}

/** Throws if `p256dh` is not a point of the curve. */
export function encryptPush(content: Uint8Array, { p256dh, auth, paddedBytes, choice }: PushKeys): Uint8Array {
  const pair = createECDH(CURVE)
  if (choice === undefined) pair.generateKeys()
  else pair.setPrivateKey(choice.privateKey)
  const salt = choice?.salt ?? randomBytes(SALT_BYTES)
  const ownKey = pair.getPublicKey()
  // RFC 8291, section 3.4.
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, ownKey])
  const input = derive(auth, pair.computeSecret(p256dh), { info: keyInfo, bytes: 32 })
  const key = derive(salt, input, { info: Buffer.from('Content-Encoding: aes128gcm\0'), bytes: KEY_BYTES })
  const nonce = derive(salt, input, { info: Buffer.from('Content-Encoding: nonce\0'), bytes: NONCE_BYTES })
  const padding = Buffer.alloc(Math.max(0, paddedBytes - content.length))
  const cipher = createCipheriv('aes-128-gcm', key, nonce, { authTagLength: TAG_BYTES })
  const sealed = [cipher.update(Buffer.concat([content, Uint8Array.of(LAST_RECORD), padding])), cipher.final()]
  const header = Buffer.alloc(5)
  header.writeUInt32BE(RECORD_BYTES)
  header.writeUInt8(ownKey.length, 4)
  return new Uint8Array(Buffer.concat([salt, header, ownKey, ...sealed, cipher.getAuthTag()]))
}

/** Whether it is an uncompressed point of P-256. */
export function isPushKey(p256dh: Uint8Array): boolean {
  if (p256dh[0] !== UNCOMPRESSED) return false
  try {
    ECDH.convertKey(p256dh, CURVE)
    return true
  } catch {
    return false
  }
}

/** HKDF with SHA-256 (RFC 5869). */
function derive(
  salt: Uint8Array,
  input: Uint8Array,
  { info, bytes }: { readonly info: Uint8Array; readonly bytes: number },
): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', input, salt, info, bytes))
}
