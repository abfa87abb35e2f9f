/** What requests alone cannot bring about: an operator puts a content on hold. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { adoptBody, deleteAsset, landBlob, newAuthor, newBundle, sendAdoption, sendJson } from './assetWorld.ts'
import { json } from './client.ts'
import { expectSaid } from './expect.ts'
import { NEEDS_OWN_SERVER, operatedServer } from './server.ts'
import { asOwner, land, type Owner, onlyDrop, provision, sha256 } from './world.ts'

const skip = NEEDS_OWN_SERVER
const started = skip === false ? await operatedServer() : undefined

/** GET and HEAD of the blob and of the drop that have these bytes. */
async function expectBoth(owner: Owner, paths: readonly string[], expected: string): Promise<void> {
  for (const path of paths) {
    expectSaid(await asOwner(owner, 'GET', path), expected, path)
    assert.equal((await asOwner(owner, 'HEAD', path)).status, Number(expected.slice(0, 3)), path)
  }
}

describe('a content on hold', () => {
  it('is answered 403 blob.withheld, is not retrievable, and can be adopted, discarded and deleted', {
    skip,
  }, async () => {
    if (started === undefined) throw new Error('this test needs a server of its own')
    const { client, operate } = started
    const author = await newAuthor(client)
    const { owner } = author
    const file = randomBytes(1000)
    const asset = newBundle(author, { original: file })
    await landBlob(asset)
    await land(await provision(owner), file)
    const drop = await onlyDrop(owner)
    const paths = [`/v1/blob/${sha256(file)}`, `/v1/drops/${drop.drop_id}/content`]
    const verdictOn = async (assetId: string) => {
      const question = { assets: [{ asset_id: assetId, blob_hashes: [sha256(file)] }], deep: true }
      const { verdicts } = json<{ verdicts: { durable: boolean; blobs: object[] }[] }>(
        await sendJson(owner, '/v1/storage/verify', question),
      )
      return verdicts.map(({ durable, blobs }) => ({ durable, blobs }))
    }
    const stored = { hash: sha256(file), role: 'original', stored: true, indexed: true, deep: 'intact' }
    await expectBoth(owner, paths, '200')

    await operate('hold', 'add', sha256(file), '--reason', 'asked by a court')
    await expectBoth(owner, paths, '403 blob.withheld')
    assert.deepEqual(await verdictOn(asset.assetId), [{ durable: false, blobs: [{ ...stored, retrievable: false }] }])
    const other = await newAuthor(client)
    await expectBoth(other.owner, paths.slice(0, 1), '404 blob.not_found')
    await expectBoth(other.owner, paths.slice(1), '404 drop.not_found')
    const adopted = newBundle(author, { original: file })
    expectSaid(await sendAdoption(owner, drop.drop_id, adoptBody(adopted)), '200')
    await land(await provision(owner), file)
    expectSaid(await asOwner(owner, 'DELETE', `/v1/drops/${(await onlyDrop(owner)).drop_id}`), '204')
    expectSaid(await deleteAsset(asset), '204')

    await operate('hold', 'remove', sha256(file))
    await expectBoth(owner, paths.slice(0, 1), '200')
    assert.deepEqual(await verdictOn(adopted.assetId), [{ durable: true, blobs: [{ ...stored, retrievable: true }] }])
  })
})
