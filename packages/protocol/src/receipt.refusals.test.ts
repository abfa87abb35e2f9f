import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { concatBytes, fromHex } from './bytes.ts'
import { type CborValue, encodeCbor, tagged } from './cbor.ts'
import { decodeReceipt, MAX_RECEIPT_BYTES, ReceiptError, type ReceiptFault } from './receipt.ts'

const KEY_ID = '5a'.repeat(32)

/** The parts of a message that a test replaces. A missing part keeps its valid value. */
interface Forgery {
  readonly tag?: number
  readonly body?: CborValue
  readonly bodyUnprotected?: CborValue
  readonly payload?: CborValue
  readonly signers?: readonly CborValue[]
  readonly extra?: readonly CborValue[]
}

const ASSET_ID = '1192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f'
const DROP_ID = '2192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e8f'
const HASH = fromHex('bc'.repeat(32))
const EMPTY_MAP: CborValue = new Map()

function signer(algorithm: number, bytes: number, labels: readonly [number, CborValue][] = []): CborValue {
  const header = new Map<number, CborValue>([[1, algorithm], [4, fromHex(KEY_ID)], ...labels])
  return [encodeCbor(header), EMPTY_MAP, new Uint8Array(bytes)]
}

const signers = { ed25519: signer(-19, 64), mlDsa65: signer(-49, 3309) }

function fieldsOf(changes: Readonly<Record<string, CborValue | undefined>> = {}): Uint8Array {
  const fields = {
    version: 'service/receipt/1',
    server_id: 'https://keep.example',
    receipt_seq: 7,
    upload_id: '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f',
    asset_id: ASSET_ID,
    blob_role: 'original',
    ciphertext_hash: HASH,
    size: 1234,
    received_at: '2026-03-01T10:20:30.456Z',
    ...changes,
  }
  const kept = new Map<string, CborValue>()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept.set(name, value)
  return encodeCbor(kept)
}

function forge(changes: Forgery = {}): Uint8Array {
  const { tag = 98, bodyUnprotected = EMPTY_MAP, payload = fieldsOf(), extra = [] } = changes
  const body = changes.body ?? encodeCbor(new Map([[3, 'application/service-receipt+cbor']]))
  const list = changes.signers ?? [signers.ed25519, signers.mlDsa65]
  return encodeCbor(tagged(tag, [body, bodyUnprotected, payload, list, ...extra]))
}

function refuses(bytes: Uint8Array, reason: ReceiptFault) {
  assert.throws(
    () => decodeReceipt(bytes),
    (error) => {
      assert.ok(error instanceof ReceiptError, String(error))
      assert.equal(error.reason, reason)
      return true
    },
  )
}

/** Replaces bytes in a message without encoding it again, for forms that no encoder writes. */
function replaceBytes(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const hex = Buffer.from(bytes).toString('hex')
  assert.equal(hex.split(from).length, 2, 'the replaced bytes occur exactly once')
  return fromHex(hex.replace(from, to))
}

