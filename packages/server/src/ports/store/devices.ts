import type { AccountId, DeviceId, Instant } from '@blindkeep/protocol/ids'

export interface NewDevice {
  readonly deviceId: DeviceId
  readonly accountId: AccountId
  /** 1984 bytes: Ed25519 (32) and ML-DSA-65 (1952). */
  readonly publicKey: Uint8Array
  /** 32 bytes under a key of the account’s, opaque here. */
  readonly mac: Uint8Array | undefined
  readonly createdAt: Instant
}

export interface Device extends NewDevice {
  readonly revokedAt: Instant | undefined
}

export interface DeviceReads {
  find(deviceId: DeviceId): Promise<Device | undefined>
  /** Revoked ones too, oldest first. */
  listOf(accountId: AccountId): Promise<readonly Device[]>
  /** Devices that are not revoked. */
  countLive(accountId: AccountId): Promise<number>
}

export interface DeviceWrites {
  /** False when the id is taken, by whomever. */
  insert(device: NewDevice): Promise<boolean>
  /** False when there is no such device of this account, or it was revoked before. */
  revoke(deviceId: DeviceId, accountId: AccountId, at: Instant): Promise<boolean>
}
