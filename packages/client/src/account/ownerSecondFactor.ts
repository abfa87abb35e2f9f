/** The second factor of a sign-in. It protects the account; sealed content is equally safe without it. */

import { AnswerError } from '../http/errors.ts'
import { callProved } from '../http/proof.ts'
import { type OwnPasswordPorts, presentKeys } from './masterOf.ts'
import { withPassword } from './passwordWrong.ts'

/**
 * All but the confirmation need the password, which a stolen session does not have: each takes about a second
 * (Argon2id) and throws `PasswordWrong`. All but enrolling throw `error.auth.totp_invalid_code` for a wrong code. All
 * throw what a call throws.
 */
export interface OwnerSecondFactor {
  /** Whether a sign-in needs a code. */
  hasSecondFactor(): Promise<boolean>
  /**
   * Returns the provisioning URI for an authenticator, often shown as a QR code: SECRET, and replaced by the next call.
   * A sign-in needs no code before `confirmSecondFactor`.
   */
  enrollSecondFactor(present: { readonly password: string }): Promise<string>
  /**
   * Turns the second factor on with a code of the authenticator. Returns ten backup codes, once: an owner who loses
   * them and the authenticator needs the operator. After an error of `mayBeDone` it may be on, with backup codes that
   * no client has seen and that cannot be fetched again. If `hasSecondFactor` says so, call `renewBackupCodes` with
   * another code of the authenticator.
   */
  confirmSecondFactor(code: string): Promise<readonly string[]>
  /** Turns it off, with a code of the authenticator or a backup code. */
  disableSecondFactor(present: { readonly password: string; readonly code: string }): Promise<void>
  /**
   * Returns ten new backup codes, once, and makes the former ones worthless. Takes a code of the authenticator or a
   * backup code. After an error of `mayBeDone` the former ones may be worthless already: call it again with another
   * code.
   */
  renewBackupCodes(present: { readonly password: string; readonly code: string }): Promise<readonly string[]>
}

export function createOwnerSecondFactor(ports: OwnPasswordPorts): OwnerSecondFactor {
  const { calls } = ports
  const { call } = calls
  return {
    async hasSecondFactor() {
      return (await call('account')).body.totp_enabled
    },

    async enrollSecondFactor({ password }) {
      const { seed } = await presentKeys(ports, password)
      const { body } = await withPassword(() => callProved(calls, 'enrollTotp', { seed }))
      if (isForAuthenticator(body.provisioning_uri)) return body.provisioning_uri
      throw new AnswerError('enrollTotp', 'its provisioning_uri is not the address of a TOTP secret')
    },

    async confirmSecondFactor(code) {
      return (await call('confirmTotp', { body: { code } })).body.backup_codes
    },

    async disableSecondFactor({ password, code }) {
      const { seed } = await presentKeys(ports, password)
      await withPassword(() => callProved(calls, 'disableTotp', { seed, code }))
    },

    async renewBackupCodes({ password, code }) {
      const { seed } = await presentKeys(ports, password)
      const { body } = await withPassword(() => callProved(calls, 'renewBackupCodes', { seed, code }))
      return body.backup_codes
    },
  }
}

/** People scan it with a phone, which opens whatever address it is. */
function isForAuthenticator(uri: string): boolean {
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  return url?.protocol === 'otpauth:' && url.host === 'totp' && /^[A-Z2-7]+$/.test(url.searchParams.get('secret') ?? '')
}
