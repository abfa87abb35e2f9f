/** The account's devices: whose signatures count. The server keeps the list, and the account key tells which of it is true. */
import { type Bytes, equalBytes, fromBase64, toBase64, uuidBytes } from '@blindkeep/protocol/bytes'
import type { DeviceId } from '@blindkeep/protocol/ids'
import type { DeviceResponse } from '@blindkeep/protocol/schemas/devices'
import type { Environment } from '../environment.ts'
import type { Call } from '../http/call.ts'
import { deviceMac } from '../seal/derive.ts'
import { type Device, newDevice } from './device.ts'

export interface ListedDevice {
  readonly deviceId: DeviceId
  /** Ed25519 ‖ ML-DSA-65, 1984 bytes. */
  readonly publicKey: Bytes
  /** Whether a client with this account's key added it. What is not own was made up by the server, or by somebody with the password alone: its signatures count for nothing. */
  readonly isOwn: boolean
  /** RFC 3339. */
  readonly createdAt: string
  /** RFC 3339; undefined while it may write. */
  readonly revokedAt: string | undefined
}

export interface OwnerDevices {
  /** Lets a device write for the account; a new one when none is given. Keep its `secret`. The same again is the same success. Throws what a call throws: `error.device.invalid` for one that was revoked. */
  addDevice(device?: Device): Promise<Device>
  /** All of them, the revoked and the made-up ones too, oldest first. */
  devices(): Promise<readonly ListedDevice[]>
  /** It may write no more, and who signed in with its `deviceId` (`logIn`) is signed out. What it signed before stays good. */
  revokeDevice(deviceId: string): Promise<void>
}

interface OwnerDevicesPorts {
  readonly call: Call
  readonly accountKey: Bytes
  readonly environment: Environment
}

export function createOwnerDevices({ call, accountKey, environment }: OwnerDevicesPorts): OwnerDevices {
  return {
    async addDevice(device = newDevice(environment)) {
      const { deviceId, publicKey } = device
      const mac = deviceMac(accountKey, uuidBytes(deviceId), publicKey)
      await call('addDevice', {
        body: { device_id: deviceId, public_key: toBase64(publicKey), mac: toBase64(mac) },
      })
      return device
    },

    async devices() {
      const { body } = await call('listDevices')
      return body.devices.map((entry) => listedOf(entry, accountKey))
    },

    async revokeDevice(deviceId) {
      await call('revokeDevice', { path: { device_id: deviceId } })
    },
  }
}

function listedOf(entry: DeviceResponse, accountKey: Bytes): ListedDevice {
  const publicKey = fromBase64(entry.public_key)
  const mac = fromBase64(entry.mac ?? '')
  return {
    deviceId: entry.device_id,
    publicKey,
    isOwn: equalBytes(mac, deviceMac(accountKey, uuidBytes(entry.device_id), publicKey)),
    createdAt: entry.created_at,
    revokedAt: entry.revoked_at ?? undefined,
  }
}
