import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'

/** What was caught about an asset. */
export type AssetFault =
  | 'asset_differs'
  | 'provenance_invalid'
  | 'device_unknown'
  | 'envelope_differs'
  | 'key_unreadable'
  | 'hash_differs'
  | 'metadata_differs'

/** The server gives an asset that contradicts itself, or what a device of the account has signed. The message says what was caught. */
export class AssetError extends Error {
  override readonly name = 'AssetError'
  readonly reason: AssetFault

  constructor(reason: AssetFault, caught: string, options?: ErrorOptions) {
    super(`Caught: ${caught}.`, options)
    this.reason = reason
  }
}

/** Blobs are missing that belong to a complete asset. Nobody lied: an upload was cut short. */
export class AssetIncomplete extends Error {
  override readonly name = 'AssetIncomplete'
  readonly missing: readonly BlobRole[]

  constructor(missing: readonly BlobRole[], advice: string) {
    super(`The asset is not complete: ${missing.join(' and ')} missing. ${advice}`)
    this.missing = missing
  }
}
