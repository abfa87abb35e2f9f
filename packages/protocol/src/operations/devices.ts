import { AddDeviceRequest, DeviceResponse, DevicesResponse, NameDeviceRequest } from '../schemas/devices.ts'
import type { Operations } from './operation.ts'
import { pageQuery, pagesOf } from './pages.ts'

export const deviceOperations = {
  addDevice: {
    method: 'POST',
    path: '/v1/devices',
    tag: 'devices',
    auth: 'bearer',
    summary: 'Add a device',
    description:
      'The client generates device_id and the keys. A repeat by the same caller with the same values gets 200. Any other use of a taken id is refused, also if its device is revoked.',
    body: { type: 'application/json', schema: AddDeviceRequest },
    writes: true,
    leaves: 'rows',
    answers: {
      200: { description: 'The device existed already.', body: DeviceResponse },
      201: { description: 'The device is added.', body: DeviceResponse },
    },
    problems: ['error.device.invalid', 'error.request.limit_reached'],
  },
  listDevices: {
    method: 'GET',
    path: '/v1/devices',
    tag: 'devices',
    auth: 'bearer',
    summary: 'List the caller’s devices',
    description: `All devices, including revoked ones, oldest first: up to 4.2 MB. ${pagesOf('devices')} Check each mac: a device with a wrong or missing mac was not added by the owner of the account.`,
    query: pageQuery({
      of: 'devices',
      id: DeviceResponse.properties.device_id,
      gone: 'error.device.not_found',
      places: 'Every device in the list has a place.',
    }),
    answers: { 200: { description: 'The devices.', body: DevicesResponse } },
    problems: ['error.device.not_found'],
  },
  nameDevice: {
    method: 'PATCH',
    path: '/v1/devices/{device_id}',
    tag: 'devices',
    auth: 'bearer',
    summary: 'Name one of the caller’s devices',
    description:
      'Also a revoked one. Nothing else of a device changes. An absent member stays as it is, null removes it.',
    body: { type: 'application/json', schema: NameDeviceRequest, nullRemoves: true },
    writes: true,
    answers: { 204: { description: 'The device has this name now.' } },
    problems: ['error.device.not_found'],
  },
  revokeDevice: {
    method: 'DELETE',
    path: '/v1/devices/{device_id}',
    tag: 'devices',
    auth: 'bearer',
    summary: 'Revoke one of the caller’s devices',
    description:
      'This cannot be undone. The device stays in the list, with the time of its first revocation. Sessions that are tied to it end at once, and no later session can be tied to it. Its manifests are refused from now on, also those of uploads that began before.',
    answers: { 204: { description: 'The device is revoked.' } },
    problems: ['error.device.not_found'],
  },
} as const satisfies Operations
