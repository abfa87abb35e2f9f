/** What asks for the password though somebody is signed in, as whoever has got hold of a session does not have it: another password, and the end of the account. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { Environment } from '../environment.ts'
import type { Call } from '../http/call.ts'
import { sendAgainWhenLost } from '../http/lostAnswer.ts'
import { presentSecret } from './masterOf.ts'
import { newPassword } from './newPassword.ts'
import { withPassword } from './passwordWrong.ts'

export interface ChangePassword {
  readonly present: string
  readonly next: string
  /** From 0 to 1; two derivations of about a second each. */
  readonly onProgress?: ((share: number) => void) | undefined
}

/** Both throw `PasswordWrong`, or what a call throws: `error.auth.rate_limited` after too many wrong ones. */
export interface OwnerPassword {
  /**
   * Seals the account key under the new password and signs every other client out; this one stays signed in. The account key is the same, so that all
   * that was sealed opens as before, and the recovery words stay good. After a `NetworkError` it may have been done: sign in with the new password to see.
   */
  changePassword(change: ChangePassword): Promise<void>
  /**
   * For good, with all that the account keeps; nobody can undo it. Its tokens are worth nothing afterwards. Throws `error.asset.retained` when one of its
   * assets must not be deleted yet: nothing is then.
   */
  deleteAccount(confirmation: { readonly password: string }): Promise<void>
}

interface PasswordPorts {
  readonly call: Call
  readonly accountKey: Bytes
  readonly environment: Environment
}

export function createOwnerPassword({ call, accountKey, environment }: PasswordPorts): OwnerPassword {
  return {
    async changePassword({ present, next, onProgress }) {
      const counted = (share: number) => withProgress(environment, (part) => onProgress?.((share + part) / 2))
      const current_password = await presentSecret({ call, environment: counted(0) }, present)
      const members = await newPassword(counted(1), { password: next, accountKey })
      const send = () => call('changePassword', { body: { current_password, ...members } })
      await withPassword(() => sendAgainWhenLost(send))
    },

    async deleteAccount({ password }) {
      const current_password = await presentSecret({ call, environment }, password)
      await withPassword(() => call('deleteAccount', { body: { current_password } }))
    },
  }
}

function withProgress(environment: Environment, onProgress: (share: number) => void): Environment {
  return {
    ...environment,
    masterOfPassword: (password, salt) => environment.masterOfPassword(password, salt, { onProgress }),
  }
}
