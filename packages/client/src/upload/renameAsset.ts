/** Another name for a file: new metadata and a manifest that names them, beside the original that stays. */
import type { Device } from '../account/device.ts'
import { AssetError } from '../assets/assetError.ts'
import { readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { type AssetPermissions, readMetadata, vouchForSigned } from '../assets/vouchedAsset.ts'
import { descriptionOf } from '../seal/fileHeader.ts'
import { plainLine } from '../seal/plainLine.ts'
import { requireFittingName } from '../seal/sealedName.ts'
import { chooseSigned } from './chosenOriginal.ts'
import { roleBlobOf, sendBundle } from './sendBundle.ts'
import { signBundle } from './signBundle.ts'

export interface RenameAsset extends Pick<AssetPermissions, 'allowRevokedDevice'> {
  /** One line of at most 600 bytes, with something to read. */
  readonly name: string
  /** Signs the manifest. */
  readonly device: Device
  readonly signal?: AbortSignal | undefined
}

/**
 * Changes the name; type, note, sender, date and retention stay. Resolves when the new name is signed and stored, and
 * sends nothing if it is so already: after a crash, or when an answer is lost, repeat the call. Until then the file has
 * its former name. Throws `RangeError` for a name that is empty or too long, `SendError` (`asset_taken`) if another
 * client has changed the file meanwhile, `AssetUnsigned` when no live device vouches for the asset, `AssetError`,
 * `AssetIncomplete`, `SealError`, and what a call throws.
 */
export async function renameAsset(ports: AssetPorts, assetId: string, options: RenameAsset): Promise<void> {
  const { call, environment } = ports
  const { device, signal, allowRevokedDevice } = options
  const name = plainLine(options.name)
  if (name === undefined) throw new RangeError('a file needs a name')
  requireFittingName(name)
  const asset = await readAsset(call, assetId, signal)
  const vouched = await vouchForSigned(ports, asset, { allowRevokedDevice }, signal)
  const metadata = await readMetadata(ports, vouched, signal)
  if (metadata === undefined)
    throw new AssetError('metadata_differs', 'the asset’s metadata were never signed, so they may be from anyone')
  const file = descriptionOf(metadata.header)
  if (file.name === name) return
  const original = chooseSigned(vouched, { ...file, name })
  const prior = vouched.provenance.manifest
  const signed = await signBundle(ports, { original, prior, device })
  const blobs = [roleBlobOf('metadata', signed.metadata), roleBlobOf('provenance', signed.provenance)]
  await sendBundle({ call, envelope: signed.envelope, blobs, signal, environment })
}
