/**
 * Ties sessions to devices: revoking a device ends its sessions. A session is tied at sign-in, or later by its client,
 * which often knows its device only after the account key is open. Each rule runs in the transaction that acts on it,
 * so beside a revocation one of the two comes first.
 */
import type { AccountId, DeviceId, SessionId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { type Account, accountLock, type ReadTx, type Store } from '../../ports/store.ts'
import { isLive } from '../ground/liveSession.ts'
import type { Refuses } from '../ground/refusals.ts'

/**
 * For each transaction that makes a session or a challenge: neither may name a revoked device. A device that is not the
 * account's is only the client's statement: the account may add it later.
 */
export async function judgeNamedDevice(
  tx: ReadTx,
  { accountId, deviceId }: { readonly accountId: AccountId; readonly deviceId: DeviceId | undefined },
): Promise<Refuses<'device_not_authorized'> | undefined> {
  const device = deviceId && (await tx.devices.find(deviceId))
  return device?.accountId === accountId && device.revokedAt !== undefined
    ? { refused: 'device_not_authorized' }
    : undefined
}

type BindRefusal = Refuses<'session_over' | 'device_not_found' | 'device_not_authorized' | 'session_bound'>

export function createBindSession({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  /** Ties the session to a live device, for good: refresh tokens stay tied. A repeat is the same success. */
  return async function bind(
    {
      account: { accountId },
      sessionId,
    }: { readonly account: Pick<Account, 'accountId'>; readonly sessionId: SessionId },
    deviceId: DeviceId,
  ): Promise<BindRefusal | undefined> {
    return store.write([accountLock(accountId)], async (tx) => {
      const session = await tx.sessions.find(sessionId)
      if (session === undefined || !isLive(session, clock.now())) return { refused: 'session_over' }
      const device = await tx.devices.find(deviceId)
      if (device?.accountId !== accountId) return { refused: 'device_not_found' }
      if (device.revokedAt !== undefined) return { refused: 'device_not_authorized' }
      if (session.deviceId === deviceId) return undefined
      return (await tx.sessions.bind(sessionId, deviceId)) ? undefined : { refused: 'session_bound' }
    })
  }
}
