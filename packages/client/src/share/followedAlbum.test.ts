import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import { parseAlbumId, parseAssetId, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { MAX_SHARE_BLOBS, MAX_SHARE_INDEX_BYTES } from '@blindkeep/protocol/schemas/shares'
import type { AssetFacts } from '../assets/assetFacts.ts'
import { newId } from '../seal/newId.ts'
import { filesOfAlbum, fittingEntries, stateOfAlbum } from './followedAlbum.ts'
import { encodeShareIndex, type ShareEntry } from './shareIndex.ts'

const bytesOf = (number: number, length: number) => fromHex(number.toString(16).padStart(2 * length, '0'))
const hash = (number: number): Sha256Hex => parseSha256Hex(toHex(bytesOf(number, 32))) ?? assert.fail()
const albumId = (number: number) => newId({ randomBytes: (length) => bytesOf(number, length) }, parseAlbumId)

function file(number: number, over: Partial<AssetFacts> = {}): AssetFacts {
  const assetId = newId({ randomBytes: (length) => bytesOf(number, length) }, parseAssetId)
  const blobs = (['original', 'metadata', 'provenance'] as const).map((role: BlobRole, index) => ({
    role,
    hash: hash(10 * number + index),
    size: 1,
  }))
  const at = new Date(number * 1000).toISOString()
  const facts = { createdAt: at, changedAt: at, drop: undefined, retainedUntil: undefined, complete: true }
  // No device has signed these.
  return { assetId, albumId: albumId(1), blobs, ...facts, envelope: {} as AssetFacts['envelope'], ...over }
}

const withBlob = (of: AssetFacts, role: BlobRole, number: number): AssetFacts => ({
  ...of,
  blobs: [...of.blobs.filter((blob) => blob.role !== role), { role, hash: hash(number), size: 1 }],
})

describe('an album that a share follows', () => {
  it('has its complete files, the newest first', () => {
    const all = [file(2), file(5, { complete: false }), file(1), file(4, { albumId: albumId(2) }), file(3)]
    const ids = filesOfAlbum(all, albumId(1)).map(({ assetId }) => assetId)
    assert.deepEqual(
      ids,
      [file(3), file(2), file(1)].map(({ assetId }) => assetId),
    )
  })

  it('has another state with another file, original or name, in any order, and the same with a thumbnail', () => {
    const [one, two, three] = [file(1), file(2), file(3)]
    const state = (...files: readonly AssetFacts[]) => toHex(stateOfAlbum(files))
    const renamed = withBlob(withBlob(one, 'metadata', 90), 'provenance', 91)
    const seen = [[], [one], [one, two], [one, three], [renamed, two], [withBlob(one, 'original', 92), two]]
    assert.equal(new Set(seen.map((files) => state(...files))).size, seen.length)
    assert.equal(state(one, two), state(two, { ...one, changedAt: two.createdAt }))
    assert.equal(
      state(one, two),
      state(two, { ...one, blobs: [...one.blobs, { role: 'derivative', hash: hash(9), size: 1 }] }),
    )
  })
})

describe('what fits into the index', () => {
  const entry = (number: number, nameLength: number): ShareEntry => ({
    hash: hash(number),
    secrets: { key: bytesOf(1, 32), noncePrefix: bytesOf(2, 7), commitment: bytesOf(3, 32) },
    ...{ size: 1, type: undefined, modifiedAt: undefined, name: 'n'.repeat(nameLength) },
  })
  // Newest first, as the album.
  const entries = (count: number, nameLength = 900) =>
    Array.from({ length: count }, (_, index) => entry(count - index, nameLength))

  it('is all, and of too many first what was shown, then the oldest others, in their order', () => {
    const few = entries(500)
    assert.equal(fittingEntries(few, []), few)
    const many = entries(700)
    const shown = many.slice(0, 300)
    const fitting = fittingEntries(many, [...shown, entry(9999, 1)])
    assert.ok(encodeShareIndex(fitting).length <= MAX_SHARE_INDEX_BYTES)
    assert.ok(encodeShareIndex([...fitting, entry(9999, 900)]).length > MAX_SHARE_INDEX_BYTES - 4096)
    const added = fitting.length - shown.length
    assert.deepEqual(fitting, [...shown, ...many.slice(-added)])
    const tooMany = entries(MAX_SHARE_BLOBS + 1, 0).map(({ name: _, ...rest }) => ({ ...rest, name: undefined }))
    assert.ok(fittingEntries(tooMany, tooMany).length < MAX_SHARE_BLOBS)
  })
})
