import { parseSha256Hex, parseUploadId, type Sha256Hex, type UploadId } from '@blindkeep/protocol/ids'

/** Where a session's object lies: a place of its own that is never used twice, as no upload id is. */
export function locationOf(ciphertextHash: Sha256Hex, uploadId: UploadId): string {
  return `${ciphertextHash.slice(0, 2)}/${ciphertextHash}.${uploadId}`
}

/** The session that an object was written by. */
export function uploadIdOf(location: string): UploadId | undefined {
  return parseUploadId(location.split('.')[1] ?? '')
}

/** What `locationOf` was made of. Throws for a location that it did not make. */
export function partsOf(location: string): { readonly ciphertextHash: Sha256Hex; readonly uploadId: UploadId } {
  const ciphertextHash = parseSha256Hex(location.slice(3, 67))
  const uploadId = uploadIdOf(location)
  if (ciphertextHash === undefined || uploadId === undefined || locationOf(ciphertextHash, uploadId) !== location)
    throw new Error(`an object lies at ${location}, which is not of our making. See \`blindkeep-server fsck\`.`)
  return { ciphertextHash, uploadId }
}
