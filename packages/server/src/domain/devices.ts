import type { AccountId, DeviceId } from '@blindkeep/protocol/ids'
import type { Clock } from '../ports/clock.ts'
import type { Device, NewDevice, Store } from '../ports/store.ts'
import type { Refuses } from './refusals.ts'

/** The keys that sign an account's manifests. What a device has signed is judged by the values it was added with, so a device never changes. */
export const LIVE_DEVICES_MOST = 100

export type DeviceRequest = Omit<NewDevice, 'accountId' | 'createdAt'>

export interface AddedDevice {
  readonly device: Device
  readonly isRepeat: boolean
}

interface DevicePorts {
  readonly store: Store
  readonly clock: Clock
}

export type Devices = ReturnType<typeof createDevices>

export function createDevices({ store, clock }: DevicePorts) {
  return {
    /** Adds a device, or says again that it is added when the same caller repeats the same values. */
    async add(
      accountId: AccountId,
      request: DeviceRequest,
    ): Promise<AddedDevice | Refuses<'device_invalid' | 'limit_reached'>> {
      const device: NewDevice = { ...request, accountId, createdAt: clock.now() }
      return store.write(async (tx) => {
        const present = await tx.devices.find(device.deviceId)
        if (present !== undefined)
          return isRepeat(present, device) ? { device: present, isRepeat: true } : { refused: 'device_invalid' }
        if ((await tx.devices.countLive(accountId)) >= LIVE_DEVICES_MOST)
          return { refused: 'limit_reached', detail: `an account has at most ${LIVE_DEVICES_MOST} live devices` }
        if (!(await tx.devices.insert(device))) return { refused: 'device_invalid' }
        return { device: { ...device, revokedAt: undefined }, isRepeat: false }
      })
    },

    async list(accountId: AccountId): Promise<readonly Device[]> {
      return store.read((tx) => tx.devices.listOf(accountId))
    },

    /** For good, and from the first time on: again it changes nothing. */
    async revoke(accountId: AccountId, deviceId: DeviceId): Promise<Refuses<'device_not_found'> | undefined> {
      return store.write(async (tx) => {
        const device = await tx.devices.find(deviceId)
        if (device?.accountId !== accountId) return { refused: 'device_not_found' }
        await tx.devices.revoke(deviceId, accountId, clock.now())
        return undefined
      })
    },
  }
}

function isRepeat(present: Device, device: NewDevice): boolean {
  return (
    present.revokedAt === undefined &&
    present.accountId === device.accountId &&
    areSame(present.publicKey, device.publicKey) &&
    areSame(present.mac, device.mac)
  )
}

function areSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return Buffer.compare(one, other) === 0
}