describe('a reader of receipts', () => {
  it('accepts the unmodified test receipt', () => {
    assert.equal(decodeReceipt(forge()).payload.receipt_seq, 7)
    assert.equal(
      decodeReceipt(forge({ payload: fieldsOf({ asset_id: undefined, drop_id: DROP_ID }) })).payload.drop_id,
      DROP_ID,
    )
  })

  it('refuses what is not one COSE_Sign message of four parts', () => {
    for (const tag of [97, 18, 99]) refuses(forge({ tag }), 'not_deterministic')
    refuses(encodeCbor(['Signature']), 'not_cose_sign')
    refuses(encodeCbor(tagged(98, 'text')), 'not_cose_sign')
    refuses(forge({ extra: [null] }), 'not_cose_sign')
    refuses(forge({ payload: null }), 'not_cose_sign')
    refuses(forge({ body: 'text' }), 'not_cose_sign')
    refuses(forge({ bodyUnprotected: [] }), 'not_cose_sign')
    refuses(concatBytes(forge(), Uint8Array.of(0xf6)), 'not_deterministic')
    refuses(new Uint8Array(0), 'not_deterministic')
    refuses(new Uint8Array(MAX_RECEIPT_BYTES + 1), 'too_large')
  })

  it('refuses a wrong protected header, and every unprotected header that is not empty', () => {
    refuses(forge({ body: encodeCbor(new Map([[3, 'application/service-manifest+cbor']])) }), 'content_type')
    refuses(forge({ body: new Uint8Array(0) }), 'content_type')
    const more: readonly [number, CborValue][] = [
      [3, 'application/service-receipt+cbor'],
      [4, HASH],
    ]
    refuses(forge({ body: encodeCbor(new Map(more)) }), 'content_type')
    refuses(forge({ bodyUnprotected: new Map([[4, HASH]]) }), 'unprotected_not_empty')
    const labelled: CborValue = [
      encodeCbor(
        new Map<number, CborValue>([
          [1, -19],
          [4, fromHex(KEY_ID)],
        ]),
      ),
      new Map([[7, 1]]),
      new Uint8Array(64),
    ]
    refuses(forge({ signers: [labelled, signers.mlDsa65] }), 'unprotected_not_empty')
  })

  it('refuses anything but two signatures, Ed25519 first', () => {
    refuses(forge({ signers: [] }), 'signatures')
    refuses(forge({ signers: [signers.ed25519] }), 'signatures')
    refuses(forge({ signers: [signers.ed25519, signers.mlDsa65, signers.ed25519] }), 'signatures')
    refuses(forge({ signers: [signers.mlDsa65, signers.ed25519] }), 'algorithm')
    refuses(forge({ signers: [signers.ed25519, signers.ed25519] }), 'algorithm')
    refuses(forge({ signers: [signer(-8, 64), signers.mlDsa65] }), 'algorithm')
    refuses(forge({ signers: [signers.ed25519, signer(-50, 4627)] }), 'algorithm')
    refuses(forge({ signers: [signer(-19, 63), signers.mlDsa65] }), 'signatures')
    refuses(forge({ signers: [signers.ed25519, signer(-49, 3310)] }), 'signatures')
    refuses(forge({ signers: [signers.ed25519, [new Uint8Array(0), EMPTY_MAP]] }), 'signatures')
  })

  it('refuses a key id that is missing, short or text, a header with another label, and two different key ids', () => {
    refuses(forge({ signers: [signer(-19, 64, [[4, new Uint8Array(31)]]), signers.mlDsa65] }), 'key_id')
    refuses(forge({ signers: [signer(-19, 64, [[4, KEY_ID]]), signers.mlDsa65] }), 'key_id')
    refuses(forge({ signers: [signer(-19, 64, [[5, 1]]), signers.mlDsa65] }), 'key_id')
    refuses(forge({ signers: [signer(-19, 64, [[4, HASH]]), signers.mlDsa65] }), 'key_id')
    refuses(
      forge({ signers: [[encodeCbor(new Map([[1, -19]])), EMPTY_MAP, new Uint8Array(64)], signers.mlDsa65] }),
      'key_id',
    )
  })

  it('refuses non-canonical CBOR: keys out of order, lengths and numbers that are not the shortest, indefinite lengths', () => {
    const fields = fieldsOf()
    // size 1234 as 1a000004d2, in 32 bits although 16 suffice.
    refuses(forge({ payload: replaceBytes(fields, '1904d2', '1a000004d2') }), 'payload_not_deterministic')
    // One entry moved to the end: only the order is wrong.
    const [first, last] = [encodeCbor('size'), encodeCbor('version')].map((bytes) => Buffer.from(bytes).toString('hex'))
    assert.ok(first !== undefined && last !== undefined)
    const pairs = Buffer.from(fields).toString('hex')
    const sized = `${first}1904d2`
    assert.ok(pairs.includes(sized))
    const moved = pairs.replace(sized, '') + sized
    refuses(forge({ payload: fromHex(moved) }), 'payload_not_deterministic')
    // The outer array with an indefinite length, and the tag in two bytes although one suffices.
    const whole = Buffer.from(forge()).toString('hex')
    assert.ok(whole.startsWith('d86284'))
    refuses(fromHex(`d8629f${whole.slice(6)}ff`), 'not_deterministic')
    refuses(fromHex(`d9006284${whole.slice(6)}`), 'not_deterministic')
  })

  it('refuses a duplicate key, text that is not UTF-8, and a number as float', () => {
    const fields = Buffer.from(fieldsOf()).toString('hex')
    refuses(forge({ payload: fromHex(`aa${fields.slice(2)}6473697a651904d2`) }), 'payload_not_deterministic')
    const name = Buffer.from('https://keep.example').toString('hex')
    refuses(forge({ payload: replaceBytes(fieldsOf(), name, `ff${name.slice(2)}`) }), 'payload_not_deterministic')
    refuses(forge({ payload: replaceBytes(fieldsOf(), '1904d2', 'f964d2') }), 'payload_not_deterministic')
  })

  it('refuses a payload with an extra field, a missing field, or no fields', () => {
    refuses(forge({ payload: fieldsOf({ opaque_id: 'ab'.repeat(16) }) }), 'unknown_field')
    refuses(forge({ payload: fieldsOf({ constructor: 1 }) }), 'unknown_field')
    refuses(
      forge({ payload: encodeCbor(new Map<string | number, CborValue>([[1, 'service/receipt/1']])) }),
      'unknown_field',
    )
    for (const name of [
      'version',
      'server_id',
      'receipt_seq',
      'upload_id',
      'blob_role',
      'ciphertext_hash',
      'size',
      'received_at',
    ])
      refuses(forge({ payload: fieldsOf({ [name]: undefined }) }), 'missing_field')
    refuses(forge({ payload: encodeCbor([]) }), 'field_invalid')
    refuses(forge({ payload: new Uint8Array(0) }), 'payload_not_deterministic')
  })

  const malformedValues: Readonly<Record<string, readonly CborValue[]>> = {
    version: ['service/receipt/2', 1],
    server_id: [
      'https://keep.example/',
      'https://Keep.example',
      'keep.example',
      'ftp://keep.example',
      'https://keep.example:0',
      `https://${'a'.repeat(300)}`,
      7,
    ],
    receipt_seq: [0, -1, '7', null],
    prior_receipt_hash: ['bc'.repeat(32), new Uint8Array(31), null],
    upload_id: ['0192E8A4-7C4E-7D1A-9B1E-3F2A5C6D7E8F', 'x', new Uint8Array(16)],
    asset_id: ['', null],
    drop_id: ['x'],
    blob_role: ['unknown', 'Original', 'toString', 1],
    ciphertext_hash: ['bc'.repeat(32), new Uint8Array(33)],
    size: [0, -5, 1.5, '1234', true],
    envelope_hash: [HASH, 'bc'.repeat(32)],
    received_at: ['2026-03-01T10:20:30Z', '2026-03-01T11:20:30.456+01:00', '2026-02-30T10:20:30.456Z', 1_772_360_430],
  }
  for (const [name, values] of Object.entries(malformedValues)) {
    it(`refuses a malformed ${name}`, () => {
      for (const value of values) refuses(forge({ payload: fieldsOf({ [name]: value }) }), 'field_invalid')
    })
  }

  it('refuses integers that JavaScript would round', () => {
    refuses(forge({ payload: replaceBytes(fieldsOf(), '1904d2', '1b0020000000000000') }), 'payload_not_deterministic')
  })

  it('refuses a payload with both an asset and a drop, with neither, and a drop that is not an original', () => {
    refuses(forge({ payload: fieldsOf({ drop_id: DROP_ID }) }), 'field_invalid')
    refuses(forge({ payload: fieldsOf({ asset_id: undefined }) }), 'field_invalid')
    refuses(
      forge({ payload: fieldsOf({ asset_id: undefined, drop_id: DROP_ID, blob_role: 'metadata' }) }),
      'field_invalid',
    )
  })

  it('throws only ReceiptError, for any bytes', () => {
    const anyBytes = fc.uint8Array({ maxLength: 300 })
    const anyPayload = anyBytes.map((bytes) => forge({ payload: bytes }))
    const anyCut = fc.tuple(fc.nat(3600), anyBytes).map(([at, bytes]) => concatBytes(forge().subarray(0, at), bytes))
    fc.assert(
      fc.property(fc.oneof(anyBytes, anyPayload, anyCut), (bytes) => {
        assert.throws(() => decodeReceipt(bytes), ReceiptError)
      }),
      { numRuns: 500 },
    )
  })

  it('refuses nesting deep enough to exhaust a stack', () => {
    refuses(new Uint8Array(MAX_RECEIPT_BYTES).fill(0x81), 'not_deterministic')
  })
})
