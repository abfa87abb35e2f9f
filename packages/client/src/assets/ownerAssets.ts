/** The owner's assets: read, opened, deleted. */
import type { AssetId } from '@blindkeep/protocol/ids'
import { MAX_RETAINED_ASSETS } from '@blindkeep/protocol/schemas/assets'
import { type AssetFacts, readAsset } from './assetFacts.ts'
import type { AssetPorts } from './assetPorts.ts'
import { createDescribeAsset, type DescribeAsset } from './describeAsset.ts'
import type { KnownDevices } from './knownDevices.ts'
import { type OpenAssetOptions, type OpenedAsset, openAsset } from './openAsset.ts'

export interface OwnerAssets {
  /** What the server says of an asset, unverified; `openAsset` compares it with the signed manifest. */
  asset(assetId: string): Promise<AssetFacts>
  /**
   * Name, type and size from the signed metadata, without reading the content. If a guest padded the file, the size
   * includes the padding. Throws what `openAsset` throws.
   */
  readonly describeAsset: DescribeAsset
  /** Verifies the manifest's signature, and streams the file. A page that shows facts passes these, not the id. */
  openAsset(asset: string | AssetFacts, options?: OpenAssetOptions): Promise<OpenedAsset>
  /** It goes to the bin, with its use of the quota. Throws `error.asset.retained` before the retention time is over. */
  deleteAsset(assetId: string): Promise<void>
  /**
   * These assets cannot be deleted before `until` (RFC 3339, by the server's clock), nor can the account. It is only
   * raised, and cannot be undone. Throws `error.manifest.retention_too_long` beyond `limits.retention_days` of the
   * server facts, and what a call throws; then some of the assets may be raised, and the same call does the rest.
   */
  retainAssets(assetIds: readonly AssetId[], until: string): Promise<RetainedAssets>
}

export interface RetainedAssets {
  /** How many are retained for longer than before. */
  readonly raised: number
  /** These are not retained by it: they do not exist, or no device has signed them yet. */
  readonly skipped: readonly AssetId[]
}

export function createOwnerAssets(ports: AssetPorts, known: KnownDevices): OwnerAssets {
  const { call } = ports
  return {
    asset: (assetId) => readAsset(call, assetId),
    describeAsset: createDescribeAsset(ports, known),
    openAsset: (asset, options) => openAsset(ports, asset, options),
    deleteAsset: async (assetId) => {
      await call('deleteAsset', { path: { asset_id: assetId } })
    },
    async retainAssets(assetIds, until) {
      const skipped: AssetId[] = []
      let raised = 0
      for (let from = 0; from < assetIds.length; from += MAX_RETAINED_ASSETS) {
        const asset_ids = assetIds.slice(from, from + MAX_RETAINED_ASSETS)
        const { body } = await call('retainAssets', { body: { asset_ids, until } })
        raised += body.raised
        skipped.push(...body.skipped)
      }
      return { raised, skipped }
    },
  }
}
