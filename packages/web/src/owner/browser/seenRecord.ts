/** What a browser remembers of an account: a later session notices a server that says otherwise. */
import { type DeviceId, parseDeviceId, parseInstant, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { isCount, isObject } from '@blindkeep/protocol/json'

export interface SeenRecord {
  /** Of the account key's first id, hashed with that key, so that the record names no account. */
  readonly accountHash: Sha256Hex | undefined
  /** The largest number of a change; 0 for none. */
  readonly changeSeq: number
  /** When each revoked device was revoked, RFC 3339. */
  readonly revokedDevices: ReadonlyMap<DeviceId, string>
  /** The last move of the server after which the owner has looked through keys and sign-ins here, RFC 3339. */
  readonly lookedAfterMove: string | undefined
  /** What was new and what was read in the inbox, sealed (`sealVisits`). */
  readonly visits?: Uint8Array | undefined
}

/** An account has at most a hundred live devices; revoked ones add up slowly. */
const MAX_REVOKED = 10_000

/** Anything else, such as what another release has stored, counts as never seen. */
export function readSeenRecord(stored: unknown): SeenRecord {
  const { accountHash, changeSeq, revokedDevices, lookedAfterMove, visits } = isObject(stored) ? stored : {}
  return {
    accountHash: typeof accountHash === 'string' ? parseSha256Hex(accountHash) : undefined,
    changeSeq: isCount(changeSeq) ? changeSeq : 0,
    revokedDevices: revocationsOf(revokedDevices),
    lookedAfterMove: isInstant(lookedAfterMove) ? lookedAfterMove : undefined,
    ...(visits instanceof Uint8Array && { visits }),
  }
}

/** The first time of a device stays. */
export function withRevoked(seen: SeenRecord, revoked: SeenRecord['revokedDevices']): SeenRecord {
  return { ...seen, revokedDevices: new Map([...revoked, ...seen.revokedDevices]) }
}

function revocationsOf(stored: unknown): SeenRecord['revokedDevices'] {
  const revoked = new Map<DeviceId, string>()
  if (!(stored instanceof Map)) return revoked
  for (const [id, at] of stored) {
    const deviceId = typeof id === 'string' ? parseDeviceId(id) : undefined
    if (deviceId !== undefined && isInstant(at) && revoked.size < MAX_REVOKED) revoked.set(deviceId, at)
  }
  return revoked
}

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && parseInstant(value) !== undefined
}
