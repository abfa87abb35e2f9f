/** The receipt checker with receipts of a real server, and with altered ones. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decode, Tag } from 'cbor2'
import { type CheckOptions, checkReceipts, openChecker, type Report } from './checker/check.ts'
import { type HeldLog, type HeldReceipt, newLog } from './checkerLog.ts'
import { newServerKeys, publish, signReceipt } from './receiptWriter.ts'
import { connect, NEEDS_OWN_SERVER, newServer } from './server.ts'

/** How many receipts have every byte flipped; set FLIPPED_RECEIPTS for more. */
const FLIPPED_RECEIPTS = Number(process.env.FLIPPED_RECEIPTS ?? 1)

const held = await newLog(await connect())
/** The complete log of a new server. */
const fresh: HeldLog = NEEDS_OWN_SERVER === false ? await newLog((await newServer()).client) : held

const bytesOf = ({ receipt_cbor: text }: HeldReceipt) => Buffer.from(text, 'base64')
const withBytes = (receipt: HeldReceipt, cbor: Uint8Array): HeldReceipt => ({
  ...receipt,
  receipt_cbor: Buffer.from(cbor).toString('base64'),
})

function flip(receipt: HeldReceipt, at: number): HeldReceipt {
  const cbor = bytesOf(receipt)
  cbor[at] = (cbor[at] ?? 0) ^ (1 << (at % 8))
  return withBytes(receipt, cbor)
}

/** The log with the receipt at this index changed or removed. */
function around(receipts: readonly HeldReceipt[], at: number, changed: readonly unknown[]): readonly unknown[] {
  return [...receipts.slice(at - 2, at), ...changed, ...receipts.slice(at + 1, at + 3)]
}

function at(receipts: readonly HeldReceipt[], index: number): HeldReceipt {
  const receipt = receipts[index]
  assert.ok(receipt !== undefined)
  return receipt
}

const check = (receipts: readonly unknown[], options: CheckOptions = {}) =>
  checkReceipts(receipts, { keys: held.keys, ...options })
const seqsOf = ({ faults }: Report) => [...new Set(faults.map(({ receipt_seq }) => receipt_seq))]
const kindsOf = ({ faults }: Report) => [...new Set(faults.map(({ kind }) => kind))].toSorted()

/** Every fault is about this receipt. */
async function expectOnly(
  { receipt_seq: seq }: HeldReceipt,
  report: Promise<Report>,
  kinds?: readonly string[],
): Promise<void> {
  const found = await report
  assert.deepEqual(seqsOf(found), [seq], JSON.stringify(found.faults))
  if (kinds !== undefined) assert.deepEqual(kindsOf(found), kinds, JSON.stringify(found.faults))
}

// Covers: Receipt checker
describe('the receipt checker with receipts of a server', () => {
  it('finds no fault, in any order, with or without the JSON members', async () => {
    const { receipts } = held
    assert.ok(receipts.length >= 40)
    assert.deepEqual((await check(receipts, { log: true })).faults, [])
    assert.deepEqual((await check(receipts.toReversed())).faults, [])
    assert.deepEqual((await check(receipts.map(({ receipt_cbor: text }) => text))).faults, [])
    assert.deepEqual((await check([...receipts, ...receipts])).faults, [])
    assert.deepEqual((await check(receipts, { pins: held.keys })).faults, [])
  })

  it('accepts the receipts of a new server as one complete chain', { skip: NEEDS_OWN_SERVER }, async () => {
    const { receipts, keys } = fresh
    const report = await checkReceipts(receipts, { keys, whole: true, log: true })
    assert.deepEqual(report.faults, [])
    assert.deepEqual([report.first_receipt_seq, report.last_receipt_seq], [1, receipts.length])
  })

  it('detects an answer with receipts of another asset, or in another order', async () => {
    const { asset_id: assetId, receipts } = held.answer
    const faultsIn = async (answer: { assetId: string }, list: readonly HeldReceipt[]) => {
      const checker = await openChecker({ keys: held.keys })
      for (const value of list) checker.take({ value, answer })
      return checker.finish().faults.map(({ kind }) => kind)
    }
    assert.deepEqual(await faultsIn({ assetId }, receipts), [])
    assert.deepEqual(
      await faultsIn({ assetId }, receipts.toReversed()),
      receipts.slice(1).map(() => 'order'),
    )
    assert.ok((await faultsIn({ assetId: '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e13' }, receipts)).includes('reading'))
  })
})

