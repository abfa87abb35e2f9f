/** This browser's signing key: made when first needed, or for staying signed in. A sign-out keeps it. */
import { type Device, newDevice, openSealedDevice, sealDevice } from '@blindkeep/client/device'
import { ProblemError, SealError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { useCallback } from 'preact/hooks'
import { isLocalPage } from '../../common/address/localPage.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { browserName } from './browserName.ts'
import { loadSealedDevices, saveSealedDevice } from './ownerStore.ts'

const devices = new WeakMap<Owner, Promise<Device>>()

/** Returns a function that resolves with the device. It throws what a call throws; call it again then. */
export function useDevice(): () => Promise<Device> {
  const { owner } = useOwnerPages()
  return useCallback(() => deviceOf(owner), [owner])
}

/** A device of this browser and account that may write. The session is tied to it. */
export function deviceOf(owner: Owner): Promise<Device> {
  const known = devices.get(owner)
  if (known !== undefined) return known
  const created = addedDevice(owner).catch((error: unknown) => {
    devices.delete(owner)
    throw error
  })
  devices.set(owner, created)
  return created
}

/** Call it when the device was revoked: the next file needs another one. */
export function forgetDevice(owner: Owner): void {
  devices.delete(owner)
}

/** The stored device, whether or not it may still write. */
export async function storedDevice(owner: Owner): Promise<Device | undefined> {
  for (const sealed of await loadSealedDevices()) {
    try {
      return await openSealedDevice(sealed, owner.accountKey)
    } catch (error) {
      // The key belongs to another account, or a newer client has written it.
      if (!(error instanceof SealError || error instanceof RangeError)) throw error
    }
  }
  return undefined
}

async function addedDevice(owner: Owner): Promise<Device> {
  const stored = await storedDevice(owner)
  if (stored !== undefined) {
    try {
      return await owner.addDevice(stored)
    } catch (error) {
      // The device of a local page is the command line's: a new one at each start would soon be one too many.
      if (isLocalPage || !(error instanceof ProblemError && error.code === 'error.device.invalid')) throw error
    }
  }
  // Stored first: a repeat after a lost answer continues with the same device.
  const created = newDevice()
  await saveSealedDevice(await sealDevice(created, owner.accountKey))
  const added = await owner.addDevice(created)
  // Without it the list shows the end of its id.
  await owner.nameDevice(added.deviceId, browserName()).catch(() => undefined)
  return added
}
