import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { json } from './call.ts'
import { atOnce, expectAnswer } from './expect.ts'
import { checkReceipt, hashOf, publishedKeys, readingOf } from './receiptReader.ts'
import { connect, NEEDS_OWN_SERVER, newServer, ownServer } from './server.ts'
import {
  append,
  asOwner,
  inboxOf,
  land,
  newLink,
  newOpaqueId,
  onlyDrop,
  openSession,
  revoke,
  type Session,
  sessionPath,
  sha256,
  stateOf,
} from './world.ts'

interface Receipt {
  readonly receipt_seq: number
  readonly server_id: string
  readonly server_key_id: string
  readonly prior_receipt_hash?: string
  readonly upload_id: string
  readonly blob_role: string
  readonly ciphertext_hash: string
  readonly size: number
  readonly envelope_hash?: string
  readonly received_at: string
  readonly receipt_cbor: string
}

const server = await connect()
const fetchReceipt = (session: Session) =>
  session.client.send({ method: 'GET', path: `${sessionPath(session)}/receipt` })
const cborOf = (receipt: Receipt) => Buffer.from(receipt.receipt_cbor, 'base64')

async function receiptOf(session: Session): Promise<Receipt> {
  const reply = await fetchReceipt(session)
  assert.equal(reply.status, 200)
  return json<Receipt>(reply)
}

