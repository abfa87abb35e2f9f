/** Names and sizes of an account's assets, verified on this machine, kept in the profile for the next list. */
import { createHash } from 'node:crypto'
import { AssetError, AssetUnsigned, ProblemError, SealError } from '@blindkeep/client/errors'
import type { Findable } from '@blindkeep/client/find'
import type { AssetFacts, FileDescription } from '@blindkeep/client/owner'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import type { AssetId, DeviceId } from '@blindkeep/protocol/ids'
import { isObject } from '@blindkeep/protocol/json'
import type { SignedIn } from '../account/session.ts'
import { hasTexts, type Reading, unlessDamaged } from '../home/damaged.ts'
import { type Failure, failureOf } from '../outcomes/failures.ts'

/** Each takes two small requests and some milliseconds for signatures. */
const AT_ONCE = 12

export type AssetState = 'complete' | 'incomplete' | 'unsigned' | 'device_revoked' | 'withheld' | 'unreadable'

export interface DescribedAsset {
  readonly asset: AssetFacts
  readonly state: AssetState
  /** Only of what a device of the account has signed. */
  readonly file: FileDescription | undefined
  /** Why there is no description. */
  readonly failure: Failure | undefined
  /** RFC 3339: when its signing device was revoked. Shown beside the name, and asked about before opening. */
  readonly signerRevokedAt?: string | undefined
}

export function findableAsset({ asset: { envelope, createdAt: at }, file }: DescribedAsset): Findable {
  return { file, size: file?.size ?? envelope.plaintext_size, at }
}

interface Kept {
  /** What the server stated of the asset when it was verified: another statement is verified again. */
  readonly facts: string
  readonly deviceId: DeviceId
  readonly file: FileDescription
}

const DESCRIPTIONS: Reading<readonly [AssetId, Kept][]> = {
  is: (json): json is [AssetId, Kept][] =>
    Array.isArray(json) &&
    json.every(
      (each) =>
        Array.isArray(each) &&
        typeof each[0] === 'string' &&
        hasTexts(each[1], ['facts', 'deviceId']) &&
        isObject((each[1] as Readonly<Record<string, unknown>>).file),
    ),
  says: 'what the files of the account are called',
  without: 'to read their names again',
}

/**
 * One description for each asset, in their order. `all`: the assets of the account, whose descriptions are kept. Throws
 * what says nothing about one asset, for example `NetworkError`.
 */
export async function describeAssets(
  { owner, profile, report }: SignedIn,
  assets: readonly AssetFacts[],
  { all, signal }: { readonly all?: readonly AssetFacts[]; readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly DescribedAsset[]> {
  const name = `descriptions-${owner.accountId}`
  // Without it, all is read again.
  const stored = await profile.vault.read(name, DESCRIPTIONS).catch(unlessDamaged)
  const known = new Map(stored ?? [])
  const own = known.size === 0 ? [] : (await owner.devices()).filter(({ isOwn }) => isOwn)
  const signers = new Map(own.map(({ deviceId, revokedAt }) => [deviceId, revokedAt]))
  const described = new Map<AssetId, DescribedAsset>()
  const unknown: AssetFacts[] = []
  for (const asset of assets) {
    const before = known.get(asset.assetId)
    if (before === undefined || before.facts !== factsHash(asset) || !signers.has(before.deviceId)) unknown.push(asset)
    else described.set(asset.assetId, signedAs(asset, before.file, signers.get(before.deviceId)))
  }
  try {
    await forEachConcurrently(unknown, AT_ONCE, async (asset) => {
      const one = await describe(owner, asset, signal)
      described.set(asset.assetId, one.described)
      if (one.remembered !== undefined) known.set(asset.assetId, one.remembered)
      report.progress(() => [`${described.size} of ${assets.length} names are read`])
    })
  } finally {
    const there = all === undefined ? undefined : new Set(all.map(({ assetId }) => assetId))
    const kept = [...known].filter(([assetId]) => there?.has(assetId) ?? true)
    if (unknown.length > 0 || kept.length < known.size) await profile.vault.write(name, kept)
    report.end()
  }
  return assets.flatMap(({ assetId }) => described.get(assetId) ?? [])
}

function signedAs(asset: AssetFacts, file: FileDescription, signerRevokedAt: string | undefined): DescribedAsset {
  const state = signerRevokedAt === undefined ? 'complete' : 'device_revoked'
  return { asset, state, file, failure: undefined, signerRevokedAt }
}

function factsHash(asset: AssetFacts): string {
  return createHash('sha256').update(JSON.stringify(asset)).digest('hex')
}

async function describe(
  owner: SignedIn['owner'],
  asset: AssetFacts,
  signal: AbortSignal | undefined,
): Promise<{ readonly described: DescribedAsset; readonly remembered?: Kept }> {
  if (!asset.complete) return { described: { asset, state: 'incomplete', file: undefined, failure: undefined } }
  try {
    // A revoked device is allowed, because its mark is shown with the name.
    const { signed, ...file } = await owner.describeAsset(asset, { allowRevokedDevice: true, signal })
    const described = signedAs(asset, file, signed?.deviceRevokedAt)
    return signed === undefined
      ? { described }
      : { described, remembered: { facts: factsHash(asset), deviceId: signed.deviceId, file } }
  } catch (error) {
    const state = signal?.aborted === true ? undefined : stateOf(error)
    if (state === undefined) throw error
    return { described: { asset, state, file: undefined, failure: failureOf(error) } }
  }
}

/** Undefined for a failure that says nothing about the asset. */
function stateOf(error: unknown): AssetState | undefined {
  if (error instanceof AssetUnsigned) return 'unsigned'
  if (error instanceof ProblemError && error.code === 'error.blob.withheld') return 'withheld'
  const isMissing = error instanceof ProblemError && error.status === 404
  return isMissing || error instanceof AssetError || error instanceof SealError ? 'unreadable' : undefined
}
