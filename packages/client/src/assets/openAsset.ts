import type { Bytes } from '@blindkeep/protocol/bytes'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import { descriptionOf, type FileDescription } from '../seal/fileHeader.ts'
import { openHashedBlob } from '../seal/hashedBlob.ts'
import { AssetError } from './assetError.ts'
import { type AssetFacts, readAsset } from './assetFacts.ts'
import type { AssetPorts } from './assetPorts.ts'
import { downloadBlob } from './readBlob.ts'
import {
  type AssetPermissions,
  nameFacts,
  originalContext,
  readMetadata,
  type Signed,
  signedOf,
  vouchFor,
} from './vouchedAsset.ts'

export interface OpenAssetOptions extends AssetPermissions {
  readonly signal?: AbortSignal | undefined
}

export interface OpenedAsset extends FileDescription {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  /** Undefined only with `allowUnsigned`, when no device has signed the asset. */
  readonly signed: Signed | undefined
  /**
   * The file. When the connection breaks, it goes on where it was; it fails with `NetworkError` after many tries
   * without a further byte. It fails with `SealError` when the bytes were altered, and with `AssetError` at the end
   * when they do not have the signed hash. After a failure the consumer must discard what it has written.
   */
  readonly content: ReadableStream<Bytes>
}

/**
 * Opens an asset of the account. With facts that were read before, such as those that a page shows, it opens exactly
 * what they describe; with an id, what the server describes now. Throws `AssetUnsigned` when no live device vouches for
 * the asset, `AssetError` for a contradiction, `AssetIncomplete` when the original is missing, `SealError` when key,
 * header or format are wrong, and what a call throws.
 */
export async function openAsset(
  ports: AssetPorts,
  which: string | AssetFacts,
  { signal, ...permissions }: OpenAssetOptions = {},
): Promise<OpenedAsset> {
  const { call } = ports
  const asset = typeof which === 'string' ? await readAsset(call, which, signal) : which
  const vouched = await vouchFor(ports, asset, permissions, signal)
  const { original, provenance, key } = vouched
  const metadata = await readMetadata(ports, vouched, signal)
  const { header, content } = await openHashedBlob({
    stream: await downloadBlob(ports, { hash: original.hash, signal }),
    opener: originalContext(asset, key),
    hash: ports.environment.createHash(),
    expectedHash: original.hash,
    differenceError: () =>
      new AssetError(
        'hash_differs',
        'the server’s bytes for this asset are not the signed ones; discard what was read',
      ),
    onWhole: (prefix) => ports.prefixes.note(original.hash, prefix),
  })
  if (provenance !== undefined && header.size > provenance.manifest.envelope.plaintext_size) {
    await content.cancel()
    throw new AssetError('asset_differs', 'the server’s original is longer than the signed one')
  }
  return {
    ...descriptionOf({ ...nameFacts(vouched, metadata, header), size: header.size }),
    assetId: asset.assetId,
    albumId: asset.albumId,
    signed: provenance && signedOf(provenance),
    content,
  }
}
