/** Shares: some of what the owner keeps, for whoever has an address. */
import { fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { AssetError, AssetIncomplete } from '../assets/assetError.ts'
import { blobOf, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { assetKeyOf, originalContext, readMetadata } from '../assets/openAsset.ts'
import { readProvenance } from '../assets/provenance.ts'
import { readBlobStart } from '../assets/readBlob.ts'
import { mapBounded } from '../mapBounded.ts'
import { descriptionOf } from '../seal/fileHeader.ts'
import { newOpaqueId } from '../seal/newId.ts'
import { openPrefix, readPrefix } from '../seal/openHeader.ts'
import { formatShare } from './shareAddress.ts'
import { type ShareEntry, sealShareIndex } from './shareIndex.ts'

/** Each takes up to four small requests; more at once would only queue in the browser. */
const ASSETS_AT_ONCE = 6

export interface CreateShare {
  /** RFC 3339; never when left out. */
  readonly expiresAt?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface CreatedShare {
  readonly opaqueId: OpaqueId
  /**
   * For the receiver, whole, and SECRET: whoever has it reads what is shared. The part after # never reaches the server and stands nowhere else, so that
   * this is the only time that it can be copied.
   */
  readonly url: string
}

export interface OwnShare {
  readonly opaqueId: OpaqueId
  readonly createdAt: string
  readonly expiresAt: string | undefined
}

export interface OwnerShares {
  /**
   * Shows the files of these assets, with their names, types and times, to whoever gets the address. What later happens to an asset it does not follow: of one
   * that was deleted or replaced, the file is gone. Throws what `openAsset` throws, `AssetIncomplete` also for an asset that no device has
   * signed, and `ShareError` `too_large`.
   */
  createShare(assetIds: readonly string[], options?: CreateShare): Promise<CreatedShare>
  /** Those that were not deleted, oldest first, expired ones for 30 days; without their addresses. */
  listShares(): Promise<readonly OwnShare[]>
  /** It shows nothing from now on; who has read of it before has what they read. */
  deleteShare(opaqueId: string): Promise<void>
}

interface OwnerSharesPorts extends AssetPorts {
  /** Where others reach the server: its public URL, without a slash at the end. */
  readonly publicUrl: () => Promise<string>
}

export function createOwnerShares(ports: OwnerSharesPorts): OwnerShares {
  const { call, environment, publicUrl } = ports
  return {
    async createShare(assetIds, { expiresAt, signal } = {}) {
      if (assetIds.length === 0) throw new RangeError('a share shows at least one asset')
      const entries = await mapBounded([...new Set(assetIds)], ASSETS_AT_ONCE, (id) => entryOf(ports, id, signal))
      const [opaqueId, baseUrl] = [newOpaqueId(environment), await publicUrl()]
      const shareKey = environment.randomBytes(KEY_BYTES)
      const sealedIndex = await sealShareIndex({ shareKey, opaqueId: fromHex(opaqueId) }, entries)
      const body = {
        opaque_id: opaqueId,
        sealed_index: toBase64(sealedIndex),
        blob_hashes: [...new Set(entries.map(({ hash }) => hash))],
        expires_at: expiresAt ?? null,
      }
      await call('createShare', { body, signal })
      return { opaqueId, url: formatShare({ baseUrl, opaqueId, shareKey }) }
    },

    async listShares() {
      const { body } = await call('listShares')
      return body.shares.map((share) => ({
        opaqueId: share.opaque_id,
        createdAt: share.created_at,
        expiresAt: share.expires_at ?? undefined,
      }))
    },

    async deleteShare(opaqueId) {
      await call('deleteShare', { path: { opaque_id: opaqueId } })
    },
  }
}

/**
 * What goes into the index cannot be taken back, so it follows from what a device has signed alone: of an asset that is told to be unsigned, a server
 * could have any drop of the account shared. The content is not read, so a former original of the same asset, which has the same key, can still be
 * given in place of the present one (decisions/shares.md, What a server that lies gains).
 */
async function entryOf(ports: AssetPorts, assetId: string, signal: AbortSignal | undefined): Promise<ShareEntry> {
  const asset = await readAsset(ports.call, assetId, signal)
  const original = blobOf(asset, 'original')
  if (original === undefined) throw new AssetIncomplete(['original'], 'Finish its upload before it is shared.')
  const { hash } = original
  const provenance = await readProvenance(ports, asset, signal)
  if (provenance === undefined) throw new AssetIncomplete(['provenance'], 'Finish its upload before it is shared.')
  const key = await assetKeyOf(ports, asset, provenance)
  const metadata = await readMetadata(ports, { asset, key, provenance, signal })
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash, count, signal }))
  const { header, secrets } = await openPrefix(prefix, originalContext(asset, key))
  if (provenance.manifest.envelope.plaintext_size < header.size)
    throw new AssetError('asset_differs', 'the asset’s original is given longer than was signed')
  const { name, type, modifiedAt } = descriptionOf(metadata?.header ?? header)
  return { hash, secrets, size: header.size, name, type, modifiedAt }
}
