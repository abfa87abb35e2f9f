import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { DeviceResponse } from '@blindkeep/protocol/schemas/devices'
import type { Devices } from '../../domain/account/devices.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { Device } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { givenBytes, newName } from '../wire/givenBytes.ts'
import { listQuestion } from '../wire/lists.ts'

type Row = 'addDevice' | 'listDevices' | 'nameDevice' | 'revokeDevice'

export function deviceRoutes({ devices }: { readonly devices: Devices }): Pick<Routes, Row> {
  return {
    async addDevice({ json, caller }) {
      const answer = await devices.add(caller.account.accountId, {
        deviceId: json.device_id,
        publicKey: fromBase64(json.public_key),
        mac: givenBytes(json.mac),
        sessionId: caller.sessionId,
      })
      return isRefusal(answer) ? answer : { status: answer.isRepeat ? 200 : 201, body: entryOf(answer.device) }
    },

    async listDevices({ query, caller }) {
      const owned = await devices.list(caller.account.accountId, listQuestion(query))
      if (isRefusal(owned)) return owned
      return { status: 200, body: { devices: owned.map(entryOf) } }
    },

    async nameDevice({ params, caller, json: { sealed_name: name } }) {
      return (await devices.name(caller.account.accountId, params.device_id, newName(name))) ?? { status: 204 }
    },

    async revokeDevice({ params, caller }) {
      return (await devices.revoke(caller.account.accountId, params.device_id)) ?? { status: 204 }
    },
  }
}

function entryOf({ deviceId, publicKey, mac, sealedName, createdAt, revokedAt }: Device): DeviceResponse {
  return {
    device_id: deviceId,
    public_key: toBase64(publicKey),
    ...(mac && { mac: toBase64(mac) }),
    ...(sealedName && { sealed_name: toBase64(sealedName) }),
    created_at: formatInstant(createdAt),
    ...(revokedAt !== undefined && { revoked_at: formatInstant(revokedAt) }),
  }
}
