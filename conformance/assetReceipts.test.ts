import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  adoptBody,
  assetOf,
  authorFrom,
  type Bundle,
  deleteAsset,
  getReceipts,
  landAsset,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  type Receipt,
  receiptsOf,
  sendAdoption,
} from './assetWorld.ts'
import { json } from './call.ts'
import type { Client } from './client.ts'
import { expectAnswer, fingerprint } from './expect.ts'
import { checkReceipt, hashOf, publishedKeys, readingOf } from './receiptReader.ts'
import { connect, NEEDS_OWN_SERVER, newServer } from './server.ts'
import { append, land, newLink, onlyDrop, type Session, sessionPath, sha256 } from './world.ts'

const server = await connect()
const cborOf = (receipt: Receipt) => Buffer.from(receipt.receipt_cbor, 'base64')

interface Adopted {
  readonly bundle: Bundle
  readonly session: Session
  readonly dropId: string
}

async function newAdopted(client: Client = server): Promise<Adopted> {
  const link = await newLink(client)
  const author = await authorFrom(link.owner)
  const session = await land(link)
  const { drop_id: dropId } = await onlyDrop(link.owner)
  const bundle = newBundle(author, { original: session.file })
  expectAnswer(await sendAdoption(author.owner, dropId, adoptBody(bundle)), '200')
  return { bundle, session, dropId }
}

/** The signed fields that no JSON member repeats. */
function subjectOf(receipt: Receipt, keys: ReadonlyMap<string, Uint8Array>): Record<string, unknown> {
  const { keyId, payload } = checkReceipt(cborOf(receipt), keys)
  assert.equal(keyId, receipt.server_key_id)
  const { receipt_cbor: _, server_key_id: __, ...shown } = receipt
  const fields = readingOf(payload)
  for (const [name, value] of Object.entries(shown))
    assert.equal(fields[name], value, `${name} equals the signed field`)
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in shown)))
}

