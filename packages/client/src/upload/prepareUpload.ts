import { toBase64, uuidBytes } from '@blindkeep/protocol/bytes'
import { type AlbumId, type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import type { Device } from '../account/device.ts'
import { AMK_VERSION, derivedKey } from '../assets/assetKeys.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { type FileFacts, headerOf } from '../seal/fileHeader.ts'
import { newId } from '../seal/newId.ts'
import { createSealer } from '../seal/seal.ts'
import type { Source } from '../seal/source.ts'
import { hashFile, type PreparingProgress } from '../send/hashFile.ts'
import { chooseSealed } from './chosenOriginal.ts'
import { signBundle } from './signBundle.ts'
import type { UploadState } from './uploadState.ts'

export interface PrepareUpload extends FileFacts {
  readonly source: Source
  readonly album: AlbumId
  /** New by default. Nothing else was ever sealed for it. */
  readonly assetId?: AssetId | undefined
  /** Signs the manifest. It must be a device of the account by the time the upload is sent. */
  readonly device: Device
  /** RFC 3339, by the server's clock: the file cannot be deleted before, from its landing on. It is signed. */
  readonly retainUntil?: string | undefined
  readonly onProgress?: ((progress: PreparingProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Seals the file once for its hash and tags, seals its metadata and signs both. Sends nothing; asks only for the
 * server's protocol window. Reads the whole file with flat memory. The asset gets a new id and so a new key: one key
 * never seals two contents.
 */
export async function prepareUpload(ports: AssetPorts, options: PrepareUpload): Promise<UploadState> {
  const { accountKey, environment, serverUrl } = ports
  const { source, album, device, retainUntil, signal, onProgress } = options
  const assetId = options.assetId ?? newId(environment, parseAssetId)
  const key = derivedKey({ accountKey, albumId: album, amkVersion: AMK_VERSION, assetId })
  const header = headerOf(source.size, options)
  const sealer = await createSealer({ key, purpose: 'original', contextId: uuidBytes(assetId), header })
  const hashed = await hashFile({ sealer, source, signal, onProgress, environment })
  await ports.prefixes.note(hashed.ciphertextHash, sealer.prefix)
  const original = chooseSealed({ assetId, albumId: album, key, sealer, hashed, file: options })
  const { envelope, metadata, provenance } = await signBundle(ports, { original, device, retainUntil })
  return {
    version: 1,
    baseUrl: serverUrl,
    envelope,
    original: { size: hashed.size, salt: toBase64(sealer.salt), header, tags: toBase64(hashed.tags) },
    metadata: { bytes: toBase64(metadata.bytes) },
    provenance: { bytes: toBase64(provenance.bytes) },
  }
}
