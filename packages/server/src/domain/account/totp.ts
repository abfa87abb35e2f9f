/** Codes of an authenticator (RFC 6238) with its usual values: SHA-1, 6 digits, steps of 30 s. */
import { timingSafeEqual } from 'node:crypto'
import type { Instant } from '@blindkeep/protocol/ids'
import { HOTP, Secret, TOTP } from 'otpauth'

export const TOTP_SECRET_BYTES = 20
const STEP_MS = 30_000
const DIGITS = 6
/** Also the steps beside, for clocks that differ and people who type slowly (RFC 6238, section 5.2). */
const STEPS_ASIDE = [-1, 0, 1]

/** Steps around `now` with this code, earliest first; rarely two. Takes equally long for right and wrong codes. */
export function stepsOf(secret: Uint8Array, code: string, now: Instant): readonly number[] {
  const present = Math.floor(now / STEP_MS)
  const given = Buffer.from(code, 'utf8')
  return STEPS_ASIDE.map((aside) => present + aside).filter((counter) => {
    const right = HOTP.generate({ secret: secretOf(secret), algorithm: 'SHA1', digits: DIGITS, counter })
    return given.length === DIGITS && timingSafeEqual(given, Buffer.from(right, 'utf8'))
  })
}

interface Provisioning {
  readonly secret: Uint8Array
  readonly publicUrl: string
  readonly email: string
}

/** The URI that authenticators read. Its issuer is the host without the port, as an issuer must not contain a colon. */
export function provisioningUri({ secret, publicUrl, email }: Provisioning): string {
  const issuer = new URL(publicUrl).hostname
  const settings = { algorithm: 'SHA1', digits: DIGITS, period: STEP_MS / 1000 }
  return new TOTP({ issuer, label: email, secret: secretOf(secret), ...settings }).toString()
}

function secretOf(secret: Uint8Array): Secret {
  // The library reads a whole buffer, and `secret` may be a part of one. So this copies it.
  return new Secret({ buffer: new Uint8Array(secret).buffer })
}
