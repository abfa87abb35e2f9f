/** The owner's assets: read, opened, deleted. */
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
  /** Frees the quota at once; the id stays taken. Throws `error.asset.retained` before the retention time is over. */
  deleteAsset(assetId: string): Promise<void>
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
  }
}
