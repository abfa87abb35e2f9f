import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fromBase64, toBase64 } from './bytes.ts'
import { parseInstant } from './ids.ts'
import { parse } from './parse.ts'
import { RegisterRequest } from './schemas/accounts.ts'
import { CreateDropRequest } from './schemas/drops.ts'
import { ProvisionLinkRequest } from './schemas/links.ts'
import { base64, boolean, integer, list, object, optional, text, time } from './schemas/shape.ts'

const Inner = object('Inner', { size: integer('size', 1) })
const Shape = object('Shape', {
  name: text('name', { minLength: 2 }),
  size: integer('size'),
  is: optional(boolean('is')),
  key: optional(base64('key', { min: 2, max: 4 })),
  inner: list(Inner, 'inner'),
})

const good = { name: 'ab', size: 0, inner: [{ size: 1 }] }
const kindOf = (json: unknown, later: readonly string[] = []) => parse(Shape, json, { judgedLater: later }).fault?.kind

describe('parsing', () => {
  it('returns valid values, and leaves out optional members that are null, because null means absent', () => {
    assert.deepEqual(parse(Shape, good).value, good)
    assert.deepEqual(parse(Shape, { ...good, is: null, key: null }).value, good)
    const nulls = { ...good, is: null, key: null }
    assert.deepEqual(parse(Shape, nulls, { nullRemoves: true }).value, nulls)
    assert.deepEqual(parse(Shape, { ...good, is: false, key: 'AAA=' }).value, { ...good, is: false, key: 'AAA=' })
  })

  it('changes nothing else: coerces no text, rounds no number, drops no member', () => {
    for (const changes of [
      { size: '0' },
      { size: 0.5 },
      { size: true },
      { is: 'true' },
      { is: 0 },
      { name: 5 },
      { inner: {} },
    ])
      assert.equal(kindOf({ ...good, ...changes }), 'wrong_type', JSON.stringify(changes))
  })

  it('reports an unknown member first, then a missing or mistyped one, then a wrong value, in any place', () => {
    assert.equal(kindOf({ ...good, name: 5, size: -1, x: null }), 'unknown_member')
    assert.equal(kindOf({ ...good, name: '', inner: [{ size: 0, x: 1 }] }), 'unknown_member')
    assert.equal(kindOf({ ...good, name: '', inner: [{ size: 0 }, {}] }), 'wrong_type')
    assert.equal(kindOf({ ...good, name: null }), 'wrong_type')
    assert.equal(kindOf({ ...good, name: 'a' }), 'wrong_value')
    assert.equal(kindOf({ ...good, inner: [{ size: 0 }] }), 'wrong_value')
    for (const json of [null, [], 'x', 5, undefined]) assert.equal(kindOf(json), 'wrong_type')
  })

  it('names the member at fault', () => {
    assert.equal(parse(Shape, { ...good, inner: [{ size: 1 }, {}] }).fault?.path, '/inner/1/size')
    assert.equal(parse(Shape, { ...good, size: -1 }).fault?.path, '/size')
  })

  it('finds a mistyped member behind hundreds of wrong values', () => {
    const inner = Array.from({ length: 500 }, () => ({ size: 0 }))
    assert.equal(kindOf({ ...good, inner: [...inner, { size: 'x' }] }), 'wrong_type')
    assert.equal(kindOf({ ...good, inner: [...inner, { size: 0, x: 1 }] }), 'unknown_member')
  })

  it('ignores only the values that the operation checks itself', () => {
    assert.equal(kindOf({ ...good, name: 'a' }, ['name']), undefined)
    assert.equal(kindOf({ ...good, name: 5 }, ['name']), 'wrong_type')
    assert.equal(kindOf({ ...good, name: 'a', size: -1 }, ['name']), 'wrong_value')
  })

  it('refuses members that every object has', () => {
    assert.equal(kindOf(JSON.parse('{"name":"ab","size":0,"inner":[],"__proto__":{"x":1}}')), 'unknown_member')
    assert.equal(kindOf({ ...good, constructor: 1 }), 'unknown_member')
    assert.equal(kindOf(JSON.parse('{"size":0,"inner":[],"__proto__":{"name":"ab"}}')), 'unknown_member')
  })

  it('keeps whole numbers up to 2^53-1', () => {
    assert.equal(kindOf({ ...good, size: 2 ** 53 - 1 }), undefined)
    for (const size of [2 ** 53, 1e300, -1]) assert.equal(kindOf({ ...good, size }), 'wrong_value')
    for (const size of [Number.POSITIVE_INFINITY, Number.NaN, 1.5])
      assert.equal(kindOf({ ...good, size }), 'wrong_type')
  })
})

