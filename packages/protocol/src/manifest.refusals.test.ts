import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { concatBytes, fromHex, toHex } from './bytes.ts'
import { type CborValue, encodeCbor, tagged } from './cbor.ts'
import { parseAlbumId, parseKeyId, parseSha256Hex } from './ids.ts'
import {
  decodeManifest,
  MAX_PROVENANCE_BYTES,
  ManifestError,
  type ManifestFault,
  manifestToBeSigned,
  type SignedManifest,
} from './manifest.ts'

const KEY_ID = '5a'.repeat(32)
const HASH = 'bc'.repeat(32)
const OTHER_HASH = 'cd'.repeat(32)
const EMPTY_MAP: CborValue = new Map()

/** A message of which every part can be replaced, signed or not. */
interface Forgery {
  readonly tag?: number
  readonly body?: CborValue
  readonly bodyUnprotected?: CborValue
  readonly payload?: CborValue
  readonly signers?: readonly CborValue[]
}

function signer(algorithm: number, bytes: number, labels: readonly [number, CborValue][] = []): CborValue {
  const header = new Map<number, CborValue>([[1, algorithm], [4, fromHex(KEY_ID)], ...labels])
  return [encodeCbor(header), EMPTY_MAP, new Uint8Array(bytes)]
}

const signers = { ed25519: signer(-19, 64), mlDsa65: signer(-49, 3309) }

type Changes = Readonly<Record<string, CborValue | undefined>>

const create = {
  crypto_suite_id: 1,
  protocol_version: '2026-01-01',
  file_id: '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e02',
  amk_version: 1,
  ciphertext_hash: HASH,
  plaintext_size: 1234,
  chunk_size: 1_048_560,
  key_mode: 'derived',
  created_by_user: '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e04',
  created_by_device: '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e03',
  client_version: 'blindkeep-cli 0.1.0',
  timestamp: '2026-03-01T10:20:30.456Z',
  action: 'create',
} as const

const WRAPPED: Changes = { key_mode: 'wrapped', wrapped_key: Uint8Array.of(1, 2, 3) }
const REPLACE: Changes = { action: 'replace', original_blob_hash: HASH }

function payloadOf(changes: Changes = {}): Uint8Array {
  const kept = new Map<string, CborValue>()
  for (const [name, value] of Object.entries({ ...create, ...changes })) if (value !== undefined) kept.set(name, value)
  return encodeCbor(kept)
}

function forge(changes: Forgery = {}): Uint8Array {
  const { tag = 98, bodyUnprotected = EMPTY_MAP, payload = payloadOf() } = changes
  const body = changes.body ?? encodeCbor(new Map([[3, 'application/service-manifest+cbor']]))
  const list = changes.signers ?? [signers.ed25519, signers.mlDsa65]
  return encodeCbor(tagged(tag, [body, bodyUnprotected, payload, list]))
}

function refusal(reason: ManifestFault) {
  return (error: unknown) => {
    assert.ok(error instanceof ManifestError, String(error))
    assert.equal(error.reason, reason)
    return true
  }
}

function refuses(bytes: Uint8Array, reason: ManifestFault) {
  assert.throws(() => decodeManifest(bytes), refusal(reason))
}

const refusesPayload = (changes: Changes, reason: ManifestFault) =>
  refuses(forge({ payload: payloadOf(changes) }), reason)

/** Replaces bytes in a message without encoding it again, for forms that no encoder writes. */
function replaceBytes(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const hex = toHex(bytes)
  assert.equal(hex.split(from).length, 2, 'the replaced bytes occur exactly once')
  return fromHex(hex.replace(from, to))
}

