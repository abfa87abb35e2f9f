/** The devices of the account, remembered for a short time: an album checks the signatures of hundreds of assets. */
import type { ListedDevice } from '../account/ownerDevices.ts'
import type { Environment } from '../ground/environment.ts'
import { AssetError } from './assetError.ts'

/** A revocation by another client counts at the latest after this time; opening a file always reads the list. */
const MAX_AGE_MS = 60_000

type Devices = () => Promise<readonly ListedDevice[]>

export interface KnownDevices {
  /** Calls `work` with the remembered list, and once more with the present one when it meets an unknown device. */
  using<Result>(work: (devices: Devices) => Promise<Result>): Promise<Result>
  /** The next use reads the list. */
  forget(): void
}

interface KnownDevicesPorts {
  readonly devices: Devices
  readonly environment: Pick<Environment, 'now'>
}

export function createKnownDevices(ports: KnownDevicesPorts): KnownDevices {
  let known: { readonly list: Promise<readonly ListedDevice[]>; readonly readAt: number } | undefined

  /** A clock that was set back must not keep the list. */
  function devices(): Promise<readonly ListedDevice[]> {
    const now = ports.environment.now()
    if (known !== undefined && Math.abs(now - known.readAt) <= MAX_AGE_MS) return known.list
    const reading = { list: ports.devices(), readAt: now }
    known = reading
    reading.list.catch(() => {
      if (known === reading) known = undefined
    })
    return reading.list
  }

  return {
    async using(work) {
      let used: typeof known
      const noted = () => {
        const list = devices()
        used = known
        return list
      }
      try {
        return await work(noted)
      } catch (error) {
        if (!(error instanceof AssetError && error.reason === 'device_unknown')) throw error
        // Another user may have read the list again meanwhile.
        if (known === used) known = undefined
        return work(devices)
      }
    },
    forget: () => {
      known = undefined
    },
  }
}
