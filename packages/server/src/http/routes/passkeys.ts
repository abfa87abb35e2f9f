import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { PasskeyResponse } from '@blindkeep/protocol/schemas/passkeys'
import type { Passkeys } from '../../domain/account/passkeys.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Passkey } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { tokens } from '../signedIn.ts'
import { givenBytes, newName } from '../wire/givenBytes.ts'

type Row = 'passkeyLogin' | 'addPasskey' | 'listPasskeys' | 'namePasskey' | 'removePasskey'

export function passkeyRoutes({ passkeys }: { readonly passkeys: Passkeys }): Pick<Routes, Row> {
  return {
    async passkeyLogin({ json, provedKey, source }) {
      const answer = await passkeys.logIn({
        passkeyId: json.passkey_id,
        provedKey,
        deviceId: json.device_id,
        source,
      })
      return isRefusal(answer) ? answer : { status: 200, body: tokens(answer) }
    },

    async addPasskey({ json, caller, provedKey, source }) {
      const answer = await passkeys.add(caller.account, {
        provedKey,
        code: json.code,
        passkeyId: json.passkey_id,
        credentialId: fromBase64(json.credential_id),
        passkeyKey: fromBase64(json.passkey_key),
        sealedPasskeyKey: fromBase64(json.sealed_passkey_key),
        sealedName: givenBytes(json.sealed_name),
        source,
      })
      return isRefusal(answer) ? answer : { status: answer.isRepeat ? 200 : 201, body: entryOf(answer.passkey) }
    },

    async listPasskeys({ caller }) {
      const owned = await passkeys.list(caller.account.accountId)
      return { status: 200, body: { passkeys: owned.map(entryOf) } }
    },

    async namePasskey({ params, caller, json: { sealed_name: name } }) {
      return (await passkeys.name(caller.account.accountId, params.passkey_id, newName(name))) ?? { status: 204 }
    },

    async removePasskey({ params, caller }) {
      await passkeys.remove(caller, params.passkey_id)
      return { status: 204 }
    },
  }
}

function entryOf(passkey: Passkey): PasskeyResponse {
  const { passkeyId, credentialId, sealedPasskeyKey, sealedName, createdAt, lastUsedAt } = passkey
  return {
    passkey_id: passkeyId,
    credential_id: toBase64(credentialId),
    sealed_passkey_key: toBase64(sealedPasskeyKey),
    ...(sealedName && { sealed_name: toBase64(sealedName) }),
    created_at: formatInstant(createdAt),
    ...(lastUsedAt !== undefined && { last_used_at: formatInstant(lastUsedAt) }),
  }
}
