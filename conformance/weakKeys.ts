/** Keys of Ed25519 that have small order: with them, one signature is right for many messages. */
import { createPublicKey, verify } from 'node:crypto'
import { BEFORE_KEY } from './proving.ts'

const P = 2n ** 255n - 19n
/** The order of the base point. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n
/** y of the points of order 8, which are each other's negatives (RFC 8032, section 5.1). */
const Y8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd83d3d706a17c7n

/** Every spelling of each point of small order: y below and above P, and both signs of x. */
export const WEAK_KEYS: readonly Buffer[] = [0n, 1n, P - 1n, Y8, P - Y8, P, P + 1n].flatMap((y) =>
  [0n, 1n].map((sign) => Buffer.from(((sign << 255n) | y).toString(16).padStart(64, '0'), 'hex').reverse()),
)

/** R is the neutral point and S is 0: right for each message whose hash is a multiple of the key's order. */
const FORGED = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)])

export const forgedSignature = (): string => FORGED.toString('base64')

/** The same number of the group in place of S, which a careful reader refuses. */
export function withLargerS(signature: string): string {
  const bytes = Buffer.from(signature, 'base64')
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + L
  bytes.set(Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(), 32)
  return bytes.toString('base64')
}

/** Whether the forged signature is right for the message: what a server without a check of the key would find. */
export function isForgedFor(key: Buffer, message: Buffer): boolean {
  const read = createPublicKey({ key: Buffer.concat([BEFORE_KEY, key]), format: 'der', type: 'spki' })
  return verify(null, message, read, FORGED)
}
