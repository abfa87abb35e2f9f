/** The receipt checker with published vectors, and with validly signed receipts of wrong content. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import mlDsa65 from '../vectors/ml-dsa-65.json' with { type: 'json' }
import vectors from '../vectors/receipts.json' with { type: 'json' }
import { type CheckOptions, checkReceipts } from './checker/check.ts'
import { openVerify } from './checker/signatures.ts'
import { faultsIn } from './checkerFaults.ts'
import { assemble, type Fields, cbor as writeCbor } from './provenanceWriter.ts'
import {
  type KeysDocument,
  newFields,
  newServerKeys,
  ORIGIN,
  publish,
  receiptParts,
  receiptPayload,
  signReceipt,
  timeAfter,
} from './receiptWriter.ts'

const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

const vectorKeys: KeysDocument = {
  server_id: ORIGIN,
  keys: vectors.keys.map(({ key_id, public: key }, index) => ({
    key_id,
    public: key,
    algorithm: 'hybrid-ed25519-mldsa65',
    active_from: index === 0 ? '2026-01-01T00:00:00.000Z' : '2026-06-01T00:00:00.000Z',
    ...(index === 0 ? { active_to: '2026-06-01T00:00:00.000Z' } : {}),
  })),
}

const [own, other] = [newServerKeys(), newServerKeys()]
const published = publish([own])

const faultsOf = (receipts: readonly Uint8Array[], options: CheckOptions = {}) =>
  faultsIn(receipts, { keys: published, ...options })

const wrong = async (fields: Fields) => faultsOf([signReceipt(fields, own)])

// Covers: Receipt checker
describe('the receipt checker with vectors', () => {
  it('accepts every valid receipt and refuses every invalid one', async () => {
    for (const { receipt_cbor: receipt } of vectors.valid)
      assert.deepEqual((await checkReceipts([receipt], { keys: vectorKeys })).faults, [])
    for (const { name, receipt_cbor: receipt } of vectors.invalid)
      assert.notEqual((await checkReceipts([receipt], { keys: vectorKeys })).fault_count, 0, name)
    assert.equal(vectors.valid.length + vectors.invalid.length, 50)
  })

  it('names the receipt at which a chain breaks, and finds no fault in an unbroken chain', async () => {
    assert.ok(vectors.chains.length > 0)
    for (const { name, receipts, whole, break: wanted } of vectors.chains) {
      const { faults } = await checkReceipts(receipts, { keys: vectorKeys, log: true, whole })
      const positions = new Set(faults.map(({ position }) => position))
      assert.deepEqual([...positions], wanted === null ? [] : [wanted.index + 1], name)
    }
  })

  it('judges every ML-DSA-65 signature as the vector does', async () => {
    const verify = await openVerify()
    for (const { name, message, signature, valid } of mlDsa65.vectors) {
      const [publicKey, text, bytes] = [mlDsa65.public_key, message, signature].map((hex) => Buffer.from(hex, 'hex'))
      assert.ok(publicKey !== undefined && text !== undefined && bytes !== undefined)
      assert.equal(verify('ML-DSA-65', { publicKey, message: text, signature: bytes }), valid, name)
    }
  })
})

// Covers: Receipt checker
describe('the receipt checker with wrong but validly signed receipts', () => {
  it('accepts the correct ones', async () => {
    const provenance = { blob_role: 'provenance', drop_id: undefined, asset_id: '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e13' }
    const hash = new Uint8Array(32).fill(7)
    assert.deepEqual(await wrong(newFields(1)), [])
    assert.deepEqual(await wrong(newFields(7, { ...provenance, envelope_hash: hash })), [])
  })

  const variation: Readonly<Record<string, readonly unknown[]>> = {
    version: ['service/receipt/2', 1, undefined],
    server_id: [
      `${ORIGIN}/`,
      'keep.example',
      'https://KEEP.example',
      'https://keep.example:443',
      'ftp://keep.example',
      7,
      undefined,
    ],
    receipt_seq: [0, -1, 1.5, '7', 2 ** 53, undefined],
    prior_receipt_hash: ['ab'.repeat(32), new Uint8Array(31)],
    upload_id: ['0192E8A4-7C4E-4D1A-9B1E-3F2A5C6D7E10', 'x', new Uint8Array(16), undefined],
    drop_id: ['x', 1],
    blob_role: ['unknown', 'Original', 1, undefined],
    ciphertext_hash: ['ab'.repeat(32), new Uint8Array(33), undefined],
    size: [0, -5, 1.5, '1234', true, undefined],
    received_at: ['2026-03-01T10:20:30Z', '2026-03-01T11:20:30.456+01:00', '2026-02-30T10:20:30.456Z', 1, undefined],
    opaque_id: ['ab'.repeat(16)],
  }
  it('names a field that is missing, unknown or of a wrong form', async () => {
    for (const [name, values] of Object.entries(variation)) {
      for (const value of values) {
        const found = await wrong(newFields(7, { [name]: value }))
        assert.equal(found.length, 1, `${name} ${String(value)}: ${found.join()}`)
        assert.match(found[0] ?? '', new RegExp(`^payload (7 )?field ${name}$`))
      }
    }
  })

  it('names the field when two fields contradict each other', async () => {
    const assetId = '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e13'
    const [same, different] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)]
    const ofAsset = { drop_id: undefined, asset_id: assetId }
    const cases: readonly (readonly [Fields, string])[] = [
      [{ asset_id: assetId }, 'drop_id'],
      [{ drop_id: undefined }, 'asset_id'],
      [{ blob_role: 'metadata' }, 'blob_role'],
      [{ envelope_hash: same }, 'envelope_hash'],
      [{ ...ofAsset, blob_role: 'provenance' }, 'envelope_hash'],
      [{ ...ofAsset, blob_role: 'provenance', envelope_hash: different }, 'envelope_hash'],
    ]
    for (const [fields, name] of cases)
      assert.deepEqual(await wrong(newFields(7, fields)), [`payload 7 field ${name}`], JSON.stringify(fields))
  })

  it('refuses a payload that is not a map, or not deterministic', async () => {
    const right = Buffer.from(receiptPayload(newFields(7)))
    const entry = Buffer.from('6473697a651904d2', 'hex')
    const at = right.indexOf(entry)
    const moved = Buffer.concat([right.subarray(0, at), right.subarray(at + entry.length), entry])
    const longer = Buffer.from(right.toString('hex').replace('1904d2', '1a000004d2'), 'hex')
    for (const payload of [writeCbor([]), writeCbor('x'), new Uint8Array(0), moved, longer, right.subarray(0, -1)]) {
      const found = await faultsOf([signReceipt({}, own, { payload: Uint8Array.from(payload) })])
      assert.equal(found.length, 1)
      assert.match(found[0] ?? '', /^payload (7 )?byte \d+$/)
    }
  })

  it('names a time outside the active period of the key', async () => {
    const keys = publish([other, own, newServerKeys()], [5, 9])
    const at = (seconds: number) => signReceipt(newFields(7, { received_at: timeAfter(seconds) }), own)
    for (const seconds of [5, 7, 9]) assert.deepEqual(await faultsOf([at(seconds)], { keys }), [])
    for (const seconds of [4, 10])
      assert.deepEqual(await faultsOf([at(seconds)], { keys }), ['key 7 field received_at'])
  })

  it('refuses signatures that name different keys, although both verify', async () => {
    const parts = receiptParts(newFields(7), own)
    const strange = receiptParts(newFields(7), own, { keyId: new Uint8Array(32) })
    const [first, second] = [parts.signers[0], strange.signers[1]]
    assert.ok(first !== undefined && second !== undefined)
    const [found, ...others] = await faultsOf([assemble({ ...parts, signers: [first, second] })])
    assert.match(found ?? '', /^form 7 bytes \d+ to \d+ and bytes \d+ to \d+$/)
    assert.deepEqual(others, [])
  })

  it('refuses an Ed25519 signature with the order of the group added, a second form of the same signature', async () => {
    const cbor = signReceipt(newFields(7), own)
    const at = cbor.indexOf(Buffer.from('a05840', 'hex')) + 3 + 32
    const scalar = BigInt(`0x${Buffer.from(cbor.subarray(at, at + 32).toReversed()).toString('hex')}`)
    const added = Buffer.from((scalar + ED25519_ORDER).toString(16).padStart(64, '0'), 'hex').toReversed()
    assert.deepEqual(await faultsOf([cbor]), [])
    const bytes = Buffer.concat([cbor.subarray(0, at), added, cbor.subarray(at + 32)])
    assert.deepEqual(await faultsOf([bytes]), [`signature 7 Ed25519 signature, bytes ${at - 32} to ${at + 31}`])
  })
})

// Covers: Receipt checker
describe('the code of the receipt checker', () => {
  it('uses no library of the server or the clients', () => {
    const folder = new URL('checker/', import.meta.url)
    const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
    const imports = sources.flatMap((text) => [...text.matchAll(/from '([^']+)'/g)].map(([, name]) => name ?? ''))
    const others = new Set(imports.filter((name) => !name.startsWith('./') && !name.startsWith('node:')))
    assert.deepEqual([...others].toSorted(), ['@oqs/liboqs-js/sig', 'cbor2', 'libsodium-wrappers'])
    const crypto = sources.flatMap((text) =>
      [...text.matchAll(/import \{([^}]+)\} from 'node:crypto'/g)].map(([, names]) => names?.trim()),
    )
    assert.deepEqual([...new Set(crypto)], ['createHash'], 'it uses node:crypto only for hashes')
  })
})
