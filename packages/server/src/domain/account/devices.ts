/** The keys that sign manifests. Manifests are checked against a device's first values, so these never change. */
import type { AccountId, DeviceId, SessionId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import {
  accountLock,
  type BlobPlace,
  type Device,
  type NewDevice,
  type Place,
  type Store,
  type WriteTx,
} from '../../ports/store.ts'
import { requireActiveAccount } from '../ground/activeAccount.ts'
import { BOUNDS, judgeBound } from '../ground/bounds.ts'
import { inPages, PAGE_ROWS } from '../ground/inPages.ts'
import { listOf } from '../ground/lists.ts'
import type { NewName } from '../ground/newName.ts'
import type { Refuses } from '../ground/refusals.ts'
import { isSame } from '../ground/sameBytes.ts'
import { type Spender, sharedLimits } from '../ground/sessionShare.ts'

/** Revoked devices without present files: so many stay at the bound, so that a list says what was just revoked. */
const KEPT_REVOKED = 100
/** Of one account in an hour. Each reads the envelopes of all its files, also when it frees no row. */
export const MAX_PRUNES = 20
const HOUR_SECONDS = 3600
const ALL = 'devices, revoked ones included'

export interface DeviceRequest extends Omit<NewDevice, 'accountId' | 'createdAt'> {
  readonly sessionId?: SessionId | undefined
}

export interface AddedDevice {
  readonly device: Device
  readonly isRepeat: boolean
}

interface DevicePorts {
  readonly store: Store
  readonly clock: Clock
  readonly limiter: Pick<Limiter, 'take'>
}

export type Devices = ReturnType<typeof createDevices>

export function createDevices({ store, clock, limiter }: DevicePorts) {
  /** Revoked devices give up their rows if no present file was signed by them: their keys judge nothing. */
  async function makePlace(spender: Spender): Promise<void> {
    const { accountId } = spender
    if ((await store.ask((tx) => tx.devices.count(accountId))) < BOUNDS[ALL]) return
    const prunes = sharedLimits('device-prunes', spender, { max: MAX_PRUNES, windowSeconds: HOUR_SECONDS })
    if ((await limiter.take(prunes)) !== undefined) return
    const unused = new Set(await store.ask((tx) => tx.devices.revokedBefore(accountId, KEPT_REVOKED)))
    // No file is signed by a device that is revoked already, so what was read before stays true, but for what goes to
    // the bin and back meanwhile: before and after are both looked at.
    await spareBin(accountId, unused)
    await inPages(async (after: BlobPlace | undefined) => {
      const { signers, next } = await store.ask((tx) => tx.devices.signersOf(accountId, { after, max: PAGE_ROWS }))
      for (const deviceId of signers) unused.delete(deviceId)
      return { items: [], next: unused.size > 0 ? next : undefined }
    })
    await spareBin(accountId, unused)
    await store.write([accountLock(accountId)], (tx) => tx.devices.remove(accountId, [...unused]))
  }

  /** What is in the bin may be present again. */
  async function spareBin(accountId: AccountId, unused: Set<DeviceId>): Promise<void> {
    await inPages(async (after: Place | undefined) => {
      const { rows, next } = await store.ask((tx) => tx.bin.page(accountId, { after, max: PAGE_ROWS }))
      for (const { removed } of rows)
        for (const { envelope } of removed.asset === undefined ? [] : removed.blobs)
          unused.delete(envelope.created_by_device)
      return { items: [], next: unused.size > 0 ? next : undefined }
    })
  }

  return {
    /** Adds a device. A repeat with the same values by the same account gets the same answer. */
    async add(
      accountId: AccountId,
      { sessionId, ...request }: DeviceRequest,
    ): Promise<AddedDevice | Refuses<'session_over' | 'device_invalid' | 'limit_reached'>> {
      const device: NewDevice = { ...request, accountId, createdAt: clock.now() }
      await makePlace({ accountId, sessionId })
      return store.write([accountLock(accountId)], async (tx) => {
        const refused = await requireActiveAccount(tx, accountId)
        if (refused !== undefined) return refused
        const present = await tx.devices.find(device.deviceId)
        if (present !== undefined)
          return isRepeat(present, device) ? { device: present, isRepeat: true } : { refused: 'device_invalid' }
        const overBound = await judgeCount(tx, accountId)
        if (overBound !== undefined) return overBound
        if (!(await tx.devices.insert(device))) return { refused: 'device_invalid' }
        return { device: { ...device, sealedName: undefined, revokedAt: undefined }, isRepeat: false }
      })
    },

    list: listOf(store, { rows: (tx) => tx.devices, gone: { refused: 'device_not_found' } }),

    /** The owner's own name for a device, also for a revoked one. Undefined removes it. */
    async name(
      accountId: AccountId,
      deviceId: DeviceId,
      sealedName: NewName,
    ): Promise<Refuses<'device_not_found'> | undefined> {
      return store.write([accountLock(accountId)], async (tx) => {
        const device = await tx.devices.find(deviceId)
        if (device?.accountId !== accountId) return { refused: 'device_not_found' }
        if (sealedName !== 'same') await tx.devices.setName(deviceId, sealedName)
        return undefined
      })
    },

    /**
     * Revokes for good; a repeat keeps the first time. Ends the sessions that are tied to the device, in the same
     * transaction. No later session can name it: `sessionDevice.ts` judges the device in each transaction that would
     * tie one. A caller that proves the key may still sign in without a device.
     */
    async revoke(accountId: AccountId, deviceId: DeviceId): Promise<Refuses<'device_not_found'> | undefined> {
      return store.write([accountLock(accountId)], async (tx) => {
        const device = await tx.devices.find(deviceId)
        if (device?.accountId !== accountId) return { refused: 'device_not_found' }
        const now = clock.now()
        await tx.devices.revoke(deviceId, accountId, now)
        const live = await tx.sessions.listLive(accountId, now)
        for (const session of live) if (session.deviceId === deviceId) await tx.sessions.end(session.sessionId, now)
        return undefined
      })
    },
  }
}

async function judgeCount(tx: WriteTx, accountId: AccountId): Promise<Refuses<'limit_reached'> | undefined> {
  return (
    judgeBound('live devices', await tx.devices.countLive(accountId)) ??
    judgeBound(ALL, await tx.devices.count(accountId))
  )
}

function isRepeat(present: Device, device: NewDevice): boolean {
  return (
    present.revokedAt === undefined &&
    present.accountId === device.accountId &&
    isSame(present.publicKey, device.publicKey) &&
    isSame(present.mac, device.mac)
  )
}
