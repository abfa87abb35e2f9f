/** The second factor: what a sign-in asks for beside the password. It keeps strangers out of the account; what is sealed is as safe without it. */

import type { Environment } from '../environment.ts'
import type { Call } from '../http/call.ts'
import { presentSecret } from './masterOf.ts'
import { withPassword } from './passwordWrong.ts'

/**
 * Turning it on or off asks for the password, which whoever has got hold of a session does not have: about a second of Argon2id. Throws `PasswordWrong`,
 * or what a call throws: `error.auth.totp_invalid_code` for a wrong code.
 */
export interface OwnerSecondFactor {
  /** Whether a sign-in asks for it. */
  hasSecondFactor(): Promise<boolean>
  /** Gives the address that an authenticator reads, often from a QR code: SECRET, and replaced by the next one. Nothing is asked for before it is confirmed. */
  enrollSecondFactor(present: { readonly password: string }): Promise<string>
  /**
   * Turns it on with a code of the authenticator. Gives ten backup codes, once: whoever has lost them and the authenticator needs the operator.
   * After a `NetworkError` it may be on, with backup codes that nobody saw and none can ask for again: where `hasSecondFactor` says so, disable it with
   * another code of the authenticator and enroll anew.
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
