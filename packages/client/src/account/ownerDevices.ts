/** The devices of an account: their signatures are valid. The server stores the list, and the account key shows which entries are genuine. */
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
  /**
   * Whether a client with this account key added the device. Otherwise the server invented it, or a party that has only the password added it: its
   * signatures are worthless.
   */
  readonly isOwn: boolean
  /** RFC 3339. */
  readonly createdAt: string
  /** RFC 3339; undefined while the device may write. */
  readonly revokedAt: string | undefined
}

export interface OwnerDevices {
  /**
   * Allows a device to write for the account; creates a new one by default. Keep its `secret`. Idempotent. Throws what a call throws:
   * `error.device.invalid` for a device that was revoked.
   */
  addDevice(device?: Device): Promise<Device>
  /** All devices, including revoked and invented ones, oldest first. */
  devices(): Promise<readonly ListedDevice[]>
  /** The device may no longer write, and sessions with its `deviceId` (`logIn`) end. What it signed before stays valid. */
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
