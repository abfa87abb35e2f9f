/** What a share has of one file. */
import { AssetError } from '../assets/assetError.ts'
import type { AssetFacts } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { readBlobStart } from '../assets/readBlob.ts'
import {
  type AssetPermissions,
  nameFacts,
  originalContext,
  readMetadata,
  vouchForSigned,
} from '../assets/vouchedAsset.ts'
import { descriptionOf } from '../seal/fileHeader.ts'
import { openPrefix, readPrefix } from '../seal/openHeader.ts'
import type { ShareEntry } from './shareIndex.ts'

/** Each takes up to four small requests; more at once would only queue in the browser. */
export const ENTRIES_AT_ONCE = 6

interface EntryOptions extends Pick<AssetPermissions, 'allowRevokedDevice'> {
  readonly signal?: AbortSignal | undefined
}

/**
 * Refuses an asset without a signed manifest: a malicious server could present any drop of the account as an unsigned
 * asset. Reads the manifest, the metadata and the header of the original, not its content. So the server can still
 * substitute a former original of the same asset, which has the same key (decisions/shares.md).
 */
export async function shareEntryOf(
  ports: AssetPorts,
  asset: AssetFacts,
  { allowRevokedDevice, signal }: EntryOptions,
): Promise<ShareEntry> {
  const vouched = await vouchForSigned(ports, asset, { allowRevokedDevice }, signal)
  const { hash } = vouched.original
  const metadata = await readMetadata(ports, vouched, signal)
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash, count, signal }))
  const { header, secrets } = await openPrefix(prefix, originalContext(asset, vouched.key))
  if (vouched.provenance.manifest.envelope.plaintext_size < header.size)
    throw new AssetError('asset_differs', 'the server’s original is longer than the signed one')
  const { name, type, modifiedAt } = descriptionOf({ ...nameFacts(vouched, metadata, header), size: header.size })
  return { hash, secrets, size: header.size, name, type, modifiedAt }
}
