import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import type { Recoveries } from '../../domain/account/recovery.ts'
import type { RecoveryWords } from '../../domain/account/recoveryWords.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Routes } from '../call.ts'
import { signedIn } from '../signedIn.ts'
import { givenBytes } from '../wire/givenBytes.ts'

type Row = 'startRecovery' | 'finishRecovery' | 'changeRecoveryWords' | 'confirmRecoveryWords'

export function recoveryRoutes({
  recovery,
  recoveryWords,
}: {
  readonly recovery: Recoveries
  readonly recoveryWords: RecoveryWords
}): Pick<Routes, Row> {
  return {
    async startRecovery({ json, source }) {
      const answer = await recovery.start(json.email, source)
      return isRefusal(answer)
        ? answer
        : { status: 200, body: { sealed_recovery_key: toBase64(answer.sealedRecoveryKey) } }
    },

    async finishRecovery({ json, provedKey, source }) {
      const answer = await recovery.finish({
        email: json.email,
        provedKey,
        signInKey: fromBase64(json.sign_in_key),
        kdfVersion: json.kdf_version,
        salt: givenBytes(json.salt),
        sealedAccountKey: givenBytes(json.sealed_account_key),
        source,
      })
      return isRefusal(answer) ? answer : signedIn(answer)
    },

    async changeRecoveryWords({ caller, json, provedKey, askedAt, source }) {
      const refused = await recoveryWords.change(caller.account, {
        provedKey,
        askedAt,
        code: json.code ?? undefined,
        recoveryKey: fromBase64(json.recovery_key),
        sealedRecoveryKey: fromBase64(json.sealed_recovery_key),
        source,
      })
      return refused ?? { status: 204 }
    },

    async confirmRecoveryWords({ caller, provedKey, source }) {
      return (await recoveryWords.confirm(caller.account, { provedKey, source })) ?? { status: 204 }
    },
  }
}
