import type { AccountId, DeviceId, Instant } from '@blindkeep/protocol/ids'

export interface NewDevice {
  readonly deviceId: DeviceId
  readonly accountId: AccountId
  /** 1984 bytes: Ed25519 (32) and ML-DSA-65 (1952). */
  readonly publicKey: Uint8Array
  /** 32 bytes that a client made with a key of the account. The server cannot check them. */
  readonly mac: Uint8Array | undefined
  readonly createdAt: Instant
}

export interface Device extends NewDevice {
  /** The owner's name for it. */
  readonly sealedName: Uint8Array | undefined
  readonly revokedAt: Instant | undefined
}

export interface DeviceReads {
  find(deviceId: DeviceId): Promise<Device | undefined>
  /** Revoked ones too, oldest first. */
  listOf(accountId: AccountId): Promise<readonly Device[]>
  /** Revoked ones too. */
  count(accountId: AccountId): Promise<number>
  /** Devices that are not revoked. */
  countLive(accountId: AccountId): Promise<number>
}

export interface DeviceWrites {
  /** False if the id is taken, by any account. */
  insert(device: NewDevice): Promise<boolean>
  /** Removes the revoked devices that no present blob of the account names, but for the `kept` that were revoked last. */
  prune(accountId: AccountId, kept: number): Promise<void>
  /** Undefined removes the name. */
  setName(deviceId: DeviceId, sealedName: Uint8Array | undefined): Promise<void>
  /** False if the account has no such device, or it was revoked before. */
  revoke(deviceId: DeviceId, accountId: AccountId, at: Instant): Promise<boolean>
}
