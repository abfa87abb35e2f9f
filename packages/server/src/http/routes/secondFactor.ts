import type { SecondFactors } from '../../domain/account/secondFactor.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Routes } from '../call.ts'
import { tokens } from '../signedIn.ts'

type Row = 'enrollTotp' | 'confirmTotp' | 'disableTotp' | 'renewBackupCodes' | 'verifyTotp'

export function secondFactorRoutes({ secondFactor }: { readonly secondFactor: SecondFactors }): Pick<Routes, Row> {
  return {
    async enrollTotp({ json, caller, source }) {
      const answer = await secondFactor.enroll(caller.account, { secret: json.current_password, source })
      return isRefusal(answer) ? answer : { status: 200, body: { provisioning_uri: answer.provisioningUri } }
    },

    async confirmTotp({ json, caller, source }) {
      const answer = await secondFactor.confirm(caller.account, { code: json.code, source })
      return isRefusal(answer) ? answer : { status: 200, body: { backup_codes: [...answer.backupCodes] } }
    },

    async disableTotp({ json, caller, source }) {
      const { current_password: secret, code } = json
      return (await secondFactor.disable(caller.account, { secret, code, source })) ?? { status: 204 }
    },

    async renewBackupCodes({ json, caller, source }) {
      const { current_password: secret, code } = json
      const answer = await secondFactor.renewBackupCodes(caller.account, { secret, code, source })
      return isRefusal(answer) ? answer : { status: 200, body: { backup_codes: [...answer.backupCodes] } }
    },

    async verifyTotp({ json, source }) {
      const answer = await secondFactor.verify({ mfaToken: json.mfa_token, code: json.code, source })
      return isRefusal(answer) ? answer : { status: 200, body: tokens(answer) }
    },
  }
}
