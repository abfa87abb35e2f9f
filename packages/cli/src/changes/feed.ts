/** Which assets an account has, by the server's list of changes. */
import type { AssetFacts } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { SignedIn } from '../account/session.ts'
import type { Reading } from '../home/damaged.ts'

const SEEN: Reading<number> = {
  is: (json): json is number => Number.isSafeInteger(json),
  says: 'up to which change the server’s list was seen',
  without: 'to accept the list that the server gives now',
}

const nameOf = ({ owner }: Pick<SignedIn, 'owner'>) => `feed-${owner.accountId}`

/** The largest number of a change that this profile has seen. */
export async function feedPosition({ owner, profile }: Pick<SignedIn, 'owner' | 'profile'>): Promise<number> {
  return (await profile.vault.read(nameOf({ owner }), SEEN)) ?? 0
}

/**
 * All assets that are there, in the order of their last changes; what the server states of them is unverified. Throws
 * `FeedRolledBack` if the list ends before a change that this profile has seen.
 */
export async function accountAssets(
  { owner, profile }: SignedIn,
  signal?: AbortSignal,
): Promise<readonly AssetFacts[]> {
  const stored = () => feedPosition({ owner, profile })
  const seen = await stored()
  const assets = new Map<AssetId, AssetFacts>()
  let last = seen
  for await (const { changes } of owner.changes({ seen, signal }))
    for (const { seq, assetId, asset } of changes) {
      last = seq
      if (asset !== undefined) assets.set(assetId, asset)
    }
  if (last > seen)
    await profile.alone(async () => profile.vault.write(nameOf({ owner }), Math.max(last, await stored())))
  return [...assets.values()]
}
