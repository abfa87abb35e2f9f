import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { concatBytes, fromHex, toHex } from '@blindkeep/protocol/bytes'
import { type CborValue, decodeCbor, encodeCbor } from '@blindkeep/protocol/cbor'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { MAX_SHARE_BLOBS } from '@blindkeep/protocol/schemas/shares'
import vectors from '../../../../vectors/shares.json' with { type: 'json' }
import { nodeEnvironment } from '../node/nodeEnvironment.ts'
import { sharePassphraseKey } from '../seal/derive.ts'
import { formatShare, makeShareFragment, parseShare, parseShareFragment } from './shareAddress.ts'
import { ShareError, type ShareFault } from './shareError.ts'
import { decodeShareIndex, encodeShareIndex, openShareIndex, type ShareEntry, sealShareIndex } from './shareIndex.ts'
import { stretchSharePassphrase } from './sharePassphrase.ts'

const failing = (reason: string) => (error: unknown) => error instanceof ShareError && error.reason === reason

interface VectorAsset {
  readonly hash: string
  readonly stream: string
  readonly size: number
  readonly name?: string
  readonly type?: string
  readonly modified_at?: string
  readonly mark?: string
}

function entryOf(asset: VectorAsset): ShareEntry {
  const hash = parseSha256Hex(asset.hash)
  assert.ok(hash)
  const stream = fromHex(asset.stream)
  const secrets = { key: stream.slice(0, 32), noncePrefix: stream.slice(32, 39), commitment: stream.slice(39) }
  const { size, name, type, modified_at: modifiedAt, mark } = asset
  return { hash, secrets, size, name, type, modifiedAt, ...(mark !== undefined && { mark: fromHex(mark) }) }
}

const [first] = vectors.valid
assert.ok(first)
const entries = first.assets.map(entryOf)
const sealOf = (vector: { opaque_id: string; share_key: string; salt?: string }) => ({
  shareKey: fromHex(vector.share_key),
  opaqueId: fromHex(vector.opaque_id),
  salt: vector.salt === undefined ? undefined : fromHex(vector.salt),
})

describe('the address of a share', () => {
  it('has vectors of every kind', () => {
    const { fragments, indexes, sealed_indexes } = vectors.invalid
    for (const list of [vectors.valid, vectors.with_passphrase, fragments, indexes, sealed_indexes])
      assert.ok(list.length > 0)
  })

  it('matches the vectors in both directions, with and without its #', () => {
    for (const [needsPassphrase, list] of [
      [false, vectors.valid],
      [true, vectors.with_passphrase],
    ] as const)
      for (const { fragment, share_key } of list) {
        const parsed = { shareKey: fromHex(share_key), needsPassphrase }
        assert.equal(makeShareFragment(parsed), fragment)
        for (const text of [fragment, `#${fragment}`]) assert.deepEqual(parseShareFragment(text), parsed)
      }
  })

  for (const { name, fragment } of vectors.invalid.fragments)
    it(`is refused: ${name}`, () => assert.equal(parseShareFragment(fragment), undefined))

  it('is read back from its URL at any base path, and refused for other addresses', () => {
    const { opaque_id: opaqueId, fragment } = first
    const url = `https://keep.example/a/path/v/${opaqueId}#${fragment}`
    const address = parseShare(` ${url}\n`)
    assert.deepEqual(
      [address.baseUrl, address.opaqueId, toHex(address.shareKey)],
      ['https://keep.example/a/path', opaqueId, first.share_key],
    )
    assert.equal(formatShare(address), url)
    for (const rewritten of [url.replace('#', '%23'), `${url.replace('#', '%2523')}).`])
      assert.deepEqual(parseShare(rewritten), address)
    for (const [text, reason] of [
      [`https://keep.example/v/${opaqueId}`, 'fragment_missing'],
      [`https://keep.example/v/${opaqueId}#`, 'fragment_missing'],
      [`https://keep.example/v/${opaqueId}#${fragment.slice(1)}`, 'malformed'],
      [`https://keep.example/u/${opaqueId}#${fragment}`, 'malformed'],
      [`https://keep.example/v/${opaqueId.toUpperCase()}#${fragment}`, 'malformed'],
      [`ftp://keep.example/v/${opaqueId}#${fragment}`, 'malformed'],
      ['hello', 'malformed'],
    ] satisfies [string, ShareFault][])
      assert.throws(() => parseShare(text), failing(reason), text)
  })
})

