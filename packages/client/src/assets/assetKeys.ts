/** The key of an asset: derived from its album's, or wrapped under it where the content came with a key of its own. */
import { type Bytes, uuidBytes } from '@blindkeep/protocol/bytes'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { albumKey, assetKey, assetWrapKey } from '../seal/derive.ts'
import { openSmall } from '../seal/open.ts'
import { sealSmall } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { AssetError } from './assetError.ts'

/** The epoch that new assets are written under. Album keys do not change hands yet, so there is no second one. */
export const AMK_VERSION = 1
/** Numbers enter a derivation as four bytes. */
const MAX_AMK_VERSION = 2 ** 32 - 1

/** Where an asset's key hangs. */
export interface KeyPlace {
  readonly accountKey: Bytes
  readonly albumId: AlbumId
  /** 1 and up. */
  readonly amkVersion: number
  readonly assetId: AssetId
}

function albumKeyOf({ accountKey, albumId, amkVersion }: KeyPlace): Bytes {
  if (amkVersion > MAX_AMK_VERSION) throw new AssetError('key_unreadable', 'no album has as many keys as is told')
  return albumKey(accountKey, uuidBytes(albumId), amkVersion)
}

/** K of `key_mode` derived, 32 bytes. Throws `AssetError` for an epoch that cannot be. */
export function derivedKey(place: KeyPlace): Bytes {
  return assetKey(albumKeyOf(place), uuidBytes(place.assetId))
}

const wrapSeal = (place: KeyPlace) =>
  ({
    key: assetWrapKey(albumKeyOf(place), uuidBytes(place.assetId)),
    purpose: 'asset-key',
    contextId: uuidBytes(place.assetId),
  }) as const

/** `wrapped_key` of a manifest: K, sealed under the album. */
export function wrapKey(key: Uint8Array, place: KeyPlace): Promise<Bytes> {
  return sealSmall(key, wrapSeal(place))
}

/** K out of a manifest's `wrapped_key`. Throws `AssetError` when it was not wrapped here. */
export async function unwrapKey(wrapped: Uint8Array, place: KeyPlace): Promise<Bytes> {
  try {
    const key = await openSmall(wrapped, wrapSeal(place))
    if (key.length === KEY_BYTES) return key
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause
    throw new AssetError('key_unreadable', 'the wrapped key does not open in this album', { cause })
  }
  throw new AssetError('key_unreadable', 'the wrapped key is none')
}
