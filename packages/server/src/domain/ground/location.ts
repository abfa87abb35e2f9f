import { parseSha256Hex, parseUploadId, type Sha256Hex, type UploadId } from '@blindkeep/protocol/ids'

/** Where an upload's object lies. No location is used twice, because no upload id is. */
export function locationOf(ciphertextHash: Sha256Hex, uploadId: UploadId): string {
  return `${ciphertextHash.slice(0, 2)}/${ciphertextHash}.${uploadId}`
}

/** The upload that wrote an object. Undefined for a location of another form. */
export function uploadIdOf(location: string): UploadId | undefined {
  return parseUploadId(location.split('.')[1] ?? '')
}

/** The inverse of `locationOf`. Throws for a location that `locationOf` cannot have made. */
export function partsOf(location: string): { readonly ciphertextHash: Sha256Hex; readonly uploadId: UploadId } {
  const ciphertextHash = parseSha256Hex(location.slice(3, 67))
  const uploadId = uploadIdOf(location)
  if (ciphertextHash === undefined || uploadId === undefined || locationOf(ciphertextHash, uploadId) !== location)
    throw new Error(`this server cannot have made the object location ${location}. Run \`blindkeep-server fsck\`.`)
  return { ciphertextHash, uploadId }
}
