import { AddDeviceRequest, DeviceResponse, DevicesResponse } from '../schemas/devices.ts'
import type { Operations } from './operation.ts'

export const deviceOperations = {
  addDevice: {
    method: 'POST',
    path: '/v1/devices',
    tag: 'devices',
    auth: 'bearer',
    summary: 'Add a device',
    description:
      'The client makes device_id and the keys. The same caller with the same values again: 200. Any other use of a taken id is refused, a revoked device’s too.',
    body: { type: 'application/json', schema: AddDeviceRequest },
    writes: true,
    answers: {
      200: { description: 'It had been added before.', body: DeviceResponse },
      201: { description: 'The device is added.', body: DeviceResponse },
    },
    problems: ['error.device.invalid', 'error.request.limit_reached'],
  },
  listDevices: {
    method: 'GET',
    path: '/v1/devices',
    tag: 'devices',
    auth: 'bearer',
    summary: 'The caller’s devices',
    description:
      'All of them, revoked ones too, oldest first. Check each mac: a device without the right one was not added by the account’s owner.',
    answers: { 200: { description: 'The devices.', body: DevicesResponse } },
    problems: [],
  },
  revokeDevice: {
    method: 'DELETE',
    path: '/v1/devices/{device_id}',
    tag: 'devices',
    auth: 'bearer',
    summary: 'Revoke one of the caller’s devices',
    description:
      'For good. It stays in the list, with the time at which it was first revoked. Sessions that were signed in with its device_id end at once.',
    answers: { 204: { description: 'The device is revoked, now or before.' } },
    problems: ['error.device.not_found'],
  },
} as const satisfies Operations
