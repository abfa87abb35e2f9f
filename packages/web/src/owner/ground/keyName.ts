import type { DeviceId } from '@blindkeep/protocol/ids'

/** The end of an id is enough to tell devices apart. */
const SHOWN_CHARACTERS = 8

export function keyName(deviceId: DeviceId): string {
  return deviceId.slice(-SHOWN_CHARACTERS)
}
