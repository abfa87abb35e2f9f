/** Needs the password although the owner is signed in: a stolen session does not have it. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { Environment } from '../ground/environment.ts'
import { sendAgainWhenLost } from '../http/lostAnswer.ts'
import { callProved, publicKeyOf } from '../http/proof.ts'
import { type OwnPasswordPorts, presentKeys } from './masterOf.ts'
import { newPassword } from './newPassword.ts'
import { isOpenedBy } from './openAccountKey.ts'
import { readOwnAccount, requireKept } from './ownerAccount.ts'
import { PasswordWrong, withPassword } from './passwordWrong.ts'

export interface ChangePassword {
  readonly present: string
  /** Needed where a second factor is on: of the authenticator, or a backup code. */
  readonly code?: string | undefined
  readonly next: string
  /** From 0 to 1. There are two derivations of about a second each. */
  readonly onProgress?: ((share: number) => void) | undefined
}

/**
 * All throw `PasswordWrong`, and what a call throws. Where the server checks it too, `error.auth.totp_invalid_code` for
 * a wrong code, and without one where a second factor is on; `error.auth.rate_limited` after too many wrong passwords
 * or codes.
 */
export interface OwnerPassword {
  /** Resolves if the password opens this account. Sends nothing that depends on it. Takes 64 MiB and about a second. */
  checkPassword(password: string): Promise<void>
  /**
   * Seals the account key under the new password and signs every other client out; this client stays signed in. The
   * account key and the recovery words stay the same. After an error of `mayBeDone` the password may have been changed:
   * sign in with the new one to find out. Throws `AccountError` `account_key_unreadable` when the server says that it
   * is changed, and keeps another account key than was sent.
   */
  changePassword(change: ChangePassword): Promise<void>
  /**
   * Deletes the account with everything in it, permanently. Its tokens are invalid afterwards. Throws
   * `error.asset.retained` when an asset must not be deleted yet; nothing is deleted then. Sessions may end before the
   * answer arrives: after an error of `mayBeDone` the account was deleted if the next call says that this session is
   * over.
   */
  deleteAccount(confirmation: { readonly password: string; readonly code?: string | undefined }): Promise<void>
}

interface PasswordPorts extends OwnPasswordPorts {
  readonly accountKey: Bytes
}

export function createOwnerPassword({ accountKey, ...own }: PasswordPorts): OwnerPassword {
  const { calls, environment, email } = own
  return {
    async checkPassword(password) {
      const { master } = await presentKeys(own, password)
      const account = await readOwnAccount({ call: calls.call, email })
      if (!(await isOpenedBy(master, account, accountKey))) throw new PasswordWrong()
    },

    async changePassword({ present, code, next, onProgress }) {
      const counted = (share: number) => withProgress(environment, (part) => onProgress?.((share + part) / 2))
      const { seed } = await presentKeys({ ...own, environment: counted(0) }, present)
      const made = await newPassword(counted(1), { email, password: next, accountKey })
      const body = { seed, ...codeMember(code), sign_in_key: publicKeyOf(made.seed), ...made.members }
      await withPassword(() => sendAgainWhenLost(() => callProved(calls, 'changePassword', body)))
      await requireKept(calls.call, made.members.sealed_account_key)
    },

    async deleteAccount({ password, code }) {
      const { seed } = await presentKeys(own, password)
      await withPassword(() => callProved(calls, 'deleteAccount', { seed, ...codeMember(code) }))
    },
  }
}

const codeMember = (code: string | undefined) => (code === undefined ? {} : { code })

function withProgress(environment: Environment, onProgress: (share: number) => void): Environment {
  return {
    ...environment,
    masterOfPassword: (password, salt) => environment.masterOfPassword(password, salt, { onProgress }),
  }
}
