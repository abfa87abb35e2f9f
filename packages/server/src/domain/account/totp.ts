import { timingSafeEqual } from 'node:crypto'
import type { Instant } from '@blindkeep/protocol/ids'
import { HOTP, Secret, TOTP } from 'otpauth'

/** Codes of an authenticator: RFC 6238 with what every one of them can do, which is SHA-1, 6 digits and steps of 30 s. */
export const TOTP_SECRET_BYTES = 20
const STEP_MS = 30_000
const DIGITS = 6
/** Steps before and after the present one, for clocks that differ and for what is typed slowly (RFC 6238, section 5.2). */
const STEPS_ASIDE = [-1, 0, 1]

/** The steps around `now` whose code this is, soonest first. There is more than one about once in a million. Takes as long for a wrong code as for a right one. */
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

/** What authenticators read. The issuer is the host without its port, as the form knows no colon in it. */
export function provisioningUri({ secret, publicUrl, email }: Provisioning): string {
  const issuer = new URL(publicUrl).hostname
  const settings = { algorithm: 'SHA1', digits: DIGITS, period: STEP_MS / 1000 }
  return new TOTP({ issuer, label: email, secret: secretOf(secret), ...settings }).toString()
}

function secretOf(secret: Uint8Array): Secret {
  // The library takes a whole buffer, which may hold more than the secret.
  return new Secret({ buffer: new Uint8Array(secret).buffer })
}
