import type { UploadId } from '@blindkeep/protocol/ids'

/** The blobs of a complete asset in sending order. With the manifest last, an interrupted upload can be finished. */
export const BUNDLE_ROLES = ['original', 'metadata', 'provenance'] as const
export type BundleRole = (typeof BUNDLE_ROLES)[number]

/** The upload session of each blob, as far as the client knows it. */
export type SentUploads = { readonly [Role in BundleRole]?: UploadId }
