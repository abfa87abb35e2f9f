/** The second factor of a sign-in, beside the password. It protects the account; sealed content is equally safe without it. */

import type { Environment } from '../environment.ts'
import type { Call } from '../http/call.ts'
import { presentSecret } from './masterOf.ts'
import { withPassword } from './passwordWrong.ts'

/**
 * Enrolling and disabling need the password, which a stolen session does not have: each takes about a second (Argon2id) and throws `PasswordWrong`.
 * Confirming and disabling throw `error.auth.totp_invalid_code` for a wrong code. All throw what a call throws.
 */
export interface OwnerSecondFactor {
  /** Whether a sign-in needs a code. */
  hasSecondFactor(): Promise<boolean>
  /**
   * Returns the provisioning URI for an authenticator, often shown as a QR code: SECRET, and replaced by the next call. A sign-in needs no code
   * before `confirmSecondFactor`.
   */
  enrollSecondFactor(present: { readonly password: string }): Promise<string>
  /**
   * Turns the second factor on with a code of the authenticator. Returns ten backup codes, once: an owner who loses them and the authenticator needs
   * the operator.
   * After a `NetworkError` it may be on, with backup codes that no client has seen and that cannot be fetched again. If `hasSecondFactor` says so,
   * disable it with another code of the authenticator and enroll again.
   */
  confirmSecondFactor(code: string): Promise<readonly string[]>
  /** Turns it off, with a code of the authenticator or a backup code. */
  disableSecondFactor(present: { readonly password: string; readonly code: string }): Promise<void>
}

interface SecondFactorPorts {
  readonly call: Call
  readonly environment: Environment
}

export function createOwnerSecondFactor(ports: SecondFactorPorts): OwnerSecondFactor {
  const { call } = ports
  return {
    async hasSecondFactor() {
      return (await call('account')).body.totp_enabled
    },

    async enrollSecondFactor({ password }) {
      const current_password = await presentSecret(ports, password)
      const { body } = await withPassword(() => call('enrollTotp', { body: { current_password } }))
      return body.provisioning_uri
    },

    async confirmSecondFactor(code) {
      return (await call('confirmTotp', { body: { code } })).body.backup_codes
    },

    async disableSecondFactor({ password, code }) {
      const current_password = await presentSecret(ports, password)
      await withPassword(() => call('disableTotp', { body: { current_password, code } }))
    },
  }
}
