/**
 * The devices of an account and their signatures. The server stores the list; the account key shows which are genuine.
 */
import { type Bytes, equalBytes, fromBase64, toBase64, uuidBytes } from '@blindkeep/protocol/bytes'
import { type DeviceId, formatInstant, parseDeviceId } from '@blindkeep/protocol/ids'
import type { DeviceResponse } from '@blindkeep/protocol/schemas/devices'
import type { Environment } from '../ground/environment.ts'
import type { Calls } from '../http/call.ts'
import { ProblemError } from '../http/errors.ts'
import { type ListRequest, wholeList } from '../http/listPages.ts'
import { sendAgainWhenLost } from '../http/lostAnswer.ts'
import { deviceMac } from '../seal/derive.ts'
import { openGivenName, sealName } from '../seal/sealedName.ts'
import { type Device, newDevice } from './device.ts'
import { createSeenRevocations, type RevocationStore } from './seenRevocations.ts'

export interface ListedDevice {
  readonly deviceId: DeviceId
  /** Ed25519 ‖ ML-DSA-65, 1984 bytes. */
  readonly publicKey: Bytes
  /**
   * Whether a client with this account key added the device. Otherwise the server invented it, or a party that has only
   * the password added it: its signatures are worthless.
   */
  readonly isOwn: boolean
  /** Given by the owner or by the client that added the device. */
  readonly name: string | undefined
  /** Set when the name from the server does not open under this account's key as that of this device. */
  readonly nameFault: string | undefined
  /** RFC 3339. */
  readonly createdAt: string
  /** RFC 3339; undefined while the device may write. The first time that this client has seen stays. */
  readonly revokedAt: string | undefined
  /** Listed as live although this client saw its revocation: the server lies, or was restored from an older backup. */
  readonly isRevocationDenied: boolean
}

export interface OwnerDevices {
  /**
   * Allows a device to write for the account, and ties this client's session to it, so that revoking the device signs
   * this client out; creates a new device by default. Keep its `secret`. Idempotent: when it throws, the session may
   * still be untied, so call it again with the same device. A session that is tied to another device stays so. Throws
   * what a call throws: `error.device.invalid` for a device that was revoked.
   */
  addDevice(device?: Device, options?: AddDevice): Promise<Device>
  /**
   * Ties this client's session to a device that was added before. Idempotent. For a session that was resumed, or began
   * without `deviceId`. Throws what a call throws: `error.device.not_found`, `error.device.not_authorized` for a
   * revoked device, `error.auth.session_bound` for a session with another device.
   */
  tieSession(deviceId: DeviceId): Promise<void>
  /** All devices, including revoked and invented ones, oldest first. */
  devices(): Promise<readonly ListedDevice[]>
  /** Also of a revoked one. Empty removes it. Throws `RangeError` above 600 bytes, and `error.device.not_found`. */
  nameDevice(deviceId: DeviceId, name: string): Promise<void>
  /**
   * The device may no longer write, and the sessions that are tied to it end, this client's too. What it signed before
   * stays valid: see `signedLately`. Other sessions of the same person go on: see `untiedSessions`. Idempotent, unless
   * it ends this client's session: that may end before the answer arrives, or the answer may be lost.
   */
  revokeDevice(deviceId: string): Promise<void>
  /** Remembers revocations beyond the life of this client. `devices` rejects when the store does. */
  keepRevocations(store: RevocationStore): void
}

export interface AddDevice {
  /** Default true. False for a device that another client signs with. */
  readonly tie?: boolean | undefined
}

interface OwnerDevicesPorts extends Pick<Calls, 'call' | 'clock'> {
  readonly accountKey: Bytes
  readonly environment: Environment
}

export function createOwnerDevices({ call, clock, accountKey, environment }: OwnerDevicesPorts): OwnerDevices {
  const revocations = createSeenRevocations()

  async function tieSession(deviceId: DeviceId): Promise<void> {
    await sendAgainWhenLost(() => call('bindSession', { body: { device_id: deviceId } }))
  }

  return {
    tieSession,

    async addDevice(device = newDevice(environment), { tie = true } = {}) {
      const { deviceId, publicKey } = device
      const mac = deviceMac(accountKey, uuidBytes(deviceId), publicKey)
      await call('addDevice', {
        body: { device_id: deviceId, public_key: toBase64(publicKey), mac: toBase64(mac) },
      })
      if (tie) await tieSession(deviceId).catch(unlessTied)
      return device
    },

    async devices() {
      // A list that was read before a revocation does not deny it.
      const before = await revocations.all()
      const list = {
        operation: 'listDevices',
        ask: async (request: ListRequest) => (await call('listDevices', request)).body.devices,
        idOf: ({ device_id }: DeviceResponse) => device_id,
        gone: 'error.device.not_found',
      } as const
      const listed = await wholeList(list, (entry) => listedOf(entry, accountKey))
      await revocations.note(revokedAmong(listed))
      const seen = await revocations.all()
      return listed.map((device) => {
        const revokedAt = seen.get(device.deviceId)
        const isRevocationDenied = device.revokedAt === undefined && before.has(device.deviceId)
        return revokedAt === undefined ? device : { ...device, revokedAt, isRevocationDenied }
      })
    },

    async nameDevice(deviceId, name) {
      const sealed = await sealName(nameSeal(accountKey, deviceId), name)
      const body = { sealed_name: sealed === undefined ? null : toBase64(sealed) }
      await call('nameDevice', { path: { device_id: deviceId }, body })
    },

    async revokeDevice(deviceId) {
      await call('revokeDevice', { path: { device_id: deviceId } })
      const revoked = parseDeviceId(deviceId)
      if (revoked !== undefined) await revocations.note([[revoked, formatInstant(clock.now())]])
    },

    keepRevocations: revocations.keepIn,
  }
}

/** A session that is tied to another device ends with that one: it is not left untied. */
function unlessTied(error: unknown): void {
  if (!(error instanceof ProblemError && error.code === 'error.auth.session_bound')) throw error
}

/** Not of invented devices: their number has no bound, and they do not count anyway. */
function revokedAmong(listed: readonly ListedDevice[]): readonly (readonly [DeviceId, string])[] {
  return listed.flatMap(({ deviceId, isOwn, revokedAt }) =>
    isOwn && revokedAt !== undefined ? [[deviceId, revokedAt] as const] : [],
  )
}

const nameSeal = (accountKey: Bytes, deviceId: DeviceId) =>
  ({ key: accountKey, purpose: 'device-name', contextId: uuidBytes(deviceId) }) as const

async function listedOf(entry: DeviceResponse, accountKey: Bytes): Promise<ListedDevice> {
  const { text: name, fault } = await openGivenName(nameSeal(accountKey, entry.device_id), entry.sealed_name)
  const publicKey = fromBase64(entry.public_key)
  const mac = fromBase64(entry.mac ?? '')
  return {
    deviceId: entry.device_id,
    publicKey,
    isOwn: equalBytes(mac, deviceMac(accountKey, uuidBytes(entry.device_id), publicKey)),
    name,
    nameFault: fault,
    createdAt: entry.created_at,
    revokedAt: entry.revoked_at ?? undefined,
    isRevocationDenied: false,
  }
}
