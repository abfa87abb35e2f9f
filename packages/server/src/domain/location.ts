import { parseUploadId, type Sha256Hex, type UploadId } from '@blindkeep/protocol/ids'

/** Where a session's copy lies: a place of its own that is never used twice, as no upload id is. */
export function locationOf(ciphertextHash: Sha256Hex, uploadId: UploadId): string {
  return `${ciphertextHash.slice(0, 2)}/${ciphertextHash}.${uploadId}`
}

/** The session that a copy was written by. */
export function uploadIdOf(location: string): UploadId | undefined {
  return parseUploadId(location.split('.')[1] ?? '')
}
