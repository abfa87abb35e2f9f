import type { AccountId, DeviceId, Instant, Sha256Hex } from '@blindkeep/protocol/ids'

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

export interface BlobPlace {
  readonly ciphertextHash: Sha256Hex
  readonly blobSeq: number
}

export interface DeviceReads {
  find(deviceId: DeviceId): Promise<Device | undefined>
  /** Revoked ones too, oldest first. */
  listOf(accountId: AccountId): Promise<readonly Device[]>
  /** Revoked ones too. */
  count(accountId: AccountId): Promise<number>
  /** Devices that are not revoked. */
  countLive(accountId: AccountId): Promise<number>
  /** The revoked ones but for the `kept` that were revoked last. */
  revokedBefore(accountId: AccountId, kept: number): Promise<readonly DeviceId[]>
  /** By which devices at most `max` present blobs of the account are signed, in the order of their hashes. `next` is undefined after the last ones. */
  signersOf(
    accountId: AccountId,
    from: { readonly after: BlobPlace | undefined; readonly max: number },
  ): Promise<{ readonly signers: readonly DeviceId[]; readonly next: BlobPlace | undefined }>
}

export interface DeviceWrites {
  /** False if the id is taken, by any account. */
  insert(device: NewDevice): Promise<boolean>
  /** Removes those of them that are revoked. */
  remove(accountId: AccountId, deviceIds: readonly DeviceId[]): Promise<void>
  /** Undefined removes the name. */
  setName(deviceId: DeviceId, sealedName: Uint8Array | undefined): Promise<void>
  /** False if the account has no such device, or it was revoked before. */
  revoke(deviceId: DeviceId, accountId: AccountId, at: Instant): Promise<boolean>
}
