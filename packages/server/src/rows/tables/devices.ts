import type { AccountId, DeviceId, Instant } from '@blindkeep/protocol/ids'
import { given, later, type New, optional, type Row, sequence } from '../columns.ts'

export const devices = {
  /** The order in which they were added. */
  deviceSeq: sequence(),
  deviceId: given<DeviceId>(),
  accountId: given<AccountId>(),
  /** 1984 bytes: Ed25519 (32) and ML-DSA-65 (1952). */
  publicKey: given<Uint8Array>(),
  /** 32 bytes that a client made with a key of the account. The server cannot check them. */
  mac: optional<Uint8Array>(),
  createdAt: given<Instant>(),
  revokedAt: later<Instant>(),
  /** The owner's name for it. */
  sealedName: later<Uint8Array>(),
}

export type Device = Row<typeof devices>
export type NewDevice = New<typeof devices>
