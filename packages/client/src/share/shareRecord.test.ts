import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import { parseAlbumId, parseInstant } from '@blindkeep/protocol/ids'
import vectors from '../../../../vectors/shares.json' with { type: 'json' }
import { uuidOf } from '../seal/newId.ts'
import { SealError } from '../seal/sealError.ts'
import { decodeShareRecord, encodeShareRecord, openShareRecord, sealShareRecord, summaryOf } from './shareRecord.ts'

const { valid, invalid, sealed_invalid: sealedInvalid } = vectors.records
const [first] = valid
assert.ok(first)
const sealOf = (vector: typeof first) => ({
  accountKey: fromHex(vector.account_key),
  opaqueId: fromHex(vector.opaque_id),
  salt: fromHex(vector.salt),
})
interface VectorFollows {
  readonly album: string
  readonly state: string
  readonly index: string
  readonly index_key: string | null
  readonly until: string | null
}

function followsOf({ follows }: { readonly follows: VectorFollows | null }) {
  if (follows === null) return {}
  const albumId = parseAlbumId(uuidOf(fromHex(follows.album))) ?? assert.fail()
  const indexKey = follows.index_key === null ? undefined : fromHex(follows.index_key)
  const until = follows.until === null ? undefined : parseInstant(follows.until)
  return { follows: { albumId, state: fromHex(follows.state), indexHash: fromHex(follows.index), indexKey, until } }
}

const isSealError = (error: unknown) => error instanceof SealError

describe('what an owner keeps of a share', () => {
  for (const vector of valid)
    it(`matches the vector in both directions: ${vector.name}`, async () => {
      const { files, bytes, names, needs_passphrase: needsPassphrase } = vector
      const record = { shareKey: fromHex(vector.share_key), needsPassphrase, files, bytes, names, ...followsOf(vector) }
      assert.equal(toHex(encodeShareRecord(record)), vector.record)
      assert.equal(toHex(await sealShareRecord(sealOf(vector), record)), vector.sealed_record)
      assert.deepEqual(await openShareRecord(sealOf(vector), fromHex(vector.sealed_record)), record)
      const given = vector.file_names.map((name) => ({
        name: name ?? undefined,
        size: 0,
        type: undefined,
        modifiedAt: undefined,
      }))
      assert.deepEqual(summaryOf(given), { files, bytes: 0, names })
      assert.ok(vector.sealed_record.length / 2 <= 4096, 'the server takes no more')
    })

  it('has one length, whatever is in it', () => {
    assert.equal(new Set(valid.map(({ sealed_record: sealed }) => sealed.length)).size, 1)
  })

  for (const { name, record } of invalid)
    it(`is refused: ${name}`, () => assert.throws(() => decodeShareRecord(fromHex(record)), isSealError))

  for (const { name, sealed_record: sealed } of sealedInvalid)
    it(`does not open: ${name}`, () => assert.rejects(openShareRecord(sealOf(first), fromHex(sealed)), isSealError))

  it('counts ten thousand of the largest files', () => {
    const file = { name: undefined, size: 2 ** 50, type: undefined, modifiedAt: undefined }
    assert.equal(summaryOf(Array.from({ length: 10_000 }, () => file)).bytes, Number.MAX_SAFE_INTEGER)
  })
})
