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

/** The server's data about an asset contradicts itself, or what a device of the account has signed. The message names the contradiction. */
export class AssetError extends Error {
  override readonly name = 'AssetError'
  readonly reason: AssetFault

  constructor(reason: AssetFault, finding: string, options?: ErrorOptions) {
    super(`Tampering detected: ${finding}.`, options)
    this.reason = reason
  }
}

/** Blobs of a complete asset are missing: an upload was interrupted. This is not a sign of tampering. */
export class AssetIncomplete extends Error {
  override readonly name = 'AssetIncomplete'
  readonly missing: readonly BlobRole[]

  constructor(missing: readonly BlobRole[], advice: string) {
    super(`The asset is not complete, it lacks: ${missing.join(' and ')}. ${advice}`)
    this.missing = missing
  }
}
