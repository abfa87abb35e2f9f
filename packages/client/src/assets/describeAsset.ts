import type { DeviceId } from '@blindkeep/protocol/ids'
import type { ListedDevice } from '../account/ownerDevices.ts'
import { descriptionOf, type FileDescription } from '../seal/fileHeader.ts'
import { openPrefix, readPrefix } from '../seal/openHeader.ts'
import { AssetError, AssetIncomplete } from './assetError.ts'
import { type AssetFacts, blobOf } from './assetFacts.ts'
import type { AssetPorts } from './assetPorts.ts'
import { assetKeyOf, originalContext, readMetadata } from './openAsset.ts'
import { readProvenance } from './provenance.ts'
import { readBlobStart } from './readBlob.ts'

/** What an album shows of a file. */
export interface AssetDescription extends FileDescription {
  /** The device that signed the asset, and its own timestamp (RFC 3339); undefined when no device has signed it. */
  readonly signed: { readonly deviceId: DeviceId; readonly timestamp: string } | undefined
}

export type DescribeAsset = (
  asset: AssetFacts,
  options?: { readonly signal?: AbortSignal | undefined },
) => Promise<AssetDescription>

/**
 * Reads name, type and size without the content. An album calls it for hundreds of assets, so the account's devices are read once, and again when an
 * unknown device appears. It does not report whether a device was revoked since.
 */
export function createDescribeAsset(ports: AssetPorts): DescribeAsset {
  let known: Promise<readonly ListedDevice[]> | undefined
  const devices = () => {
    known ??= ports.devices().catch((error: unknown) => {
      known = undefined
      throw error
    })
    // Callers that need the devices get the failure; for the others it must not count as unhandled.
    known.catch(() => undefined)
    return known
  }
  return async (asset, { signal } = {}) => {
    const devicesBefore = devices()
    try {
      return await describe({ ...ports, devices }, asset, signal)
    } catch (error) {
      if (!(error instanceof AssetError && error.reason === 'device_unknown')) throw error
      if (known === devicesBefore) known = undefined
      return describe({ ...ports, devices }, asset, signal)
    }
  }
}

async function describe(ports: AssetPorts, asset: AssetFacts, signal?: AbortSignal): Promise<AssetDescription> {
  const original = blobOf(asset, 'original')
  if (original === undefined) throw new AssetIncomplete(['original'], 'Finish its upload on the device that began it.')
  const provenance = await readProvenance(ports, asset, signal)
  const key = await assetKeyOf(ports, asset, provenance)
  const metadata = await readMetadata(ports, { asset, key, provenance, signal })
  const envelope = provenance?.manifest.envelope
  const signed = envelope && { deviceId: envelope.created_by_device, timestamp: envelope.timestamp }
  if (metadata !== undefined && envelope !== undefined)
    return { ...descriptionOf({ ...metadata.header, size: envelope.plaintext_size }), signed }
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash: original.hash, count, signal }))
  const { header } = await openPrefix(prefix, originalContext(asset, key))
  return { ...descriptionOf(header), signed }
}
