import type { SecondFactors } from '../../domain/account/secondFactor.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Routes } from '../call.ts'
import { tokens } from '../signedIn.ts'

type Row = 'enrollTotp' | 'confirmTotp' | 'disableTotp' | 'renewBackupCodes' | 'verifyTotp'

export function secondFactorRoutes({ secondFactor }: { readonly secondFactor: SecondFactors }): Pick<Routes, Row> {
  return {
    async enrollTotp({ caller, provedKey, source }) {
      const answer = await secondFactor.enroll(caller.account, { provedKey, source })
      return isRefusal(answer) ? answer : { status: 200, body: { provisioning_uri: answer.provisioningUri } }
    },

    async confirmTotp({ json, caller, source }) {
      const answer = await secondFactor.confirm(caller.account, { code: json.code, source })
      return isRefusal(answer) ? answer : { status: 200, body: { backup_codes: [...answer.backupCodes] } }
    },

    async disableTotp({ json: { code }, caller, provedKey, source }) {
      return (await secondFactor.disable(caller.account, { provedKey, code, source })) ?? { status: 204 }
    },

    async renewBackupCodes({ json: { code }, caller, provedKey, source }) {
      const answer = await secondFactor.renewBackupCodes(caller.account, { provedKey, code, source })
      return isRefusal(answer) ? answer : { status: 200, body: { backup_codes: [...answer.backupCodes] } }
    },

    async verifyTotp({ json, source }) {
      const answer = await secondFactor.verify({ mfaToken: json.mfa_token, code: json.code, source })
      return isRefusal(answer) ? answer : { status: 200, body: tokens(answer) }
    },
  }
}
