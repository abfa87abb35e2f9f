import type { AssetFacts, Owner } from '@blindkeep/client/owner'

export interface NotDeleted {
  readonly asset: AssetFacts
  readonly reason: unknown
}

/** Deletes one asset after another. A failure does not stop the deletion of the others. */
export async function deleteEach(
  owner: Pick<Owner, 'deleteAsset'>,
  assets: readonly AssetFacts[],
  onDeleted: (asset: AssetFacts) => void,
): Promise<readonly NotDeleted[]> {
  const failed: NotDeleted[] = []
  for (const asset of assets)
    await owner.deleteAsset(asset.assetId).then(
      () => onDeleted(asset),
      (reason: unknown) => void failed.push({ asset, reason }),
    )
  return failed
}
