/** The key that this browser signs with. Made when it is first needed, and the same from then on, over sign-outs too. */
import { type Device, openSealedDevice, sealDevice } from '@blindkeep/client/device'
import { ProblemError, SealError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { useCallback } from 'preact/hooks'
import { useOwnerPages } from './context.ts'
import { loadSealedDevices, saveSealedDevice } from './keptSession.ts'

const devices = new WeakMap<Owner, Promise<Device>>()

/** Gives a function that gives the device. It throws what a call throws, and may be called again then. */
export function useDevice(): () => Promise<Device> {
  const { owner } = useOwnerPages()
  return useCallback(() => deviceOf(owner), [owner])
}

/** Of this browser and account, one that may write: whoever uploads first makes it. */
export function deviceOf(owner: Owner): Promise<Device> {
  const known = devices.get(owner)
  if (known !== undefined) return known
  const made = addedDevice(owner).catch((error: unknown) => {
    devices.delete(owner)
    throw error
  })
  devices.set(owner, made)
  return made
}

/** After it was revoked, the next file needs another. */
export function forgetDevice(owner: Owner): void {
  devices.delete(owner)
}

/** The one that was kept here, whether or not it may still write. */
export async function keptDevice(owner: Owner): Promise<Device | undefined> {
  for (const sealed of await loadSealedDevices()) {
    try {
      return await openSealedDevice(sealed, owner.accountKey)
    } catch (error) {
      // Another account's, or a newer client's.
      if (!(error instanceof SealError || error instanceof RangeError)) throw error
    }
  }
  return undefined
}

async function addedDevice(owner: Owner): Promise<Device> {
  const kept = await keptDevice(owner)
  if (kept !== undefined) {
    try {
      return await owner.addDevice(kept)
    } catch (error) {
      if (!(error instanceof ProblemError && error.code === 'error.device.invalid')) throw error
    }
  }
  const made = await owner.addDevice()
  await saveSealedDevice(await sealDevice(made, owner.accountKey))
  return made
}
