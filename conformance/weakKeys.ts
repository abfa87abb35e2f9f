/** Keys of Ed25519 that have small order: with them, one signature is right for many messages. */
import { createHash } from 'node:crypto'

const P = 2n ** 255n - 19n
/** The order of the base point. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n
/** y of the points of order 8, which are each other's negatives (RFC 8032, section 5.1). */
const Y8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n

/** Every spelling of each point of small order: y below and above P, and both signs of x. */
export const WEAK_KEYS: readonly Buffer[] = [0n, 1n, P - 1n, Y8, P - Y8, P, P + 1n].flatMap((y) =>
  [0n, 1n].map((sign) => bytesOf((sign << 255n) | y)),
)

/** R is the neutral point and S is 0: right for each message whose hash is a multiple of the key's order. */
const FORGED = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)])

export const forgedSignature = (): string => FORGED.toString('base64')

/** The same number of the group in place of S, which a careful reader refuses. */
export function withLargerS(signature: string): string {
  const bytes = Buffer.from(signature, 'base64')
  bytes.set(bytesOf(numberOf(bytes.subarray(32)) + L), 32)
  return bytes.toString('base64')
}

/**
 * Whether the forged signature is right for the message, by RFC 8032 (section 5.1.7) without the factor 8. Some
 * versions of OpenSSL accept it.
 */
export function isForgedFor(key: Buffer, message: Buffer): boolean {
  const hash = createHash('sha512').update(FORGED.subarray(0, 32)).update(key).update(message).digest()
  return (numberOf(hash) % L) % 8n === 0n
}

function numberOf(littleEndian: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(littleEndian).reverse().toString('hex')}`)
}

function bytesOf(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse()
}
