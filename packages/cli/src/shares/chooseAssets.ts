/** The files that a person means: by id, by its beginning, or by name. */
import { AssetError, AssetIncomplete, AssetUnsigned, ProblemError, SealError } from '@blindkeep/client/errors'
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import type { AssetId } from '@blindkeep/protocol/ids'
import { pick } from '../pick.ts'
import type { Report } from '../report.ts'

/** Shorter ones may be names of other files, as 2026 may. As long as lists show. */
const SURE_ID_LENGTH = 8
/** Each name takes up to three small requests. */
const NAMES_AT_ONCE = 6

interface ChooseAssets {
  readonly owner: Owner
  readonly given: readonly string[]
  readonly report: Report
  readonly signal: AbortSignal
}

export async function chooseAssets({ given, ...ports }: ChooseAssets): Promise<readonly AssetFacts[]> {
  const assets = await allAssets(ports.owner, ports.signal)
  const isId = (text: string) =>
    text.length >= SURE_ID_LENGTH && assets.some(({ assetId }) => assetId.startsWith(text.toLowerCase()))
  // Each name is sealed for itself: they are read only if they are needed.
  const names = given.every(isId) ? new Map<AssetId, string>() : await namesOf(assets, ports)
  const name = ({ assetId }: AssetFacts) => names.get(assetId)
  const id = ({ assetId }: AssetFacts) => assetId
  return given.map((text) => pick(assets, text, { what: 'file', listedBy: 'ls', id, name }))
}

async function allAssets(owner: Owner, signal: AbortSignal): Promise<readonly AssetFacts[]> {
  const assets: AssetFacts[] = []
  for await (const { changes } of owner.changes({ signal }))
    for (const { asset } of changes) if (asset !== undefined) assets.push(asset)
  return assets
}

async function namesOf(
  assets: readonly AssetFacts[],
  { owner, report, signal }: Omit<ChooseAssets, 'given'>,
): Promise<ReadonlyMap<AssetId, string>> {
  const names = new Map<AssetId, string>()
  let read = 0
  await forEachConcurrently(assets, NAMES_AT_ONCE, async (asset) => {
    report.progress(() => [`reading names: ${read} of ${assets.length}`])
    const name = await nameOf(owner, asset, signal)
    if (name !== undefined) names.set(asset.assetId, name)
    read += 1
  })
  return names
}

/** A file that cannot be shared has no name here, and does not stop others from being shared. */
async function nameOf(owner: Owner, asset: AssetFacts, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await owner.describeAsset(asset, { allowRevokedDevice: true, signal })).name
  } catch (error) {
    if (isOfThisAsset(error)) return undefined
    throw error
  }
}

function isOfThisAsset(error: unknown): boolean {
  const codes: readonly string[] = ['error.blob.not_found', 'error.blob.withheld', 'error.storage.unavailable']
  if (error instanceof ProblemError) return codes.includes(error.code)
  return [AssetError, AssetIncomplete, AssetUnsigned, SealError].some((fault) => error instanceof fault)
}