describe('base64', () => {
  const Required = object('Required', { key: base64('key', { min: 2, max: 4 }) })
  const Optional = object('Optional', { key: optional(base64('key', { min: 2, max: 4 })) })

  it('is strict and within its lengths, also in optional members', () => {
    for (const Schema of [Required, Optional]) {
      for (const key of ['AAA=', 'AAAA', 'AAAAAA==', '+/8=']) assert.equal(parse(Schema, { key }).fault, undefined, key)
      for (const key of ['', 'AA==', 'AAAAAAA=', 'AAB=', 'AAA', 'AA A', 'AAA=\n', '-_8=', '=AAA', 'AA==AAAA'])
        assert.equal(parse(Schema, { key }).fault?.kind, 'wrong_value', JSON.stringify(key))
    }
  })

  it('that passes can always be decoded', () => {
    const almost = fc.stringMatching(/^[A-Za-z0-9+/]{0,7}={0,2}$/)
    fc.assert(
      fc.property(almost, (key) => parse(Optional, { key }).fault !== undefined || fromBase64(key).length >= 2),
      { numRuns: 2000 },
    )
  })
})

describe('a time', () => {
  const Schema = object('Timed', { at: optional(time('at')) })

  it('that passes can always be read', () => {
    const pieces = fc.tuple(
      fc.constantFrom('2026-06-01', '2026-02-29', '0000-01-01', '9999-12-31'),
      fc.constantFrom('T', 't', ' ', ''),
      fc.constantFrom('12:00:00', '23:59:60', '24:00:00', '23:59:59.999999999', '12:00'),
      fc.constantFrom('Z', 'z', '+05:30', '-23:59', '+0530', '+05', '', '+24:00'),
      fc.constantFrom('', '', '[Europe/Berlin]', '[u-ca=hebrew]', '[!u-ca=x]'),
    )
    fc.assert(
      fc.property(pieces, (parts) => {
        const at = parts.join('')
        return parse(Schema, { at }).fault !== undefined || parseInstant(at) !== undefined
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the requests of the interface', () => {
  const link = { opaque_id: 'a'.repeat(32), drop_pubkey: 'AAAA', crypto_suite_id: 1 }

  it('do not require members that the specification calls optional', () => {
    assert.deepEqual(parse(ProvisionLinkRequest, link).value, link)
    const nulls = {
      expires_at: null,
      max_total_bytes: null,
      max_file_count: null,
      max_file_size: null,
      single_use: null,
      passphrase_verifier: null,
      sealed_label: null,
    }
    assert.deepEqual(parse(ProvisionLinkRequest, { ...link, ...nulls }).value, link)
  })

  it('bound their texts in code points, not in glyphs', () => {
    const bytes = (count: number) => toBase64(new Uint8Array(count))
    const account = { email: 'a@b', proof: { key: bytes(32), nonce: bytes(56), signature: bytes(64) } }
    assert.equal(parse(RegisterRequest, account).fault, undefined)
    for (const changes of [
      { email: `a@b${'\u0301'.repeat(252)}` },
      { proof: { ...account.proof, key: bytes(31) } },
      { proof: { ...account.proof, nonce: 'é' } },
      { invite: `x${'\u0301'.repeat(256)}` },
      { recovery_key: bytes(31) },
      { salt: toBase64(new Uint8Array(65)) },
      { sealed_account_key: toBase64(new Uint8Array(4097)) },
    ])
      assert.equal(parse(RegisterRequest, { ...account, ...changes }).fault?.kind, 'wrong_value')
  })

  it('refuse a drop with members that the server never reads', () => {
    const drop = { content_type: 'x', size: 1, ciphertext_hash: 'x', kem_ct: 'x' }
    for (const name of ['album_id', 'amk_version', 'manifest_envelope', 'provenance', 'Size'])
      assert.equal(parse(CreateDropRequest, { ...drop, [name]: null }).fault?.kind, 'unknown_member')
  })
})
