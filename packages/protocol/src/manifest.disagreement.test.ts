import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAccountId, parseAlbumId, parseAssetId, parseDeviceId, parseProtocolVersion } from './ids.ts'
import { disagreement } from './manifest.ts'
import type { ManifestEnvelope } from './schemas/manifest.ts'
import { hashOf, least, whole } from './testing/envelopes.ts'
import { known } from './testing/known.ts'

describe('the disagreement of two envelopes', () => {
  it('is undefined for equal envelopes; absent equals null', () => {
    const some = { ...least, album_id: null, metadata_blob_hash: null, retention_until: null }
    const others = { ...least, original_blob_hash: null, prior_provenance_hash: null }
    for (const one of [least, some, others])
      for (const other of [least, some, others]) assert.equal(disagreement(one, other), undefined)
    assert.equal(disagreement(whole, { ...whole }), undefined)
  })

  it('is undefined if only ciphertext_hash differs', () => {
    assert.equal(disagreement({ ...whole, ciphertext_hash: hashOf('f') }, whole), undefined)
  })

  const changes: Omit<Required<ManifestEnvelope>, 'ciphertext_hash'> = {
    crypto_suite_id: 2,
    protocol_version: known(parseProtocolVersion('2026-01-02')),
    album_id: known(parseAlbumId('f192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e01')),
    file_id: known(parseAssetId('f192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e02')),
    amk_version: 2,
    plaintext_size: 0,
    chunk_size: 1,
    key_mode: 'derived',
    metadata_blob_hash: hashOf('f'),
    original_blob_hash: hashOf('f'),
    created_by_user: known(parseAccountId('f192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e04')),
    created_by_device: known(parseDeviceId('f192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e03')),
    client_version: 'blindkeep-cli 0.1.0 ',
    // The same instant in another spelling differs, because the text is signed.
    timestamp: '2026-03-01T10:20:30.456Z',
    action: 'create',
    prior_provenance_hash: hashOf('f'),
    retention_until: '2027-03-01T00:00:00.000Z',
  }
  for (const [name, value] of Object.entries(changes)) {
    it(`names ${name} if its values differ, in both orders`, () => {
      assert.equal(disagreement({ ...whole, [name]: value }, whole), name)
      assert.equal(disagreement(whole, { ...whole, [name]: value }), name)
    })
  }

  const optionals = ['album_id', 'metadata_blob_hash', 'original_blob_hash', 'prior_provenance_hash', 'retention_until']
  for (const name of optionals) {
    it(`names ${name} if only one side has it`, () => {
      assert.equal(disagreement({ ...whole, [name]: null }, whole), name)
      assert.equal(disagreement(whole, { ...whole, [name]: null }), name)
    })
  }
})
