/** Needs the password although the owner is signed in: a stolen session does not have it. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { Environment } from '../ground/environment.ts'
import { sendAgainWhenLost } from '../http/lostAnswer.ts'
import { type OwnPasswordPorts, presentSecret } from './masterOf.ts'
import { newPassword } from './newPassword.ts'
import { withPassword } from './passwordWrong.ts'

export interface ChangePassword {
  readonly present: string
  /** Needed where a second factor is on: of the authenticator, or a backup code. */
  readonly code?: string | undefined
  readonly next: string
  /** From 0 to 1. There are two derivations of about a second each. */
  readonly onProgress?: ((share: number) => void) | undefined
}

/**
 * Both throw `PasswordWrong`, and what a call throws: `error.auth.totp_invalid_code` for a wrong code, and without one
 * where a second factor is on; `error.auth.rate_limited` after too many wrong passwords or codes.
 */
export interface OwnerPassword {
  /**
   * Seals the account key under the new password and signs every other client out; this client stays signed in. The
   * account key and the recovery words stay the same. After a `NetworkError` the password may have been changed: sign
   * in with the new one to find out.
   */
  changePassword(change: ChangePassword): Promise<void>
  /**
   * Deletes the account with everything in it, permanently. Its tokens are invalid afterwards. Throws
   * `error.asset.retained` when an asset must not be deleted yet; nothing is deleted then.
   */
  deleteAccount(confirmation: { readonly password: string; readonly code?: string | undefined }): Promise<void>
}

interface PasswordPorts extends OwnPasswordPorts {
  readonly accountKey: Bytes
}

export function createOwnerPassword({ accountKey, ...own }: PasswordPorts): OwnerPassword {
  const { environment, email } = own
  const { call } = own.calls
  return {
    async changePassword({ present, code, next, onProgress }) {
      const counted = (share: number) => withProgress(environment, (part) => onProgress?.((share + part) / 2))
      const { secret, serverId } = await presentSecret({ ...own, environment: counted(0) }, present)
      const members = await newPassword(counted(1), { email, serverId, password: next, accountKey })
      const send = () => call('changePassword', { body: { current_password: secret, ...given(code), ...members } })
      await withPassword(() => sendAgainWhenLost(send))
    },

    async deleteAccount({ password, code }) {
      const { secret } = await presentSecret(own, password)
      await withPassword(() => call('deleteAccount', { body: { current_password: secret, ...given(code) } }))
    },
  }
}

const given = (code: string | undefined) => (code === undefined ? {} : { code })

function withProgress(environment: Environment, onProgress: (share: number) => void): Environment {
  return {
    ...environment,
    masterOfPassword: (password, salt) => environment.masterOfPassword(password, salt, { onProgress }),
  }
}
