import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { addSeconds, parseAlbumId } from '@blindkeep/protocol/ids'
import { cancelBlob, creation, openBlob } from '../../testing/assetSessions.ts'
import {
  adopt,
  declaredFor,
  declaredForDrop,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
} from '../../testing/assets.ts'
import { findingsIn } from '../../testing/fsck.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, newAccount } from '../../testing/world.ts'
import { BOUNDS } from '../ground/bounds.ts'
import { isRefusal } from '../ground/refusals.ts'
import type { AlbumRequest } from './albums.ts'

function request(overrides: Partial<AlbumRequest> = {}): AlbumRequest {
  return { albumId: defined(parseAlbumId(randomUUID())), sealedName: bytes(90), ...overrides }
}

describe('creating an album', () => {
  it(
    'limits an account to 1000 albums, also with concurrent requests, and still answers repeats',
    inWorld(async (world) => {
      const { albums } = world.rules
      const owner = await newAccount(world)
      const requests = Array.from({ length: BOUNDS.albums + 10 }, () => request())
      const answers = await Promise.all(requests.map((each) => albums.create(owner, each)))
      assert.deepEqual(
        answers.filter(isRefusal).map((answer) => answer.refused),
        Array(10).fill('limit_reached'),
      )
      const listed = await albums.list(owner)
      assert.equal(listed.length, BOUNDS.albums)
      const { albumId } = defined(listed[0])
      assert.equal(notRefused(await albums.create(owner, request({ albumId }))).isRepeat, true)
      notRefused(await albums.create(await newAccount(world), request()))
    }),
  )
})

describe('deleting an album', () => {
  const NOT_AVAILABLE = { refused: 'album_not_available' }
  const NOT_EMPTY = { refused: 'album_not_empty' }

  it(
    'is refused while it has a file or an upload on its way, and then takes it out of the list for good',
    inWorld(async (world) => {
      const { albums, assets } = world.rules
      const albumOwner = await newAlbumOwner(world)
      const { accountId: owner, albumId } = albumOwner
      const assetId = newAssetId()
      await landBlob(world, albumOwner, bytes(8), { assetId })
      const uploadId = await openBlob(world, albumOwner, bytes(9))
      assert.deepEqual(await albums.remove(owner, albumId), NOT_EMPTY)
      await assets.remove(owner, assetId)
      assert.deepEqual(await albums.remove(owner, albumId), NOT_EMPTY)
      await cancelBlob(world, uploadId)
      assert.deepEqual(await albums.remove(await newAccount(world), albumId), NOT_AVAILABLE)
      assert.equal(await albums.remove(owner, albumId), undefined)
      assert.deepEqual(await albums.list(owner), [])
      assert.deepEqual(await albums.remove(owner, albumId), NOT_AVAILABLE)
      assert.deepEqual(await albums.name(owner, albumId, bytes(9)), NOT_AVAILABLE)
      assert.deepEqual(await albums.create(owner, request({ albumId })), NOT_AVAILABLE)
      assert.equal(await creation(world, albumOwner, declaredFor(world, albumOwner, bytes(10))), 'album_not_available')
      assert.deepEqual(await findingsIn(world.store, { filled: { world, locations: new Map() } }), [])
    }),
  )

  it(
    'gives room for another one at the bound',
    inWorld(async (world) => {
      const { albums } = world.rules
      const owner = await newAccount(world)
      const all = Array.from({ length: BOUNDS.albums }, () => request())
      for (const each of all) notRefused(await albums.create(owner, each))
      assert.ok(isRefusal(await albums.create(owner, request())))
      await albums.remove(owner, defined(all[0]).albumId)
      notRefused(await albums.create(owner, request()))
    }),
  )

  it(
    'revokes its capabilities, and tells other clients in an event',
    inWorld(async (world) => {
      const { albums, capabilities, discovery } = world.rules
      const { accountId: owner, albumId } = await newAlbumOwner(world)
      const expiresAt = addSeconds(world.clock.now(), 3600)
      const { jti } = notRefused(await capabilities.mint(owner, { albumId, peer: 'https://peer.example', expiresAt }))
      assert.equal(await albums.remove(owner, albumId), undefined)
      world.clock.advance(2)
      assert.deepEqual(
        (await discovery.revocations()).revoked.map((each) => each.jti),
        [jti],
      )
      const noted = await world.store.read((tx) => tx.changes.eventsAfter({ accountId: owner, changeSeq: 0, max: 10 }))
      assert.deepEqual(
        noted.map(({ change }) => change),
        [{ name: 'album.changed', albumId }],
      )
    }),
  )

  it(
    'and an adoption into it at the same time have one winner: no file is in a deleted album',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const drop = await newDrop(world, albumOwner, bytes(12))
      const [adopted, removed] = await Promise.all([
        adopt(world, albumOwner, drop, declaredForDrop(world, albumOwner, drop)),
        world.rules.albums.remove(albumOwner.accountId, albumOwner.albumId),
      ])
      assert.equal(isRefusal(adopted), removed === undefined)
      assert.deepEqual(await findingsIn(world.store, { filled: { world, locations: new Map() } }), [])
    }),
  )
})
