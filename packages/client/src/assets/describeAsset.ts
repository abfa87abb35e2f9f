import { descriptionOf, type FileDescription } from '../seal/fileHeader.ts'
import { openPrefix, readPrefix } from '../seal/openHeader.ts'
import type { AssetFacts } from './assetFacts.ts'
import type { AssetPorts } from './assetPorts.ts'
import type { KnownDevices } from './knownDevices.ts'
import type { OpenAssetOptions } from './openAsset.ts'
import { readBlobStart } from './readBlob.ts'
import { originalContext, readMetadata, type Signed, signedOf, vouchFor } from './vouchedAsset.ts'

/** What an album shows of a file. */
export interface AssetDescription extends FileDescription {
  /** Undefined only with `allowUnsigned`, when no device has signed the asset. */
  readonly signed: Signed | undefined
}

export type DescribeAsset = (asset: AssetFacts, options?: OpenAssetOptions) => Promise<AssetDescription>

/** Reads name, type and size without the content. Devices are those of `KnownDevices`: albums have many assets. */
export function createDescribeAsset(ports: AssetPorts, known: KnownDevices): DescribeAsset {
  return (asset, options = {}) => known.using((devices) => describeWith({ ...ports, devices }, asset, options))
}

export async function describeWith(
  ports: AssetPorts,
  asset: AssetFacts,
  { signal, ...permissions }: OpenAssetOptions,
): Promise<AssetDescription> {
  const vouched = await vouchFor(ports, asset, permissions, signal)
  const { original, provenance, key } = vouched
  if (provenance !== undefined) {
    const metadata = await readMetadata(ports, vouched, signal)
    const { plaintext_size: size } = provenance.manifest.envelope
    return { ...descriptionOf({ ...metadata?.header, size }), signed: signedOf(provenance) }
  }
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash: original.hash, count, signal }))
  const { header } = await openPrefix(prefix, originalContext(asset, key))
  return { ...descriptionOf(header), signed: undefined }
}
