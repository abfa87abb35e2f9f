/** What a sample is drawn from: the data segments of signed originals, in an order that everybody can repeat. */
import { concatBytes, fromHex, toHex, uint32be, uuidBytes } from '@blindkeep/protocol/bytes'
import type { AssetId, Sha256Hex } from '@blindkeep/protocol/ids'
import { SEGMENT_PLAINTEXT_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { sha256 } from '@noble/hashes/sha2.js'
import type { AssetFacts } from '../assets/assetFacts.ts'
import { originalContext, type SignedVouchedAsset } from '../assets/vouchedAsset.ts'
import type { OpenContext } from '../seal/openHeader.ts'
import { segmentCountOf } from '../seal/sealedBlob.ts'

/** The original of an asset, as its manifest states it. SECRET: it has the asset's key. */
export interface SignedOriginal {
  readonly assetId: AssetId
  /** SHA-256 of the sealed blob. */
  readonly hash: Sha256Hex
  /** Bytes in its data segments. */
  readonly plaintextSize: number
  readonly opener: OpenContext
}

/** One data segment, from 0. */
export interface SegmentOf {
  readonly original: SignedOriginal
  readonly segment: number
}

interface Population {
  readonly assets: number
  /** Data segments of all originals. */
  readonly segments: number
  /** SHA-256 over its members, lowercase hex. */
  readonly hash: string
  /** The segment with this number, from 0. */
  at(number: number): SegmentOf
}

/** Data segments and their sealed bytes, as the server states them: for the cost, before manifests are read. */
export function statedSegments(assets: readonly AssetFacts[]): Readonly<Record<'segments' | 'bytes', number>> {
  const stated = { segments: 0, bytes: 0 }
  for (const { envelope } of assets) {
    const segments = Math.max(1, Math.ceil(envelope.plaintext_size / SEGMENT_PLAINTEXT_BYTES))
    stated.segments += segments
    stated.bytes += envelope.plaintext_size + segments * TAG_BYTES
  }
  return stated
}

export function signedOriginalOf({ asset, key, provenance }: SignedVouchedAsset): SignedOriginal {
  const { ciphertext_hash: hash, plaintext_size: plaintextSize } = provenance.manifest.envelope
  return { assetId: asset.assetId, hash, plaintextSize, opener: originalContext(asset, key) }
}

/** The order is that of the ids. An asset that is given twice counts once. */
export function populationOf(originals: Iterable<SignedOriginal>): Population {
  const byId = new Map([...originals].map((original) => [original.assetId, original]))
  const members = [...byId.values()].sort((a, b) => (a.assetId < b.assetId ? -1 : 1))
  const ends: number[] = []
  const hash = sha256.create()
  let segments = 0
  for (const member of members) {
    segments += segmentCountOf(member.plaintextSize)
    ends.push(segments)
    hash.update(memberBytes(member))
  }
  return {
    assets: members.length,
    segments,
    hash: toHex(hash.digest()),
    at(number) {
      const index = firstAbove(ends, number)
      const original = members[index]
      if (original === undefined || number < 0) throw new RangeError(`there is no segment ${number}`)
      return { original, segment: number - (ends[index - 1] ?? 0) }
    },
  }
}

/** Id ‖ hash ‖ plaintext bytes as 8 bytes, big-endian. */
function memberBytes({ assetId, hash, plaintextSize }: Omit<SignedOriginal, 'opener'>): Uint8Array {
  const [high, low] = [Math.floor(plaintextSize / 2 ** 32), plaintextSize % 2 ** 32]
  return concatBytes(uuidBytes(assetId), fromHex(hash), uint32be(high), uint32be(low))
}

/** The index of the first element that is larger; the length if none is. */
function firstAbove(rising: readonly number[], value: number): number {
  let [from, to] = [0, rising.length]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if ((rising[middle] ?? 0) > value) to = middle
    else from = middle + 1
  }
  return from
}
