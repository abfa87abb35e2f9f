import { fromBase64 } from '@blindkeep/protocol/bytes'
import type { ChangePassword } from '../../domain/account/password.ts'
import type { AccountDeletion } from '../../domain/closing/accountDeletion.ts'
import type { Routes } from '../call.ts'
import { givenBytes } from '../wire/givenBytes.ts'

/** The operations of an owner on the account itself. */
export function ownAccountRoutes({
  changePassword,
  accountDeletion,
}: {
  readonly changePassword: ChangePassword
  readonly accountDeletion: AccountDeletion
}): Pick<Routes, 'changePassword' | 'deleteAccount'> {
  return {
    async changePassword({ caller, json, provedKey, source }) {
      const refused = await changePassword(caller, {
        provedKey,
        code: json.code ?? undefined,
        signInKey: fromBase64(json.sign_in_key),
        kdfVersion: json.kdf_version,
        salt: givenBytes(json.salt),
        sealedAccountKey: givenBytes(json.sealed_account_key),
        source,
      })
      return refused ?? { status: 204 }
    },

    async deleteAccount({ caller, json, provedKey, source }) {
      const request = { provedKey, code: json.code ?? undefined, source }
      return (await accountDeletion.begin(caller.account, request)) ?? { status: 204 }
    },
  }
}
