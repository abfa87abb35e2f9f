/** The receipt checker with invalid chains and keys. All signatures are valid. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import type { CheckOptions } from './checker/check.ts'
import { faultsIn } from './checkerFaults.ts'
import {
  newFields,
  newServerKeys,
  ORIGIN,
  type Published,
  publish,
  receiptHash,
  type Step,
  signReceipt,
  timeAfter,
  writeChain,
} from './receiptWriter.ts'

const [own, other] = [newServerKeys(), newServerKeys()]
const published = publish([own])

const faultsOf = (receipts: readonly Uint8Array[], options: CheckOptions = {}) =>
  faultsIn(receipts, { keys: published, ...options })

const chainFaults = async (steps: readonly Step[], options: CheckOptions = {}) =>
  faultsOf(writeChain(own, steps), options)

// Covers: Receipt checker
describe('the receipt checker with validly signed receipts', () => {
  const prior = 'field prior_receipt_hash'
  const away = { prior_receipt_hash: new Uint8Array(32) }

  it('accepts a chain, a part of it in any order, and one that continues with a newer key', async () => {
    const chain = writeChain(own, [{}, {}, {}, {}, {}])
    assert.deepEqual(await faultsOf(chain, { whole: true, log: true }), [])
    assert.deepEqual(await faultsOf(chain.filter((_, index) => index !== 2).toReversed()), [])
    const rotated = writeChain(own, [{}, {}, { keys: other }, { keys: other }])
    assert.deepEqual(await faultsOf(rotated, { keys: publish([own, other], [2]), whole: true }), [])
  })

  it('accepts a gap in the numbers, as after a restore, when the hashes match', async () => {
    assert.deepEqual(await chainFaults([{}, {}, { fields: { receipt_seq: 1000 } }], { whole: true }), [])
  })

  it('detects a receipt that does not follow its direct predecessor', async () => {
    assert.deepEqual(await chainFaults([{}, {}, { fields: away }, {}]), [`chain 3 ${prior}`])
  })

  it('detects a later receipt that names no prior, and a first one that names one', async () => {
    assert.deepEqual(await chainFaults([{}, {}, { fields: { prior_receipt_hash: undefined } }]), [`chain 3 ${prior}`])
    assert.deepEqual(await chainFaults([{ fields: away }, {}]), [`chain 1 ${prior}`])
  })

  it('detects two receipts with the same number, also with others between them', async () => {
    const chain = writeChain(own, [{}, {}, {}])
    const twin = signReceipt(
      newFields(2, { size: 99, prior_receipt_hash: Uint8Array.from(receiptHash(chain[0] ?? Buffer.of())) }),
      own,
    )
    const found = await faultsOf([...chain, twin])
    assert.deepEqual(found, ['chain 2 field receipt_seq'])
  })

  it('detects a fork after a gap: two receipts that name the same prior, or one that skips another', async () => {
    const far = (receipt_seq: number) => signReceipt(newFields(receipt_seq, away), own)
    assert.deepEqual(await faultsOf([far(10), far(20)]), [`chain 20 ${prior}`])
    const [first, second] = writeChain(own, [{}, {}])
    assert.ok(first !== undefined && second !== undefined)
    const past = signReceipt(newFields(50, { prior_receipt_hash: Uint8Array.from(receiptHash(first)) }), own)
    assert.deepEqual(await faultsOf([first, second, past]), [`chain 50 ${prior}`])
  })

  it('detects a receipt that skips another whose prior is unknown', async () => {
    const [first] = writeChain(own, [{}])
    assert.ok(first !== undefined)
    const between = signReceipt(newFields(10, away), own)
    const past = signReceipt(newFields(50, { prior_receipt_hash: Uint8Array.from(receiptHash(first)) }), own)
    assert.deepEqual(await faultsOf([first, between, past]), [`chain 50 ${prior}`])
  })

  it('keeps a receipt of another server out of the chain, whatever key signed it', async () => {
    const steps = [{}, { fields: { server_id: 'https://other.example' } }, {}]
    const found = ['server 2 field server_id', `chain 3 ${prior}`]
    assert.deepEqual(await chainFaults(steps, { whole: true }), found)
  })

  it('detects a receipt that is dated before the previous one', async () => {
    assert.deepEqual(await chainFaults([{}, {}, { fields: { received_at: timeAfter(1) } }]), [
      'chain 3 field received_at',
    ])
    assert.deepEqual(await chainFaults([{}, {}, { fields: { received_at: timeAfter(2) } }]), [])
  })

  it('detects a key that signs again after its successor', async () => {
    const at = { received_at: timeAfter(2) }
    const steps = [{ fields: at }, { fields: at, keys: other }, { fields: at }]
    assert.deepEqual(await chainFaults(steps, { keys: publish([own, other], [2]) }), ['chain 3 key id'])
  })

  it('detects what is missing from a complete log, at the receipt after the gap', async () => {
    const chain = writeChain(own, [{}, {}, {}, {}])
    const without = (at: number) =>
      faultsOf(
        chain.filter((_, index) => index !== at),
        { whole: true },
      )
    assert.deepEqual(await without(0), [`chain 2 ${prior}`])
    assert.deepEqual(await without(1), [`chain 3 ${prior}`])
    assert.deepEqual(await without(2), [`chain 4 ${prior}`])
  })

  it('draws no conclusion from a receipt that is faulty itself', async () => {
    const chain = writeChain(own, [{}, {}, {}]).map((cbor) => Buffer.from(cbor))
    const [, second] = chain
    assert.ok(second !== undefined)
    second[600] = (second[600] ?? 0) ^ 1
    const [found, ...others] = await faultsOf(chain, { whole: true, log: true })
    assert.match(found ?? '', /^signature 2 ML-DSA-65 signature, bytes \d+ to \d+$/)
    assert.deepEqual(others, [])
  })
})

// Covers: Receipt checker
describe('the receipt checker with keys', () => {
  const [first, second] = publish([own, other], [5]).keys
  assert.ok(first !== undefined && second !== undefined)
  const chain = writeChain(own, [{}])
  const keyFaults = (keys: readonly unknown[], pins?: unknown) =>
    faultsOf(chain, { keys: { server_id: ORIGIN, keys }, ...(pins === undefined ? {} : { pins }) })

  it('detects a key that does not match its key_id, and accepts no signature of it', async () => {
    const at = chain[0]?.indexOf(Buffer.from(first.key_id, 'hex')) ?? 0
    const changed = { ...first, public: second.public }
    assert.deepEqual(await keyFaults([changed, second]), ['keys key 1', `key 1 key id, bytes ${at} to ${at + 31}`])
    const short = {
      ...first,
      public: first.public.slice(4),
      key_id: createHash('sha256').update(own.publicKey.subarray(3)).digest('hex'),
    }
    assert.deepEqual((await keyFaults([short, second]))[0], 'keys key 1')
  })

  it('detects a list of keys that is not oldest first, does not end with the active key, or names a key twice', async () => {
    const { active_to: _, ...open } = first
    const lists = [
      [second, first],
      [open, second],
      [first],
      [first, first, second],
      [{ ...first, active_to: timeAfter(-90_000) }, second],
      [{ ...first, active_from: 'yesterday' }, second],
      [{ ...first, active_from: timeAfter(6), active_to: timeAfter(7) }, second],
      [first, { ...second, active_from: timeAfter(-1) }],
      [{ ...first, algorithm: 'ed25519' }, second],
    ]
    for (const keys of lists)
      assert.ok(
        (await keyFaults(keys)).some((found) => found.startsWith('keys ')),
        JSON.stringify(keys),
      )
    assert.deepEqual(await keyFaults([first, second]), [])
  })

  it('detects a pinned key that is missing, moved or changed, in both forms of pins', async () => {
    const camel = ({ key_id: keyId, public: key, active_from: activeFrom }: typeof first) => ({
      keyId,
      public: key,
      activeFrom,
    })
    const forms = [
      { server_id: ORIGIN, keys: [first, second] },
      { serverId: ORIGIN, keys: [camel(first), camel(second)] },
    ]
    for (const pins of forms) {
      assert.deepEqual(await keyFaults([first, second], pins), [])
      const pinned: readonly string[] = [
        `keys key 1, pinned as ${first.key_id}`,
        `keys key 2, pinned as ${second.key_id}`,
      ]
      assert.deepEqual((await keyFaults([first], pins)).slice(-1), [pinned[1]])
      assert.deepEqual((await keyFaults([second, first], pins)).slice(-2), pinned)
      assert.ok((await keyFaults([{ ...first, public: second.public }, second], pins)).includes(pinned[0] ?? ''))
      const earlier: Published = { ...first, active_from: timeAfter(-99_000) }
      assert.deepEqual(await keyFaults([earlier, second], pins), [pinned[0]])
    }
    const pins = { server_id: 'https://other.example', keys: [first] }
    assert.deepEqual(await keyFaults([first, second], pins), ['keys server_id'])
    const ended = { server_id: ORIGIN, keys: [{ ...first, active_to: timeAfter(4) }] }
    const endedCamel = { serverId: ORIGIN, keys: [{ ...camel(first), activeTo: timeAfter(4) }] }
    for (const pinned of [ended, endedCamel])
      assert.deepEqual(await keyFaults([first, second], pinned), [`keys key 1, pinned as ${first.key_id}`])
  })
})