// Covers: AttestationKeysResponse; AssetReceipt, receipt_seq; AssetReceipt, server_id; AssetReceipt, server_key_id;
// AssetReceipt, prior_receipt_hash; AssetReceipt, ciphertext_hash and size; AssetReceipt, received_at; AssetReceipt,
// receipt_cbor; Quota and receipts
describe('receipts', () => {
  it('are given to the guest, and verify with both published keys', async () => {
    const receipt = await receiptOf(await land(await newLink(server)))
    assert.equal(checkReceipt(cborOf(receipt), await publishedKeys(server)).keyId, receipt.server_key_id)
  })

  it('equal the signed bytes', async () => {
    const link = await newLink(server)
    const file = randomBytes(321)
    const session = await land(link, file)
    const receipt = await receiptOf(session)
    const drop = await onlyDrop(link.owner)
    const { payload } = checkReceipt(cborOf(receipt), await publishedKeys(server))
    const { receipt_cbor: _, server_key_id: __, ...shown } = receipt
    assert.deepEqual(readingOf(payload), { version: 'service/receipt/1', drop_id: drop.drop_id, ...shown })
    assert.deepEqual(
      [receipt.ciphertext_hash, receipt.size, receipt.upload_id, receipt.blob_role, receipt.received_at],
      [sha256(file), 321, session.uploadId, 'original', drop.received_at],
    )
    assert.equal(receipt.envelope_hash, undefined)
  })

  it('name the server that published the keys', async () => {
    const receipt = await receiptOf(await land(await newLink(server)))
    const reply = await server.send({ method: 'GET', path: '/.well-known/service/attestation-keys' })
    assert.equal(receipt.server_id, json<{ server_id: string }>(reply).server_id)
  })

  it('contain neither the link nor the account', async () => {
    const link = await newLink(server)
    const receipt = await receiptOf(await land(link))
    const text = cborOf(receipt).toString('latin1')
    for (const secret of [link.opaqueId, Buffer.from(link.opaqueId, 'hex').toString('latin1'), link.owner.accountId])
      assert.ok(!text.includes(secret))
  })

  it('are refused by an independent checker when one bit is flipped', async () => {
    const cbor = cborOf(await receiptOf(await land(await newLink(server))))
    const keys = await publishedKeys(server)
    for (let at = 0; at < cbor.length; at += 7) {
      const flipped = Buffer.from(cbor)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
      assert.throws(() => checkReceipt(flipped, keys), `byte ${at}`)
    }
  })

  it('stay the same after changes of link and drop', async () => {
    const link = await newLink(server)
    const session = await land(link)
    const before = await receiptOf(session)
    await revoke(link)
    await asOwner(link.owner, 'DELETE', `/v1/drops/${(await onlyDrop(link.owner)).drop_id}`)
    assert.deepEqual(await receiptOf(session), before)
  })

  it('are answered for the set time, and 404 afterwards', { skip: NEEDS_OWN_SERVER }, async () => {
    const shortLived = await ownServer({ RECEIPT_GUEST_SECONDS: '1', SWEEP_SECONDS: '1' })
    const link = await newLink(shortLived)
    const session = await land(link)
    await until(async () => (await fetchReceipt(session)).status === 404, 'the receipt expires')
    await until(async () => (await stateOf(session)).status === 404, 'the state expires')
    assert.equal((await inboxOf(link.owner)).length, 1, 'the drop is still pending')
  })

  it('are answered 404 before the landing, through another link and for a session that has ended', async () => {
    const link = await newLink(server)
    const open = await openSession(link, randomBytes(10))
    const failed = await openSession(link, randomBytes(10), { ciphertext_hash: '0'.repeat(64) })
    await append(failed)
    const landed = await land(link)
    for (const session of [
      open,
      failed,
      { ...landed, opaqueId: newOpaqueId() },
      { ...landed, opaqueId: (await newLink(server)).opaqueId },
    ])
      expectAnswer(await fetchReceipt(session), '404 upload.session_not_found')
  })

  it('form one chain from the first receipt of the server on, in which each names the hash of the previous one', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    const { client: fresh } = await newServer()
    const [link, other] = [await newLink(fresh), await newLink(fresh)]
    const first: Session[] = []
    for (let round = 0; round < 3; round += 1) first.push(await land(link), await land(other))
    const sessions = await Promise.all(
      Array.from({ length: 24 }, (_, index) => openSession(index % 2 === 0 ? link : other, randomBytes(50 + index))),
    )
    await Promise.all(sessions.map((session) => append(session)))
    const receipts = await Promise.all([...first, ...sessions].map(receiptOf))
    const chain = receipts.toSorted((one, two) => one.receipt_seq - two.receipt_seq)
    const keys = await publishedKeys(fresh)
    for (const [index, receipt] of chain.entries()) {
      const before = chain[index - 1]
      checkReceipt(cborOf(receipt), keys)
      assert.equal(receipt.prior_receipt_hash, before === undefined ? undefined : hashOf(cborOf(before)))
      if (before === undefined) continue
      assert.ok(receipt.receipt_seq > before.receipt_seq, 'strictly rising')
      assert.ok(receipt.received_at >= before.received_at, 'the clock never goes back')
    }
    assert.deepEqual(receipts.slice(0, 6), chain.slice(0, 6), 'in the order of landing')
    await expectInboxTimes(
      [link, other].map(({ owner }) => owner),
      receipts,
    )
  })

  it('have strictly rising numbers for drops that land at once', async () => {
    const link = await newLink(server)
    const sessions = await Promise.all(Array.from({ length: 16 }, () => openSession(link, randomBytes(20))))
    await atOnce(sessions.length, (index) => append(sessions[index] ?? (sessions[0] as Session)))
    const receipts = await Promise.all(sessions.map(receiptOf))
    assert.equal(new Set(receipts.map((receipt) => receipt.receipt_seq)).size, sessions.length)
    assert.equal(new Set(receipts.map((receipt) => receipt.prior_receipt_hash)).size, sessions.length)
  })
})

async function expectInboxTimes(
  owners: readonly Parameters<typeof inboxOf>[0][],
  receipts: readonly Receipt[],
): Promise<void> {
  const drops = (await Promise.all(owners.map(inboxOf))).flat()
  assert.deepEqual(
    drops.map((drop) => drop.received_at).toSorted(),
    receipts.map((receipt) => receipt.received_at).toSorted(),
  )
  const bySeq = receipts
    .toSorted((one, two) => one.receipt_seq - two.receipt_seq)
    .map((receipt) => receipt.ciphertext_hash)
  for (const owner of owners) {
    const own = (await inboxOf(owner)).map((drop) => drop.ciphertext_hash)
    assert.deepEqual(
      own,
      bySeq.filter((hash) => own.includes(hash)),
      'the inbox has the order of the chain',
    )
  }
}