describe('a reader of manifests', () => {
  it('accepts the unmodified test manifests', () => {
    assert.deepEqual(decodeManifest(forge()).envelope, create)
    for (const changes of [WRAPPED, REPLACE, { ...WRAPPED, ...REPLACE }, { ...REPLACE, prior_provenance_hash: HASH }])
      assert.equal(decodeManifest(forge({ payload: payloadOf(changes) })).envelope.file_id, create.file_id)
    assert.equal(decodeManifest(forge({ payload: payloadOf({ original_blob_hash: HASH }) })).keyId, KEY_ID)
  })

  it('refuses what is not one COSE_Sign message under its own content type', () => {
    for (const tag of [97, 18, 99]) refuses(forge({ tag }), 'not_deterministic')
    refuses(encodeCbor(tagged(98, 'text')), 'not_cose_sign')
    refuses(forge({ payload: null }), 'not_cose_sign')
    refuses(forge({ body: encodeCbor(new Map([[3, 'application/service-receipt+cbor']])) }), 'content_type')
    refuses(forge({ body: new Uint8Array(0) }), 'content_type')
    refuses(forge({ bodyUnprotected: new Map([[4, 1]]) }), 'unprotected_not_empty')
    refuses(concatBytes(forge(), Uint8Array.of(0xf6)), 'not_deterministic')
    refuses(new Uint8Array(0), 'not_deterministic')
  })

  it('refuses anything but two signatures of one key, Ed25519 first', () => {
    refuses(forge({ signers: [signers.ed25519] }), 'signatures')
    refuses(forge({ signers: [signers.ed25519, signers.mlDsa65, signers.ed25519] }), 'signatures')
    refuses(forge({ signers: [signers.mlDsa65, signers.ed25519] }), 'algorithm')
    refuses(forge({ signers: [signer(-19, 63), signers.mlDsa65] }), 'signatures')
    refuses(forge({ signers: [signer(-19, 64, [[4, new Uint8Array(31)]]), signers.mlDsa65] }), 'key_id')
    refuses(forge({ signers: [signer(-19, 64, [[4, fromHex(HASH)]]), signers.mlDsa65] }), 'key_id')
  })

  it('refuses more than 64 KiB before decoding, and decodes 64 KiB', () => {
    refuses(new Uint8Array(MAX_PROVENANCE_BYTES), 'not_deterministic')
    refuses(new Uint8Array(MAX_PROVENANCE_BYTES + 1), 'too_large')
  })

  it('refuses non-canonical CBOR: numbers in another form, keys out of order or duplicate, indefinite lengths', () => {
    const inPayload = (from: string, to: string) =>
      refuses(forge({ payload: replaceBytes(payloadOf(), from, to) }), 'payload_not_deterministic')
    const size = toHex(encodeCbor('plaintext_size'))
    inPayload(`${size}1904d2`, `${size}1a000004d2`)
    inPayload(`${size}1904d2`, `${size}f964d2`)
    inPayload(`${size}1904d2`, `${size}1b0020000000000000`)
    const fields = toHex(payloadOf())
    assert.ok(fields.startsWith('ad'))
    const moved = `ad${fields.slice(2).replace(`${size}1904d2`, '')}${size}1904d2`
    assert.equal(moved.length, fields.length)
    refuses(forge({ payload: fromHex(moved) }), 'payload_not_deterministic')
    refuses(forge({ payload: fromHex(`ae${fields.slice(2)}${size}1904d2`) }), 'payload_not_deterministic')
    refuses(forge({ payload: fromHex(`bf${fields.slice(2)}ff`) }), 'payload_not_deterministic')
    refuses(forge({ payload: new Uint8Array(0) }), 'payload_not_deterministic')
  })

  it('refuses text that is not UTF-8, and a byte order mark, which a decoder would drop', () => {
    const text = toHex(new TextEncoder().encode(create.client_version))
    const inText = (to: string) =>
      refuses(
        forge({ payload: replaceBytes(payloadOf(), text, to + text.slice(to.length)) }),
        'payload_not_deterministic',
      )
    inText('ff')
    inText('eda080')
    inText('efbbbf')
  })

  it('refuses a payload that is not a map of text keys', () => {
    refuses(forge({ payload: encodeCbor([]) }), 'field_invalid')
    refuses(forge({ payload: encodeCbor('text') }), 'field_invalid')
    refuses(forge({ payload: encodeCbor(new Map<string | number, CborValue>([[1, 1]])) }), 'unknown_field')
  })

  it('refuses unknown fields', () => {
    for (const name of ['version', 'wrappedKey', 'asset_id', 'File_id', '', 'constructor', '__proto__', 'toString'])
      refuses(
        forge({ payload: encodeCbor(new Map<string, CborValue>([...Object.entries(create), [name, 1]])) }),
        'unknown_field',
      )
  })

  for (const name of Object.keys(create)) {
    it(`refuses a manifest without ${name}`, () => refusesPayload({ [name]: undefined }, 'missing_field'))
  }

  const noUuid = [
    '0192E8A4-7C4E-7D1A-9B1E-3F2A5C6D7E02',
    '0192e8a47c4e7d1a9b1e3f2a5c6d7e02',
    '',
    new Uint8Array(16),
    null,
  ]
  const noHash = [fromHex(HASH), HASH.toUpperCase(), HASH.slice(1), '', 7, null]
  const noTime = [
    '2026-03-01',
    '2026-03-01T10:20:30',
    '2026-02-30T10:20:30Z',
    '2026-03-01 10:20:30Z',
    1_772_360_430,
    null,
  ]
  const malformedValues: Readonly<Record<string, readonly CborValue[]>> = {
    crypto_suite_id: ['1', -1, 1.5, true, null],
    protocol_version: ['2026-02-30', '2026-1-1', '20260101', 20260101, null],
    album_id: noUuid,
    file_id: noUuid,
    amk_version: [0, -1, 1.5, '1', null],
    ciphertext_hash: noHash,
    plaintext_size: [-1, 0.5, '1234', false, null],
    chunk_size: [0, -1, '1048560', null],
    key_mode: ['', 'Derived', 'toString', 1, null],
    metadata_blob_hash: noHash,
    original_blob_hash: noHash,
    created_by_user: noUuid,
    created_by_device: noUuid,
    client_version: ['', 'x'.repeat(201), '🔑'.repeat(201), 1, null],
    timestamp: noTime,
    action: ['', 'Create', 'delete', 'constructor', 0, null],
    prior_provenance_hash: noHash,
    retention_until: noTime,
    wrapped_key: ['', HASH, new Uint8Array(0), new Uint8Array(4097), [1], null],
  }
  for (const [name, values] of Object.entries(malformedValues)) {
    it(`refuses a malformed ${name}`, () => {
      for (const value of values) refusesPayload({ [name]: value }, 'field_invalid')
    })
  }

  it('counts client_version in characters, not in bytes or UTF-16 units', () => {
    for (const text of ['x'.repeat(200), '🔑'.repeat(200), 'a\u0000b', 'a\uFEFFb'])
      assert.equal(
        decodeManifest(forge({ payload: payloadOf({ client_version: text }) })).envelope.client_version,
        text,
      )
  })

  it('refuses an unknown crypto suite with a reason of its own', () => {
    for (const suite of [0, 2, Number.MAX_SAFE_INTEGER]) refusesPayload({ crypto_suite_id: suite }, 'suite_unknown')
  })

  it('refuses a wrapped_key without key_mode wrapped, and the reverse', () => {
    refusesPayload({ ...WRAPPED, key_mode: 'derived' }, 'fields_disagree')
    refusesPayload({ ...WRAPPED, wrapped_key: undefined }, 'fields_disagree')
  })

  it('refuses a create with a prior_provenance_hash', () => {
    refusesPayload({ prior_provenance_hash: OTHER_HASH }, 'fields_disagree')
  })

  it('refuses a replace that does not name its original', () => {
    refusesPayload({ ...REPLACE, original_blob_hash: undefined }, 'fields_disagree')
  })

  it('refuses two different hashes of one original', () => {
    refusesPayload({ original_blob_hash: OTHER_HASH }, 'fields_disagree')
    refusesPayload({ ...REPLACE, original_blob_hash: OTHER_HASH }, 'fields_disagree')
  })

  it('throws only ManifestError, for any bytes', () => {
    const anyBytes = fc.uint8Array({ maxLength: 300 })
    const anyPayload = anyBytes.map((bytes) => forge({ payload: bytes }))
    const anyCut = fc.tuple(fc.nat(3600), anyBytes).map(([at, bytes]) => concatBytes(forge().subarray(0, at), bytes))
    fc.assert(
      fc.property(fc.oneof(anyBytes, anyPayload, anyCut), (bytes) => {
        assert.throws(() => decodeManifest(bytes), ManifestError)
      }),
      { numRuns: 500 },
    )
  })

  it('throws only ManifestError, for any value of a field', () => {
    const anyValue = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.uint8Array(),
      fc.constantFrom(null, true, [], new Map()),
    )
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(malformedValues)), anyValue, (name, value) => {
        try {
          decodeManifest(forge({ payload: payloadOf({ [name]: value }) }))
        } catch (error) {
          assert.ok(error instanceof ManifestError, String(error))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('refuses nesting deep enough to exhaust a stack', () => {
    refuses(new Uint8Array(MAX_PROVENANCE_BYTES).fill(0x81), 'not_deterministic')
    refuses(forge({ payload: new Uint8Array(60_000).fill(0x81) }), 'payload_not_deterministic')
  })
})

describe('a writer of manifests', () => {
  const keyId = parseKeyId(KEY_ID)
  assert.ok(keyId !== undefined)
  const { envelope } = decodeManifest(forge())
  const [hash, other, album] = [parseSha256Hex(HASH), parseSha256Hex(OTHER_HASH), parseAlbumId(create.file_id)]
  assert.ok(hash !== undefined && other !== undefined && album !== undefined)
  const refusesToSign = (manifest: SignedManifest, reason: ManifestFault) =>
    assert.throws(() => manifestToBeSigned(manifest, keyId), refusal(reason))

  it('refuses, field by field, what a reader would refuse', () => {
    const values = [
      { plaintext_size: -1 },
      { plaintext_size: 2 ** 53 },
      { plaintext_size: 0.5 },
      { amk_version: 0 },
      { chunk_size: Number.NaN },
      { timestamp: 'yesterday' },
      { retention_until: '' },
      { client_version: '' },
    ]
    for (const change of values) refusesToSign({ envelope: { ...envelope, ...change } }, 'field_invalid')
    refusesToSign({ envelope: { ...envelope, crypto_suite_id: 2 } }, 'suite_unknown')
  })

  it('refuses texts that would not survive a round trip', () => {
    for (const client_version of ['\uD800', 'a\uDC00', '\uFEFFa'])
      refusesToSign({ envelope: { ...envelope, client_version } }, 'field_invalid')
  })

  it('refuses fields that disagree', () => {
    const wrapped = { ...envelope, key_mode: 'wrapped' } as const
    refusesToSign({ envelope: wrapped }, 'fields_disagree')
    refusesToSign({ envelope, wrappedKey: Uint8Array.of(1) }, 'fields_disagree')
    refusesToSign({ envelope: { ...envelope, prior_provenance_hash: hash } }, 'fields_disagree')
    refusesToSign({ envelope: { ...envelope, action: 'replace' } }, 'fields_disagree')
    refusesToSign({ envelope: { ...envelope, action: 'replace', original_blob_hash: null } }, 'fields_disagree')
    refusesToSign({ envelope: { ...envelope, original_blob_hash: other } }, 'fields_disagree')
    refusesToSign({ envelope: wrapped, wrappedKey: new Uint8Array(0) }, 'field_invalid')
    refusesToSign({ envelope: wrapped, wrappedKey: new Uint8Array(4097) }, 'field_invalid')
  })

  it('refuses unknown members of an envelope, also undefined ones and the wrapped key', () => {
    for (const extra of [{ note: 'x' }, { note: undefined }, { wrapped_key: Uint8Array.of(1) }]) {
      const wider = { ...envelope, ...extra }
      refusesToSign({ envelope: wider }, 'unknown_field')
    }
    const narrower = JSON.parse(JSON.stringify({ ...envelope, file_id: undefined }))
    refusesToSign({ envelope: narrower }, 'missing_field')
  })

  it('signs zero for minus zero', () => {
    const payloadFor = (plaintext_size: number) =>
      manifestToBeSigned({ envelope: { ...envelope, plaintext_size } }, keyId).payload
    assert.deepEqual(payloadFor(-0), payloadFor(0))
  })

  it('signs an album, and null as no album', () => {
    const payloadFor = (album_id: typeof album | null) =>
      manifestToBeSigned({ envelope: { ...envelope, album_id } }, keyId).payload
    assert.deepEqual(payloadFor(null), payloadOf())
    assert.deepEqual(payloadFor(album), payloadOf({ album_id: create.file_id }))
  })
})
