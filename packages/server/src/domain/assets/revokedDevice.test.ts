import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetId, UploadId } from '@blindkeep/protocol/ids'
import { both, inOneBatch, ROUNDS, reasonOf, whole } from '../../testing/assetRaces.ts'
import {
  assertBooks,
  blobRow,
  leaveBlobFinishing,
  openBlob,
  openDeclared,
  provenanceFor,
  replacing,
} from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  adopt,
  assetOf,
  declaredForDrop,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
} from '../../testing/assets.ts'
import { append, bytes, notRefused } from '../../testing/guest.ts'
import { lockReceiptLog } from '../../testing/receipts.ts'
import { inWorld, type World } from '../../testing/world.ts'

const content = bytes(100)
const REFUSED = {
  refused: 'manifest_mismatch',
  detail: 'the device that the manifest names is revoked or belongs to another account',
}

const revoke = async ({ rules }: World, { accountId, deviceId }: AlbumOwner) =>
  notRefused(await rules.devices.revoke(accountId, deviceId))

/** An open session for each role of an asset whose original a live device uploaded, and bytes to send. */
async function openRoles(world: World, owner: AlbumOwner, writer: AlbumOwner) {
  const [assetId, fresh, replaced] = [newAssetId(), newAssetId(), newAssetId()]
  for (const id of [assetId, replaced]) await landBlob(world, owner, content, { assetId: id })
  const signed = provenanceFor(world, writer, content, { assetId, albumId: owner.albumId })
  const next = bytes(50)
  const opened: readonly (readonly [UploadId, Uint8Array])[] = [
    [await openDeclared(world, writer, signed.declared), signed.content],
    [await openBlob(world, writer, content, { assetId: fresh }), content],
    [await openBlob(world, writer, next, { assetId, role: 'metadata', albumId: owner.albumId }), next],
    [await openBlob(world, writer, next, { assetId, role: 'derivative', albumId: owner.albumId }), next],
    [
      await openBlob(world, writer, next, { assetId: replaced, albumId: owner.albumId, envelope: replacing(next) }),
      next,
    ],
  ]
  return { assetIds: [assetId, fresh, replaced] as const, opened }
}

const hashesOf = async (world: World, owner: AlbumOwner, assetId: AssetId) =>
  (await assetOf(world, owner, assetId)).blobs.map(({ role, size }) => `${role} ${size}`)

describe('a manifest of a device that was revoked', () => {
  it(
    'lands in no role when the session is from before, and replaces nothing',
    inWorld(async (world) => {
      const owner = await newAlbumOwner(world)
      const lost = await newAlbumOwner(world, owner.accountId)
      const { assetIds, opened } = await openRoles(world, owner, lost)
      await revoke(world, lost)
      for (const [uploadId, given] of opened) {
        const { role } = await blobRow(world, uploadId)
        const answer = await append(world, uploadId, { offset: 0, bytes: given })
        assert.deepEqual(answer, { ...REFUSED, offset: given.length }, role)
        assert.equal((await blobRow(world, uploadId)).state, 'failed')
      }
      const [first, , replaced] = assetIds
      for (const id of [first, replaced]) assert.deepEqual(await hashesOf(world, owner, id), ['original 100'])
      await assertBooks(world, [owner.accountId], assetIds)
    }),
  )

  it(
    'lands in no role when the last byte came before, and a later start finishes the session',
    inWorld(async (world) => {
      const owner = await newAlbumOwner(world)
      const lost = await newAlbumOwner(world, owner.accountId)
      const { assetIds, opened } = await openRoles(world, owner, lost)
      for (const [uploadId, given] of opened) await leaveBlobFinishing(world, uploadId, given)
      await revoke(world, lost)
      await world.restarted().finishing.resume()
      for (const [uploadId] of opened) assert.equal((await blobRow(world, uploadId)).state, 'failed')
      await assertBooks(world, [owner.accountId], assetIds)
    }),
  )

  it(
    'gets no receipt when the revocation comes between the check of the signature and the receipt',
    inWorld(async (world) => {
      const owner = await newAlbumOwner(world)
      const lost = await newAlbumOwner(world, owner.accountId)
      const { assetIds, opened } = await openRoles(world, owner, lost)
      const answers = await inOneBatch(world, owner, {
        ids: opened.map(([uploadId]) => uploadId),
        work: () => Promise.all(opened.map(([uploadId, given]) => whole(world, uploadId, given))),
        hold: () => revoke(world, lost),
      })
      assert.deepEqual(answers, Array(opened.length).fill('manifest_mismatch'))
      for (const [uploadId] of opened)
        assert.equal(await world.store.read((tx) => tx.receipts.ofUpload(uploadId)), undefined)
      await assertBooks(world, [owner.accountId], assetIds)
    }),
  )

  it(
    'adopts no drop, also when the revocation comes while the receipt is signed',
    inWorld(async (world) => {
      const owner = await newAlbumOwner(world)
      const lost = await newAlbumOwner(world, owner.accountId)
      const drop = await newDrop(world, owner, content)
      const declared = declaredForDrop(world, lost, drop)
      const log = await lockReceiptLog(world)
      const adopting = adopt(world, lost, drop, declared)
      const claimed = async () =>
        (await world.store.read((tx) => tx.drops.find(drop.dropId)))?.leasedUntil !== undefined
      while (!(await claimed())) await new Promise(setImmediate)
      await revoke(world, lost)
      await log.release()
      assert.deepEqual(await adopting, { refused: 'device_not_authorized' })
      assert.deepEqual(await adopt(world, lost, drop, declared), { refused: 'device_not_authorized' })
      const next = declaredForDrop(world, owner, drop)
      assert.equal(await adopt(world, owner, drop, next), next.assetId, 'the drop is free for a live device')
      await assertBooks(world, [owner.accountId], [declared.assetId, next.assetId])
    }),
  )

  it(
    'lands before its revocation or not at all, when both happen at once',
    inWorld(async (world) => {
      const owner = await newAlbumOwner(world)
      const assetIds: AssetId[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const lost = await newAlbumOwner(world, owner.accountId)
        const assetId = newAssetId()
        assetIds.push(assetId)
        const uploadId = await openBlob(world, lost, content, { assetId })
        let atRevocation = ''
        const [answer] = await both(
          round,
          () => whole(world, uploadId, content),
          async () => {
            await revoke(world, lost)
            atRevocation = (await blobRow(world, uploadId)).state
          },
        )
        const hasLanded = (await blobRow(world, uploadId)).state === 'landed'
        assert.equal(answer, hasLanded ? 'done' : 'manifest_mismatch')
        if (hasLanded) assert.equal(atRevocation, 'landed', 'nothing lands after the revocation')
        const another = await world.rules.uploads.create(
          { accountId: owner.accountId },
          declaredForDrop(world, lost, { size: 1, ciphertextHash: (await blobRow(world, uploadId)).ciphertextHash }),
        )
        assert.equal(reasonOf(another), 'device_not_authorized')
      }
      await assertBooks(world, [owner.accountId], assetIds)
    }),
  )
})