describe('the index of a share', () => {
  it('matches the vectors when it is encoded, sealed and opened', async () => {
    for (const vector of [...vectors.valid, ...vectors.following]) {
      const given = vector.assets.map((asset: VectorAsset) => entryOf(asset))
      assert.equal(toHex(encodeShareIndex(given)), vector.index)
      assert.equal(toHex(await sealShareIndex(sealOf(vector), given)), vector.sealed_index)
      assert.deepEqual(await openShareIndex(sealOf(vector), fromHex(vector.sealed_index)), given)
    }
  })

  it('with a passphrase matches the vectors, and opens under neither the address nor the passphrase alone', async () => {
    for (const vector of vectors.with_passphrase) {
      const { shareKey, opaqueId, salt } = sealOf(vector)
      const spellings = [vector.passphrase_typed, vector.passphrase_normal, 'k7wm-p3xd-9qht-2vnc']
      for (const passphrase of spellings) {
        const made = await stretchSharePassphrase(nodeEnvironment, { shareKey, opaqueId, passphrase })
        assert.deepEqual([toHex(made.indexKey), toHex(made.proof)], [vector.index_key, vector.proof])
        assert.equal(
          toHex(await sealShareIndex({ shareKey: made.indexKey, opaqueId, salt }, entries)),
          vector.sealed_index,
        )
      }
      const sealed = fromHex(vector.sealed_index)
      const other = new Uint8Array(32)
      const wrongs = [
        shareKey,
        fromHex(vector.proof),
        sharePassphraseKey({ shareKey: other, stretched: fromHex(vector.stretched), opaqueId }),
        (await stretchSharePassphrase(nodeEnvironment, { shareKey, opaqueId, passphrase: 'another' })).indexKey,
      ]
      for (const wrong of wrongs)
        await assert.rejects(openShareIndex({ shareKey: wrong, opaqueId }, sealed), failing('index_swapped'))
      assert.deepEqual(await openShareIndex({ shareKey: fromHex(vector.index_key), opaqueId }, sealed), entries)
    }
  })

  for (const { name, reason, index } of vectors.invalid.indexes)
    it(`is refused: ${name}`, () => assert.throws(() => decodeShareIndex(fromHex(index)), failing(reason)))

  for (const { name, sealed_index } of vectors.invalid.sealed_indexes)
    it(`is refused: sealed ${name}`, async () => {
      await assert.rejects(openShareIndex(sealOf(first), fromHex(sealed_index)), failing('index_swapped'))
    })

  it('is read despite unknown members of later clients', () => {
    const index = decodeCbor(encodeShareIndex(entries)) as Map<string, CborValue>
    const [asset] = index.get('assets') as Map<string, CborValue>[]
    asset?.set('thumbnail', new Map([['hash', 'later']]))
    index.set('title', 'Holidays')
    assert.deepEqual(decodeShareIndex(encodeCbor(index)), entries)
  })

  it('is refused when it has too many bytes or assets', async () => {
    const [entry] = entries
    assert.ok(entry)
    const long = Array.from({ length: 600 }, () => ({ ...entry, name: 'n'.repeat(900) }))
    await assert.rejects(sealShareIndex(sealOf(first), long), failing('too_large'))
    const many = Array.from({ length: MAX_SHARE_BLOBS + 1 }, () => entry)
    await assert.rejects(sealShareIndex(sealOf(first), many), failing('too_large'))
  })

  it('is refused without a stack overflow when it is nested too deeply', () => {
    const nested = concatBytes(new Uint8Array(500_000).fill(0x81), Uint8Array.of(0))
    assert.throws(() => decodeShareIndex(nested), failing('index_invalid'))
  })
})
