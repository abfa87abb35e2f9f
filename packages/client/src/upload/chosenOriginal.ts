/**
 * The original that a device signs for. `signBundle` takes nothing else, and only this file makes one: from bytes that
 * this client has sealed, or from what this client has opened and the owner has chosen. Facts that were only read from
 * a server have another type.
 */
import { type Bytes, fromBase64 } from '@blindkeep/protocol/bytes'
import { type AlbumId, type AssetId, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { AMK_VERSION } from '../assets/assetKeys.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import type { SignedVouchedAsset } from '../assets/vouchedAsset.ts'
import { DropError } from '../drops/dropError.ts'
import { recoverDropKey } from '../drops/dropKeys.ts'
import { type DescribedDrop, openDropPrefix } from '../drops/inboxDrop.ts'
import { descriptionOf, type FileFacts, isSameFile } from '../seal/fileHeader.ts'
import type { Sealer } from '../seal/seal.ts'
import type { HashedFile } from '../send/hashFile.ts'
import { type ReadThrough, readThrough, requirePlaintextSize, type ShownAsset } from './shownAsset.ts'

declare const chosen: unique symbol

interface OriginalFacts {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  readonly amkVersion: number
  /** K, 32 bytes. */
  readonly key: Bytes
  /** With `wrapped` the manifest contains K, sealed under the album. */
  readonly keyMode: ManifestEnvelope['key_mode']
  /** SHA-256 of the sealed original. */
  readonly hash: Sha256Hex
  /** Plaintext bytes in the data segments of the original. */
  readonly plaintextSize: number
  /** Becomes the metadata. */
  readonly file: FileFacts
}

export type ChosenOriginal = OriginalFacts & { readonly [chosen]: true }

/** The only cast to the type. It is not exported, so that no other file can pass over the comparisons here. */
function choose(facts: OriginalFacts): ChosenOriginal {
  return facts as ChosenOriginal
}

interface SealedFile extends Pick<OriginalFacts, 'assetId' | 'albumId' | 'key' | 'file'> {
  readonly sealer: Sealer
  /** What this client's sealer made. */
  readonly hashed: HashedFile
}

/** A file that this client has sealed under the asset's derived key. */
export function chooseSealed({ sealer, hashed, ...facts }: SealedFile): ChosenOriginal {
  const { plaintextSize } = sealer
  return choose({ ...facts, amkVersion: AMK_VERSION, keyMode: 'derived', hash: hashed.ciphertextHash, plaintextSize })
}

interface ChooseDrop extends Pick<OriginalFacts, 'assetId' | 'albumId'> {
  readonly signal: AbortSignal | undefined
}

/**
 * A pending drop that the inbox has shown. Opens its header once more. Throws `SealError` when it does not open,
 * `DropError` when it describes another file than the one shown: the sender of a drop can seal another header under its
 * key, and a malicious server can return that one now.
 */
export async function chooseDrop(
  ports: AssetPorts,
  drop: DescribedDrop,
  { signal, ...ids }: ChooseDrop,
): Promise<ChosenOriginal> {
  const opened = await openDropPrefix(ports, drop, signal)
  if (!isSameFile(drop.file, descriptionOf(opened.header))) throw new DropError()
  return choose({
    ...ids,
    amkVersion: AMK_VERSION,
    key: recoverDropKey(ports.keysOf(drop.opaqueId), fromBase64(drop.kemCt)),
    keyMode: 'wrapped',
    hash: hashOf(drop),
    plaintextSize: requirePlaintextSize(opened, drop.sealedBytes, opened.bytesBefore),
    file: drop.file,
  })
}

function hashOf({ ciphertextHash }: DescribedDrop): Sha256Hex {
  const hash = parseSha256Hex(ciphertextHash)
  if (hash === undefined) throw new RangeError('the hash of a drop must be 64 lowercase hex characters')
  return hash
}

/** The original that a device of the account has signed already, with other facts about the file. */
export function chooseSigned({ asset, key, provenance }: SignedVouchedAsset, file: FileFacts): ChosenOriginal {
  const {
    amk_version: amkVersion,
    key_mode: keyMode,
    plaintext_size: plaintextSize,
    ...signed
  } = provenance.manifest.envelope
  const { assetId, albumId } = asset
  return choose({ assetId, albumId, amkVersion, key, keyMode, hash: signed.ciphertext_hash, plaintextSize, file })
}

/**
 * The unfinished asset that was shown. An adopted drop is signed as it was shown, like a drop of the inbox. The hash of
 * an own upload is known to the client that sealed it and to no other, so this client reads the whole file and computes
 * the hash itself. Throws what `readThrough` throws.
 */
export async function chooseShown(ports: AssetPorts, shown: ShownAsset, reading: ReadThrough): Promise<ChosenOriginal> {
  if (shown.keyMode === 'derived') await readThrough(ports, shown, reading)
  const { asset, key, keyMode, original, plaintextSize, file } = shown
  const { assetId, albumId, envelope } = asset
  return choose({
    assetId,
    albumId,
    amkVersion: envelope.amk_version,
    key,
    keyMode,
    hash: original.hash,
    plaintextSize,
    file,
  })
}
