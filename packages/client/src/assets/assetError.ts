import type { DeviceId } from '@blindkeep/protocol/ids'
import { ReasonedError } from '@blindkeep/protocol/reasonedError'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'

/** What the server's data about an asset contradicts. */
export type AssetFault =
  | 'asset_differs'
  | 'provenance_invalid'
  | 'device_unknown'
  | 'envelope_differs'
  | 'key_unreadable'
  | 'hash_differs'
  | 'metadata_differs'

/** What the server says of an asset contradicts itself or a device's signature. The message names the contradiction. */
export class AssetError extends ReasonedError<AssetFault> {
  override readonly name = 'AssetError'

  constructor(reason: AssetFault, finding: string, options?: ErrorOptions) {
    super(reason, `Tampering detected: ${finding}.`, options)
  }
}

/** Blobs of a complete asset are missing: an upload was interrupted. This is not a sign of tampering. */
export class AssetIncomplete extends Error {
  override readonly name = 'AssetIncomplete'
  readonly missing: readonly BlobRole[]

  constructor(missing: readonly BlobRole[], advice: string) {
    super(`The file is not complete, it lacks: ${missing.join(' and ')}. ${advice}`)
    this.missing = missing
  }
}

/** The device behind a signature that does not count without the owner's consent. */
export interface RevokedSigner {
  readonly deviceId: DeviceId
  /** RFC 3339, stated by the server. */
  readonly revokedAt: string
}

/**
 * No live device of the account vouches for the asset, and the caller did not allow that by name (`AssetPermissions`).
 * Without a signature, a malicious server can return another file of the account. With a signature of a revoked device,
 * a thief of that device can have signed it, with any date.
 */
export class AssetUnsigned extends Error {
  override readonly name = 'AssetUnsigned'
  /** Undefined when no device has signed the asset. */
  readonly revoked: RevokedSigner | undefined

  constructor(revoked?: RevokedSigner) {
    super(
      revoked === undefined
        ? 'No device of the account has signed the file: it may be another file than it seems.'
        : 'The file is signed by a device that was revoked: a thief of that device may have signed it.',
    )
    this.revoked = revoked
  }
}