// Covers: Receipt checker
describe('the receipt checker with an altered receipt', () => {
  it('detects every flipped byte, and names the receipt', async () => {
    const { receipts } = held
    for (let index = 0; index < FLIPPED_RECEIPTS; index += 1) {
      const receipt = at(receipts, (7 + index) % receipts.length)
      const checker = await openChecker({ keys: held.keys })
      const { length } = bytesOf(receipt)
      for (let byte = 0; byte < length; byte += 1) checker.take({ value: flip(receipt, byte) })
      const report = checker.finish()
      assert.equal(report.fault_count, report.faults.length, 'all faults are listed')
      assert.equal(new Set(report.faults.map(({ position }) => position)).size, length)
      assert.deepEqual(seqsOf(report), [receipt.receipt_seq])
    }
  })

  it('names only the receipt with the flipped byte', async () => {
    const receipt = at(held.receipts, 9)
    for (let byte = 0; byte < bytesOf(receipt).length; byte += 101)
      await expectOnly(receipt, check(around(held.receipts, 9, [flip(receipt, byte)]), { log: true }))
  })

  it('says where the alteration is: a byte of the form, a field of the payload or a signature', async () => {
    const receipt = held.receipts.find(({ blob_role }) => blob_role === 'original')
    assert.ok(receipt !== undefined)
    const cbor = bytesOf(receipt)
    const placesOf = async (byte: number) => (await check([flip(receipt, byte)])).faults.map(({ where }) => where)
    const fromEnd = cbor.length - 3309 - 3 - 1 - 32 - 8 - 1
    for (const byte of [0, 2, 4, 20, 40, 41, 42, 43, 44, fromEnd])
      assert.deepEqual(await placesOf(byte), [`byte ${byte}`])
    for (const [bytes, offset] of [
      [cbor.subarray(0, -1), cbor.length - 1],
      [cbor.subarray(0, 300), 300],
      [Buffer.concat([cbor, Buffer.of(0)]), cbor.length],
    ] as const)
      assert.deepEqual((await check([withBytes(receipt, bytes)])).faults[0]?.where, `byte ${offset}`)
    const hash = cbor.indexOf(Buffer.from(String(receipt.ciphertext_hash), 'hex'))
    assert.ok((await placesOf(hash + 5)).includes('field ciphertext_hash'))
    assert.deepEqual(await placesOf(cbor.length - 1), [
      `ML-DSA-65 signature, bytes ${cbor.length - 3309} to ${cbor.length - 1}`,
    ])
  })

  it('detects a receipt that is cut short or too long, and a value that is not a receipt', async () => {
    const receipt = at(held.receipts, 9)
    const cbor = bytesOf(receipt)
    for (const bytes of [
      cbor.subarray(0, -1),
      cbor.subarray(1),
      cbor.subarray(0, 300),
      Buffer.concat([cbor, Buffer.of(0)]),
    ])
      await expectOnly(receipt, check([withBytes(receipt, bytes)]), ['form'])
    await expectOnly(
      receipt,
      check([{ ...receipt, receipt_cbor: receipt.receipt_cbor.replace('==', '').slice(0, -1) }]),
    )
    for (const value of [undefined, null, 7, {}, 'no base64', { ...receipt, receipt_cbor: 1 }])
      assert.deepEqual(kindsOf(await check([value])), ['unreadable'])
  })

  it('names each JSON member that differs from the signed field', async () => {
    const receipt = at(held.receipts, held.receipts.length - 2)
    const { receipt_cbor: _, ...shown } = receipt
    for (const [name, value] of Object.entries(shown)) {
      for (const altered of [typeof value === 'number' ? value + 1 : `${value}0`, undefined, null]) {
        const { faults } = await check([{ ...receipt, [name]: altered }])
        assert.deepEqual(
          faults.map(({ kind, where, receipt_seq }) => `${kind} ${where} ${receipt_seq}`),
          [`reading field ${name} ${receipt.receipt_seq}`],
        )
      }
    }
    const landing = held.receipts.find(({ envelope_hash }) => envelope_hash === undefined)
    assert.deepEqual((await check([{ ...landing, envelope_hash: null }])).faults, [], 'null means absent')
    for (const name of ['asset_id', 'drop_id'])
      assert.equal((await check([{ ...receipt, [name]: 'ab'.repeat(32) }])).fault_count, 1, name)
  })
})

