import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { StorageUnavailable } from '../ground/storageErrors.ts'
import { landBlob, newAlbumOwner, newAssetId } from '../testing/assets.ts'
import { inWorldWithDisk } from '../testing/disk.ts'
import {
  append,
  bytes,
  creation,
  land,
  leaveFinishing,
  newLink,
  notRefused,
  openDrop,
  ownerOf,
  readObject,
  uploadRow,
} from '../testing/guest.ts'
import { askOne, fileOf, saidOf, verifyOver } from '../testing/verify.ts'
import { sha256 } from '../testing/world.ts'

/** The disk of the objects is not mounted, by an operator's mistake. Nothing acknowledged may be lost by that. */
const content = bytes(100)
const half = { offset: 0, bytes: content.subarray(0, 50) }
const rest = { offset: 50, bytes: content.subarray(50) }

describe('while the disk of the objects is away', () => {
  it(
    'a finishing session waits, and lands when the disk is back',
    inWorldWithDisk(async (world, disk) => {
      const uploadId = await openDrop(world, await newLink(world), content)
      await leaveFinishing(world, uploadId, content)
      const rules = world.restarted()
      const back = await disk.takeAway()
      await assert.rejects(rules.finishing.resume(), StorageUnavailable)
      await assert.rejects(append({ rules }, uploadId, { offset: 0, bytes: content }), StorageUnavailable)
      assert.equal((await uploadRow(world, uploadId)).state, 'finishing')
      await back()
      await rules.sweep.sweep()
      const { state, location, size } = await uploadRow(world, uploadId)
      assert.equal(state, 'landed')
      assert.deepEqual(await readObject(world, { location, size }), Buffer.from(content))
    }),
  )

  it(
    'an open session does not fall back, takes no chunk, and continues when the disk is back',
    inWorldWithDisk(async (world, disk) => {
      const uploadId = await openDrop(world, await newLink(world), content)
      notRefused(await append(world, uploadId, half))
      const rules = world.restarted()
      // The earlier process has files open on the right disk; a restarted one has none.
      await world.blobs.settle((await uploadRow(world, uploadId)).location, 50)
      const back = await disk.takeAway()
      await assert.rejects(rules.staged.check(await uploadRow(world, uploadId)), StorageUnavailable)
      await assert.rejects(append({ rules }, uploadId, rest), StorageUnavailable)
      assert.partialDeepStrictEqual(await append(world, uploadId, rest), { refused: 'storage_unavailable' })
      const { receivedBytes, chunkCount, state } = await uploadRow(world, uploadId)
      assert.deepEqual([receivedBytes, chunkCount, state], [50, 1, 'open'])
      await back()
      await rules.staged.check(await uploadRow(world, uploadId))
      assert.equal((await uploadRow(world, uploadId)).receivedBytes, 50)
      assert.deepEqual(await append({ rules }, uploadId, rest), { offset: 100 })
    }),
  )

  it(
    'no session is created, and a new one takes no chunk',
    inWorldWithDisk(async (world, disk) => {
      const opaqueId = await newLink(world)
      const uploadId = await openDrop(world, opaqueId, content)
      const back = await disk.takeAway()
      await assert.rejects(world.rules.drops.create(creation(opaqueId, content)), StorageUnavailable)
      assert.partialDeepStrictEqual(await append(world, uploadId, half), { refused: 'storage_unavailable' })
      await back()
      assert.deepEqual(await append(world, uploadId, half), { offset: 50 })
    }),
  )

  it(
    'verification answers with an error and no verdict, and no content is served',
    inWorldWithDisk(async (world, disk) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      await landBlob(world, albumOwner, content, { assetId })
      const blob = { assetId, ciphertextHash: sha256(content) }
      const back = await disk.takeAway()
      for (const deep of [false, true])
        await assert.rejects(askOne(verifyOver(world), albumOwner.accountId, blob, deep), StorageUnavailable)
      const { accountId } = albumOwner
      const answer = await world.rules.assets.content(accountId, blob.ciphertextHash)
      assert.partialDeepStrictEqual(answer, { refused: 'storage_unavailable' })
      await back()
      const verdict = await askOne(verifyOver(world), accountId, blob, true)
      assert.equal(saidOf(verdict), 'durable stored indexed retrievable original intact')
    }),
  )

  it(
    'the sweep keeps the row of every object whose bytes it has not removed',
    inWorldWithDisk(async (world, disk) => {
      const opaqueId = await newLink(world)
      const cancelled = await openDrop(world, opaqueId, content)
      notRefused(await append(world, cancelled, half))
      const discarded = await land(world, opaqueId, content)
      const owner = await ownerOf(world, opaqueId)
      const [drop] = await world.rules.inbox.list(owner)
      assert.ok(drop)
      await world.rules.inbox.discard(owner, drop.dropId)
      await world.rules.ending.cancel(await uploadRow(world, cancelled))
      world.clock.advance(2 * 86_400)
      const rows = [await uploadRow(world, cancelled), await uploadRow(world, discarded)]
      const objectRows = () =>
        Promise.all(rows.map(({ location }) => world.store.read((tx) => tx.objects.find(location))))
      const back = await disk.takeAway()
      await assert.rejects(world.rules.sweep.sweep())
      assert.deepEqual(
        (await objectRows()).map((object) => object?.state),
        ['deleting', 'marked'],
      )
      world.clock.advance(2 * 86_400)
      await assert.rejects(world.rules.sweep.sweep())
      assert.deepEqual(
        (await objectRows()).map((object) => object?.state),
        ['deleting', 'deleting'],
      )
      await back()
      await world.rules.sweep.sweep()
      assert.deepEqual(await objectRows(), [undefined, undefined])
      for (const row of rows) assert.equal(await world.blobs.size(row.location), undefined)
    }),
  )
})

describe('a session whose file is lost while the disk is mounted', () => {
  it(
    'falls back to its beginning instead of leaving a hole in the file',
    inWorldWithDisk(async (world) => {
      const uploadId = await openDrop(world, await newLink(world), content)
      notRefused(await append(world, uploadId, half))
      const row = await uploadRow(world, uploadId)
      await world.blobs.settle(row.location, 50)
      await rm(fileOf(world, row))
      await assert.rejects(append(world, uploadId, rest), /no such object/)
      assert.deepEqual(await append(world, uploadId, rest), { refused: 'chunk_misplaced', offset: 0 })
      assert.deepEqual(await append(world, uploadId, { offset: 0, bytes: content }), { offset: 100 })
    }),
  )
})
