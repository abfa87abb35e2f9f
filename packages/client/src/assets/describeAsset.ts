import type { ListedDevice } from '../account/ownerDevices.ts'
import { descriptionOf, type FileDescription } from '../seal/fileHeader.ts'
import { openPrefix, readPrefix } from '../seal/openHeader.ts'
import { AssetError } from './assetError.ts'
import type { AssetFacts } from './assetFacts.ts'
import type { AssetPorts } from './assetPorts.ts'
import type { OpenAssetOptions } from './openAsset.ts'
import { readBlobStart } from './readBlob.ts'
import { originalContext, readMetadata, type Signed, signedOf, vouchFor } from './vouchedAsset.ts'

/** What an album shows of a file. */
export interface AssetDescription extends FileDescription {
  /** Undefined only with `allowUnsigned`, when no device has signed the asset. */
  readonly signed: Signed | undefined
}

export type DescribeAsset = (asset: AssetFacts, options?: OpenAssetOptions) => Promise<AssetDescription>

/** A revocation counts at the latest after this time. */
const MAX_DEVICES_AGE_MS = 60_000

/**
 * Reads name, type and size without the content. An album calls it for hundreds of assets, so the account's devices are read once a minute, and again
 * when an unknown device appears.
 */
export function createDescribeAsset(ports: AssetPorts): DescribeAsset {
  let known: Promise<readonly ListedDevice[]> | undefined
  let knownSince = 0
  const devices = () => {
    const now = ports.environment.now()
    if (known !== undefined && now - knownSince > MAX_DEVICES_AGE_MS) known = undefined
    if (known === undefined) knownSince = now
    known ??= ports.devices().catch((error: unknown) => {
      known = undefined
      throw error
    })
    // Callers that need the devices get the failure; for the others it must not count as unhandled.
    known.catch(() => undefined)
    return known
  }
  return async (asset, options = {}) => {
    const devicesBefore = devices()
    try {
      return await describe({ ...ports, devices }, asset, options)
    } catch (error) {
      if (!(error instanceof AssetError && error.reason === 'device_unknown')) throw error
      if (known === devicesBefore) known = undefined
      return describe({ ...ports, devices }, asset, options)
    }
  }
}

async function describe(
  ports: AssetPorts,
  asset: AssetFacts,
  { signal, ...permissions }: OpenAssetOptions,
): Promise<AssetDescription> {
  const vouched = await vouchFor(ports, asset, permissions, signal)
  const { original, provenance, key } = vouched
  const signed = provenance && signedOf(provenance)
  const metadata = await readMetadata(ports, vouched, signal)
  if (metadata !== undefined && provenance !== undefined)
    return { ...descriptionOf({ ...metadata.header, size: provenance.manifest.envelope.plaintext_size }), signed }
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash: original.hash, count, signal }))
  const { header } = await openPrefix(prefix, originalContext(asset, key))
  return { ...descriptionOf(header), signed }
}