// Covers: Receipt checker
describe('the receipt checker with an altered log', { skip: NEEDS_OWN_SERVER }, () => {
  const { receipts, keys } = fresh
  const whole = (list: readonly unknown[], options: CheckOptions = {}) =>
    checkReceipts(list, { keys, whole: true, log: true, ...options })

  it('detects each missing receipt, at the one after the gap', async () => {
    for (const index of [0, 1, 20, receipts.length - 2])
      await expectOnly(at(receipts, index + 1), whole(receipts.toSpliced(index, 1)), ['chain'])
  })

  it('detects receipts that are swapped, reversed or duplicated', async () => {
    const [ninth, tenth] = [at(receipts, 9), at(receipts, 10)]
    await expectOnly(ninth, whole(receipts.toSpliced(9, 2, tenth, ninth)), ['order'])
    assert.deepEqual(seqsOf(await whole(receipts.toReversed())).length, receipts.length - 1)
    await expectOnly(ninth, whole(receipts.toSpliced(20, 0, ninth)), ['order'])
    await expectOnly(ninth, whole(receipts.toSpliced(10, 0, ninth)), ['order'])
  })

  it('detects receipts with the bytes of another one', async () => {
    const [ninth, tenth] = [at(receipts, 9), at(receipts, 10)]
    const exchanged = [withBytes(ninth, bytesOf(tenth)), withBytes(tenth, bytesOf(ninth))]
    const report = await whole(receipts.toSpliced(9, 2, ...exchanged))
    assert.deepEqual(seqsOf(report).toSorted(), [ninth.receipt_seq, tenth.receipt_seq].toSorted())
  })

  it('detects a receipt of another server', async () => {
    const foreign = at(held.receipts, 12)
    const report = await whole(receipts.toSpliced(12, 1, foreign))
    assert.deepEqual(
      kindsOf(report).filter((kind) => kind === 'server' || kind === 'key'),
      ['key', 'server'],
    )
    const [first] = report.faults
    assert.deepEqual([first?.position, first?.receipt_seq], [13, foreign.receipt_seq])
    assert.equal(seqsOf(await whole(held.receipts)).length, held.receipts.length, 'every receipt is named')
  })

  it('detects a receipt signed again with another key, published or not', async () => {
    const receipt = at(receipts, 12)
    const forger = newServerKeys()
    const forged = withBytes(receipt, signReceipt({}, forger, { payload: payloadIn(bytesOf(receipt)) }))
    const altered = { ...forged, server_key_id: publish([forger]).keys[0]?.key_id }
    await expectOnly(receipt, whole(receipts.toSpliced(12, 1, altered)), ['key'])
    const [own] = keys.keys
    assert.ok(own !== undefined)
    const [stolen] = publish([forger]).keys
    const both = {
      ...keys,
      keys: [{ ...stolen, active_to: own.active_from, active_from: '2020-01-01T00:00:00.000Z' }, own],
    }
    const report = await whole(receipts.toSpliced(12, 1, altered), { keys: both })
    assert.deepEqual(seqsOf(report).toSorted(), [receipt.receipt_seq, at(receipts, 13).receipt_seq].toSorted())
    assert.deepEqual(kindsOf(report), ['chain', 'key'])
  })

  it('detects a missing or changed key', async () => {
    const others = publish([newServerKeys()]).keys
    const incomplete = { ...keys, keys: others }
    assert.deepEqual(
      seqsOf(await whole(receipts, { keys: incomplete })),
      receipts.map(({ receipt_seq }) => receipt_seq),
    )
    assert.deepEqual(kindsOf(await whole(receipts, { keys: incomplete, pins: keys })), ['key', 'keys'])
    const changed = { ...keys, keys: keys.keys.map((key) => ({ ...key, public: others[0]?.public })) }
    assert.deepEqual(kindsOf(await whole(receipts, { keys: changed, pins: keys })), ['key', 'keys'])
    const renamed = { ...keys, server_id: 'https://other.example' }
    assert.deepEqual(kindsOf(await whole(receipts, { keys: renamed })), ['server'])
  })
})

/** The signed payload in a receipt. */
function payloadIn(cbor: Uint8Array): Uint8Array {
  const message = decode(Uint8Array.from(cbor), { preferMap: true })
  const payload: unknown = message instanceof Tag && Array.isArray(message.contents) ? message.contents[2] : undefined
  assert.ok(payload instanceof Uint8Array)
  return payload
}
