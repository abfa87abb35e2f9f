/** The key of an asset: derived from the album's key, or wrapped under it for content with its own key (a drop). */
import { type Bytes, uuidBytes } from '@blindkeep/protocol/bytes'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { albumKey, assetKey, assetWrapKey } from '../seal/derive.ts'
import { openSmall } from '../seal/open.ts'
import { sealSmall } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { AssetError } from './assetError.ts'

/** The epoch of new assets. Album keys are not rotated yet, so there is only this one. */
export const AMK_VERSION = 1
/** A derivation takes numbers as four bytes. */
const MAX_AMK_VERSION = 2 ** 32 - 1

/** The inputs of an asset's key. */
export interface AssetKeyInputs {
  readonly accountKey: Bytes
  readonly albumId: AlbumId
  /** 1 and up. */
  readonly amkVersion: number
  readonly assetId: AssetId
}

function albumKeyOf({ accountKey, albumId, amkVersion }: AssetKeyInputs): Bytes {
  if (amkVersion > MAX_AMK_VERSION)
    throw new AssetError('key_unreadable', 'the stated epoch of the album key is out of range')
  return albumKey(accountKey, uuidBytes(albumId), amkVersion)
}

/** K of an asset with `key_mode` `derived`, 32 bytes. Throws `AssetError` for an epoch out of range. */
export function derivedKey(keyInputs: AssetKeyInputs): Bytes {
  return assetKey(albumKeyOf(keyInputs), uuidBytes(keyInputs.assetId))
}

const wrapSeal = (keyInputs: AssetKeyInputs) =>
  ({
    key: assetWrapKey(albumKeyOf(keyInputs), uuidBytes(keyInputs.assetId)),
    purpose: 'asset-key',
    contextId: uuidBytes(keyInputs.assetId),
  }) as const

/** `wrapped_key` of a manifest: K sealed under the album. */
export function wrapKey(key: Uint8Array, keyInputs: AssetKeyInputs): Promise<Bytes> {
  return sealSmall(key, wrapSeal(keyInputs))
}

/** K from a manifest's `wrapped_key`. Throws `AssetError` when it was not wrapped for this asset. */
export async function unwrapKey(wrapped: Uint8Array, keyInputs: AssetKeyInputs): Promise<Bytes> {
  try {
    const key = await openSmall(wrapped, wrapSeal(keyInputs))
    if (key.length === KEY_BYTES) return key
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause
    throw new AssetError('key_unreadable', 'the wrapped key does not open under this album', { cause })
  }
  throw new AssetError('key_unreadable', 'the wrapped key has the wrong length')
}