// Covers: AssetReceiptsResponse; AssetReceiptsResponse, 404; AssetReceipt, receipt_seq; AssetReceipt, server_key_id;
// AssetReceipt, prior_receipt_hash; AssetReceipt, upload_id; AssetReceipt, blob_role; AssetReceipt, ciphertext_hash and
// size; AssetReceipt, received_at; AssetReceipt, receipt_cbor; Other operations, upload create and finalization; Assets
// and blobs
describe('receipts of an asset', () => {
  it('are one for each blob, in the order of receipt_seq, signed with the published keys and equal to the signed bytes', async () => {
    const bundle = newBundle(await newAuthor(server))
    const uploadIds: string[] = []
    for (const role of ['metadata', 'original', 'derivative', 'provenance'] as const) {
      const session = await openUpload(bundle, role)
      await append(session)
      uploadIds.push(session.uploadId)
    }
    const receipts = await receiptsOf(bundle)
    const keys = await publishedKeys(server)
    for (const receipt of receipts)
      assert.deepEqual(subjectOf(receipt, keys), { version: 'service/receipt/1', asset_id: bundle.assetId })
    const { blobs, created_at, changed_at } = await assetOf(bundle)
    assert.deepEqual(
      receipts.map(({ blob_role, ciphertext_hash, size }) => ({ role: blob_role, hash: ciphertext_hash, size })),
      blobs,
    )
    assert.deepEqual(
      receipts.map(({ upload_id }) => upload_id),
      uploadIds,
    )
    const seqs = receipts.map(({ receipt_seq }) => receipt_seq)
    assert.deepEqual(
      seqs,
      [...new Set(seqs)].toSorted((one, two) => one - two),
    )
    const times = receipts.map(({ received_at }) => received_at)
    assert.deepEqual(times, times.toSorted())
    assert.deepEqual(
      [times[0], times.at(-1)],
      [created_at, changed_at],
      'the asset has the times of its first and last landing',
    )
  })

  it('are those of the landing and the adoption for a drop, in this order, with the session of the guest', async () => {
    const { bundle, session, dropId } = await newAdopted()
    const [landing, adoption, ...others] = await receiptsOf(bundle)
    assert.ok(landing !== undefined && adoption !== undefined && others.length === 0)
    const keys = await publishedKeys(server)
    const version = 'service/receipt/1'
    assert.deepEqual(subjectOf(landing, keys), { version, drop_id: dropId })
    assert.deepEqual(subjectOf(adoption, keys), { version, asset_id: bundle.assetId })
    for (const receipt of [landing, adoption]) {
      const { upload_id, blob_role, ciphertext_hash, size, envelope_hash } = receipt
      assert.deepEqual(
        [upload_id, blob_role, ciphertext_hash, size, envelope_hash],
        [session.uploadId, 'original', sha256(session.file), session.file.length, undefined],
      )
    }
    assert.ok(landing.receipt_seq < adoption.receipt_seq && landing.received_at <= adoption.received_at)
    const guest = await server.send({ method: 'GET', path: `${sessionPath(session)}/receipt` })
    assert.deepEqual(json(guest), landing, 'the guest has the first of them')
    const { created_at, drop } = await assetOf(bundle)
    assert.deepEqual([created_at, drop?.received_at], [adoption.received_at, landing.received_at])
  })

  it('contain neither the account, the album, the device nor the link', async () => {
    const { bundle, session } = await newAdopted()
    const { owner, albumId, deviceId } = bundle.author
    for (const receipt of await receiptsOf(bundle)) {
      const text = cborOf(receipt).toString('latin1')
      for (const secret of [owner.accountId, albumId, deviceId, session.opaqueId]) assert.ok(!text.includes(secret))
    }
  })

  it('form one chain with those of drops, in which each names the hash of the previous one', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    const { client: fresh } = await newServer()
    const { bundle } = await newAdopted(fresh)
    await landBlob(bundle, 'metadata')
    await landBlob(bundle, 'provenance')
    const other = await landAsset(newBundle(await newAuthor(fresh)))
    const chain = [...(await receiptsOf(bundle)), ...(await receiptsOf(other))]
    assert.equal(chain.length, 4 + 3)
    const keys = await publishedKeys(fresh)
    for (const [index, receipt] of chain.entries()) {
      const before = chain[index - 1]
      checkReceipt(cborOf(receipt), keys)
      assert.equal(receipt.prior_receipt_hash, before === undefined ? undefined : hashOf(cborOf(before)))
    }
  })

  it('are answered with the same 404 for an asset that is unknown, another account’s, reserved or deleted', async () => {
    const [author, other] = [await newAuthor(server), await newAuthor(server)]
    const [foreign, reserved, deleted] = [newBundle(other), newBundle(author), newBundle(author)]
    for (const bundle of [foreign, deleted]) await landBlob(bundle)
    await openUpload(reserved)
    await deleteAsset(deleted)
    const answers = new Set<string>()
    for (const { assetId } of [foreign, reserved, deleted, { assetId: randomUUID() }]) {
      const reply = await getReceipts({ author, assetId })
      expectAnswer(reply, '404 storage.asset_not_found')
      answers.add(fingerprint(reply))
    }
    assert.equal(answers.size, 1)
  })

  it('are refused by an independent checker when one bit is flipped', async () => {
    const bundle = newBundle(await newAuthor(server), { original: randomBytes(10) })
    await landBlob(bundle)
    await landBlob(bundle, 'provenance')
    const keys = await publishedKeys(server)
    for (const receipt of await receiptsOf(bundle)) {
      const cbor = cborOf(receipt)
      for (let at = 0; at < cbor.length; at += 31) {
        const flipped = Buffer.from(cbor)
        flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
        assert.throws(() => checkReceipt(flipped, keys), `byte ${at}`)
      }
    }
  })
})
