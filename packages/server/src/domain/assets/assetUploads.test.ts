import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { UploadId } from '@blindkeep/protocol/ids'
import { blobRow, cancelBlob, leaveBlobFinishing, openBlob } from '../../testing/assetSessions.ts'
import { landBlob, newAlbumOwner } from '../../testing/assets.ts'
import {
  accountRow,
  append,
  bytes,
  leaveFinishing,
  linkRow,
  newLink,
  notRefused,
  openDrop,
  ownerOf,
  uploadRow,
} from '../../testing/guest.ts'
import { defined, inWorld } from '../../testing/world.ts'
import { findChargedUpload, findOwnUpload } from '../uploads/findUpload.ts'

const content = bytes(100)
const NOT_FOUND = { refused: 'upload_not_found' }

describe('cancelling', () => {
  it(
    'gives caps and quota back, has the bytes removed, and does not change other sessions',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { maxFileCount: 2 })
      const [uploadId, other] = [await openDrop(world, opaqueId, content), await openDrop(world, opaqueId, bytes(7))]
      await append(world, uploadId, { offset: 0, bytes: content.subarray(0, 50) })
      assert.equal(await world.rules.ending.cancel(await uploadRow(world, uploadId)), undefined)
      const { openSessions, openBytes, accountId } = await linkRow(world, opaqueId)
      assert.deepEqual([openSessions, openBytes, (await accountRow(world, accountId)).usedBytes], [1, 7, 7])
      assert.equal((await uploadRow(world, other)).state, 'open')
      const { kemCt, suggestedFilename, receivedBytes } = await uploadRow(world, uploadId)
      assert.deepEqual([kemCt.length, suggestedFilename, receivedBytes], [0, undefined, 0])
      assert.deepEqual(await world.store.read((tx) => tx.uploads.chunks(uploadId)), [])
      const { location } = await uploadRow(world, uploadId)
      assert.equal((await world.store.read((tx) => tx.objects.find(location)))?.state, 'deleting')
      assert.equal(world.deletingCalls(), 1)
      await openDrop(world, opaqueId, content)
    }),
  )

  it(
    'keeps no envelope of an owner’s session',
    inWorld(async (world) => {
      const uploadId = await openBlob(world, await newAlbumOwner(world), content)
      assert.notDeepEqual((await blobRow(world, uploadId)).envelope, {})
      await cancelBlob(world, uploadId)
      const { state, envelope } = await blobRow(world, uploadId)
      assert.deepEqual([state, envelope], ['ended', {}])
    }),
  )

  it(
    'succeeds once when 16 requests arrive at once; the others get upload_not_found',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const upload = await uploadRow(world, await openDrop(world, opaqueId, content))
      const answers = await Promise.all(Array.from({ length: 16 }, () => world.rules.ending.cancel(upload)))
      assert.equal(answers.filter((answer) => answer === undefined).length, 1)
      assert.equal(answers.filter((answer) => answer?.refused === 'upload_not_found').length, 15)
      assert.equal((await accountRow(world, await ownerOf(world, opaqueId))).usedBytes, 0)
    }),
  )

  it(
    'is refused for a landed session, with its size as the offset',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const open = await uploadRow(world, await openDrop(world, opaqueId, content))
      await append(world, open.uploadId, { offset: 0, bytes: content })
      // The caller found the session before its last byte arrived.
      assert.deepEqual(await world.rules.ending.cancel(open), { refused: 'upload_closed', offset: 100 })
      assert.equal((await world.rules.inbox.list(open.accountId)).length, 1)
    }),
  )

  it(
    'at the same time as the landing has one outcome: landed or cancelled',
    inWorld(async (world) => {
      for (let round = 0; round < 20; round += 1) {
        const opaqueId = await newLink(world)
        const open = await uploadRow(world, await openDrop(world, opaqueId, content))
        const [landed, cancelled] = await Promise.all([
          append(world, open.uploadId, { offset: 0, bytes: content }),
          world.rules.ending.cancel(open),
        ])
        const hasLanded = !('refused' in landed)
        assert.equal(hasLanded, cancelled !== undefined)
        assert.equal((await accountRow(world, open.accountId)).usedBytes, hasLanded ? 100 : 0)
        assert.equal((await linkRow(world, opaqueId)).landedFiles, hasLanded ? 1 : 0)
      }
    }),
  )
})

describe('the uploads of an account', () => {
  it(
    'are its open and finishing sessions, guests’ included, oldest first',
    inWorld(async (world) => {
      const [albumOwner, stranger] = [await newAlbumOwner(world), await newAlbumOwner(world)]
      const opaqueId = await newLink(world, {}, albumOwner.accountId)
      const ids: UploadId[] = []
      for (const open of [
        () => openDrop(world, opaqueId, content),
        () => openBlob(world, albumOwner, content),
        () => openBlob(world, albumOwner, content),
        () => openDrop(world, opaqueId, content),
      ]) {
        ids.push(await open())
        world.clock.advance(1)
      }
      await landBlob(world, albumOwner, content)
      await cancelBlob(world, await openBlob(world, albumOwner, content))
      await openBlob(world, stranger, content)
      await leaveBlobFinishing(world, defined(ids[1]), content)
      await leaveFinishing(world, defined(ids[3]), content)
      const listed = await world.rules.uploads.list(albumOwner.accountId)
      assert.deepEqual(
        listed.map(({ uploadId, state }) => [uploadId, state]),
        ids.map((uploadId, at) => [uploadId, at % 2 === 1 ? 'finishing' : 'open']),
      )
    }),
  )

  it(
    'are found by the account only, a guest’s session only to end it, and not once they have ended',
    inWorld(async (world) => {
      const [albumOwner, stranger] = [await newAlbumOwner(world), await newAlbumOwner(world)]
      const { accountId } = albumOwner
      const opaqueId = await newLink(world, { maxFileCount: 1 }, accountId)
      const [own, guests] = [await openBlob(world, albumOwner, content), await openDrop(world, opaqueId, content)]
      assert.equal(notRefused(await world.store.ask(findOwnUpload({ accountId, uploadId: own }))).upload.uploadId, own)
      assert.deepEqual(await world.store.ask(findOwnUpload({ accountId, uploadId: guests })), NOT_FOUND)
      for (const uploadId of [own, guests]) {
        const foreign = { accountId: stranger.accountId, uploadId }
        assert.deepEqual(await world.store.ask(findOwnUpload(foreign)), NOT_FOUND)
        assert.deepEqual(await world.store.ask(findChargedUpload(foreign)), NOT_FOUND)
        const { upload } = notRefused(await world.store.ask(findChargedUpload({ accountId, uploadId })))
        assert.equal(await world.rules.ending.cancel(upload), undefined)
        assert.deepEqual(await world.store.ask(findChargedUpload({ accountId, uploadId })), NOT_FOUND)
        assert.deepEqual(await append(world, uploadId, { offset: 0, bytes: content }), NOT_FOUND)
      }
      assert.equal((await accountRow(world, accountId)).usedBytes, 0)
      await openDrop(world, opaqueId, content)
    }),
  )
})
