import type { DeviceId } from '../ids.ts'
import type { Static } from '../static.ts'
import { HYBRID_PUBLIC_KEY_BYTES } from '../suites.ts'
import { base64, list, object, optional, sealedName, time, uuid } from './shape.ts'

const KEY_BYTES = { min: HYBRID_PUBLIC_KEY_BYTES, max: HYBRID_PUBLIC_KEY_BYTES }

const deviceId = uuid<DeviceId>('The device. The client generates the id.')
const publicKey = base64('Ed25519 key (32 bytes) followed by an ML-DSA-65 key (1952 bytes).', KEY_BYTES)
const mac = base64(
  'HMAC-SHA-256 under a key of the account, so that clients ignore a device that the server invented.',
  {
    min: 32,
    max: 32,
  },
)

export const AddDeviceRequest = object('AddDeviceRequest', {
  device_id: deviceId,
  public_key: publicKey,
  mac: optional(mac),
})
export type AddDeviceRequest = Static<typeof AddDeviceRequest>

export const DeviceResponse = object('DeviceResponse', {
  device_id: deviceId,
  public_key: publicKey,
  mac: optional(mac),
  sealed_name: optional(sealedName('device')),
  created_at: time('When it was added.'),
  revoked_at: optional(time('When it was revoked. Absent while it may write.')),
})
export type DeviceResponse = Static<typeof DeviceResponse>

export const DevicesResponse = object('DevicesResponse', {
  devices: list(DeviceResponse, 'All of the caller’s devices, oldest first.'),
})
export type DevicesResponse = Static<typeof DevicesResponse>

/** Absent: unchanged. Null: removed. */
export const NameDeviceRequest = object('NameDeviceRequest', { sealed_name: optional(sealedName('device')) })
export type NameDeviceRequest = Static<typeof NameDeviceRequest>
