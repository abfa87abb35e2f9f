/** The device of the command line's profile, as a local page has it: in its memory, sealed under the account key. */
import type { Bytes } from '@blindkeep/protocol/bytes'

let device: Bytes | undefined

export function setLocalDevice(sealed: Bytes | undefined): void {
  device = sealed
}

export function localDevices(): readonly Bytes[] {
  return device === undefined ? [] : [device]
}
