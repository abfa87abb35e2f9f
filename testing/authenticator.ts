/** An authenticator from RFC 4226 and RFC 6238 with HMAC alone: it shares no mistake with the server. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'

const STEP_MS = 30_000
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export interface Authenticator {
  readonly issuer: string | null
  /** The name of its entry: issuer and account. */
  readonly label: string
  readonly secret: Buffer
  codeOf(step: number): string
  codeAt(ms: number): string
  /** A new code, of this step or the next. A server accepts each code once, so a third one in a step throws. */
  next(): string
}

export const stepAt = (ms: number) => Math.floor(ms / STEP_MS)

/** Reads the provisioning URI of a server. Asserts the only parameters that all authenticators support. */
export function createAuthenticator(provisioningUri: string): Authenticator {
  const uri = new URL(provisioningUri)
  assert.equal(`${uri.protocol}//${uri.host}`, 'otpauth://totp')
  const given = Object.fromEntries(['algorithm', 'digits', 'period'].map((name) => [name, uri.searchParams.get(name)]))
  assert.deepEqual(given, { algorithm: 'SHA1', digits: '6', period: '30' })
  const secret = base32(uri.searchParams.get('secret') ?? '')
  const codeOf = (step: number) => hotp(secret, step)
  let last = 0
  return {
    issuer: uri.searchParams.get('issuer'),
    label: decodeURIComponent(uri.pathname.slice(1)),
    secret,
    codeOf,
    codeAt: (ms) => codeOf(stepAt(ms)),
    next() {
      const present = stepAt(Date.now())
      last = Math.max(last + 1, present)
      assert.ok(last <= present + 1, 'no unused code is valid at this time')
      return codeOf(last)
    },
  }
}

/** RFC 4226, section 5.3. */
function hotp(secret: Buffer, counter: number): string {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const mac = createHmac('sha1', secret).update(message).digest()
  const offset = mac.readUInt8(19) & 15
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

/** RFC 4648, section 6, without padding. */
function base32(text: string): Buffer {
  const bits = [...text].map((character) => {
    const value = ALPHABET.indexOf(character)
    assert.ok(value >= 0, 'base32')
    return value.toString(2).padStart(5, '0')
  })
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
