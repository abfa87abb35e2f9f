import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import {
  assertBooks,
  blobRow,
  cancelBlob,
  creation,
  ofOriginal,
  openBlob,
  otherAlbum,
  replacing,
} from '../../testing/assetSessions.ts'
import {
  adopt,
  assetOf,
  declaredFor,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
  type Overrides,
} from '../../testing/assets.ts'
import { accountRow, bytes } from '../../testing/guest.ts'
import { defined, inWorld, sha256 } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'

const [one, other] = [bytes(20), bytes(20)]
const companions = ['derivative', 'metadata', 'provenance'] as const
const derivative = (assetId: AssetId): Overrides => ({ assetId, role: 'derivative' })
const replaces = (original: Uint8Array, position?: ReturnType<typeof sha256>): Overrides => ({
  envelope: replacing(original, position),
})

describe('an asset id', () => {
  it(
    'is taken with one answer when another account has landed or reserved it, or it is deleted',
    inWorld(async (world) => {
      const [albumOwner, stranger] = [await newAlbumOwner(world), await newAlbumOwner(world)]
      const [landed, reserved, deleted] = [newAssetId(), newAssetId(), newAssetId()]
      await landBlob(world, stranger, one, { assetId: landed })
      const uploadId = await openBlob(world, stranger, one, { assetId: reserved })
      await landBlob(world, stranger, one, { assetId: deleted })
      await world.rules.assets.remove(stranger.accountId, deleted)
      const candidates: Overrides[] = [{}, replaces(one)]
      for (const role of companions) candidates.push({ role }, ofOriginal(role, one))
      const account = await accountRow(world, albumOwner.accountId)
      for (const assetId of [landed, reserved, deleted])
        for (const overrides of candidates) {
          const declared = declaredFor(world, albumOwner, one, { ...overrides, assetId })
          assert.deepEqual(await world.rules.uploads.create(account, declared), { refused: 'asset_id_taken' })
        }
      for (const overrides of candidates) {
        const own = declaredFor(world, stranger, overrides.role === undefined ? one : bytes(4), {
          ...overrides,
          assetId: deleted,
        })
        assert.equal(await creation(world, stranger, own), 'asset_id_taken', 'taken for its former owner too')
      }
      await cancelBlob(world, uploadId)
      assert.equal(
        await creation(world, albumOwner, declaredFor(world, albumOwner, one, { assetId: reserved })),
        'opened',
      )
      await assertBooks(world, [albumOwner.accountId, stranger.accountId], [landed, reserved, deleted])
    }),
  )

  it(
    'keeps its album: another album of the same account is refused',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const elsewhere = await otherAlbum(world, albumOwner)
      const [landed, reserved] = [newAssetId(), newAssetId()]
      await landBlob(world, albumOwner, one, { assetId: landed })
      await openBlob(world, albumOwner, one, { assetId: reserved })
      for (const assetId of [landed, reserved])
        for (const overrides of companions.map((role) => ofOriginal(role, one)))
          assert.equal(
            await creation(world, albumOwner, declaredFor(world, elsewhere, bytes(3), { ...overrides, assetId })),
            'manifest_stale',
          )
    }),
  )
})

describe('an asset', () => {
  it(
    'has any number of derivatives, each content once, and 32 blobs in total, landed and incoming together',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      const same = bytes(3)
      await landBlob(world, albumOwner, same, derivative(assetId))
      await landBlob(world, albumOwner, one, { assetId })
      assert.equal(
        await creation(world, albumOwner, declaredFor(world, albumOwner, same, derivative(assetId))),
        'present',
      )
      const open = []
      for (let count = 2; count < 32; count += 1)
        open.push(await openBlob(world, albumOwner, bytes(3), derivative(assetId)))
      for (const role of companions) {
        const declared = declaredFor(world, albumOwner, bytes(3), { assetId, role })
        assert.deepEqual(await world.rules.uploads.create(await accountRow(world, albumOwner.accountId), declared), {
          refused: 'limit_reached',
          detail: 'an asset has at most 32 blobs',
        })
      }
      assert.equal(
        await creation(world, albumOwner, declaredFor(world, albumOwner, other, { assetId, ...replaces(other) })),
        'opened',
      )
      await cancelBlob(world, defined(open[0]))
      assert.equal(
        await creation(world, albumOwner, declaredFor(world, albumOwner, bytes(3), derivative(assetId))),
        'opened',
      )
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'with 32 blobs adopts no drop as its original, and with 31 it does',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      const open = []
      for (let count = 0; count < 32; count += 1)
        open.push(await openBlob(world, albumOwner, bytes(3), derivative(assetId)))
      const drop = await newDrop(world, albumOwner, one)
      const declared = declaredFor(world, albumOwner, one, { assetId })
      const refused = await adopt(world, albumOwner, drop, declared)
      assert.ok(isRefusal(refused) && refused.refused === 'limit_reached')
      await cancelBlob(world, defined(open[0]))
      assert.equal(await adopt(world, albumOwner, drop, declared), assetId)
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'keeps a slot for each admitted blob, though an original that replaces is admitted beyond the 32nd',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      await landBlob(world, albumOwner, one, { assetId })
      for (let count = 1; count < 31; count += 1) await openBlob(world, albumOwner, bytes(3), derivative(assetId))
      const last = bytes(3)
      const uploadId = await openBlob(world, albumOwner, last, derivative(assetId))
      await openBlob(world, albumOwner, other, { assetId, ...replaces(other) })
      await landBlob(world, albumOwner, last, derivative(assetId))
      assert.equal((await blobRow(world, uploadId)).state, 'landed')
    }),
  )
})

describe('the slot of an adopted drop', () => {
  it(
    'is judged like that of an upload of the same original',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const drop = await newDrop(world, albumOwner, one)
      const answerTo = async (overrides: Overrides) => {
        const answer = await adopt(world, albumOwner, drop, declaredFor(world, albumOwner, one, overrides))
        return isRefusal(answer) ? answer.refused : 'adopted'
      }
      const [incoming, ofOther, full, bare] = [newAssetId(), newAssetId(), newAssetId(), newAssetId()]
      await openBlob(world, albumOwner, other, { assetId: incoming })
      await openBlob(world, albumOwner, bytes(3), { assetId: ofOther, ...ofOriginal('derivative', other) })
      await landBlob(world, albumOwner, other, { assetId: full })
      assert.equal(await answerTo({ assetId: incoming }), 'asset_id_taken')
      assert.equal(await answerTo({ assetId: ofOther }), 'asset_id_taken')
      assert.equal(await answerTo({ assetId: full }), 'asset_id_taken')
      assert.equal(await answerTo({ assetId: full, ...replaces(one, sha256(bytes(1))) }), 'manifest_stale')
      assert.equal(await answerTo({ assetId: bare, ...replaces(one) }), 'manifest_stale')
      await openBlob(world, albumOwner, bytes(3), { assetId: bare, ...ofOriginal('derivative', one) })
      assert.equal(await answerTo({ assetId: bare }), 'adopted')
      await assertBooks(world, [albumOwner.accountId], [incoming, ofOther, full, bare])
    }),
  )

  it(
    'is taken while an upload of the same content is open, which then lands',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const drop = await newDrop(world, albumOwner, one)
      const declared = declaredFor(world, albumOwner, one)
      await openBlob(world, albumOwner, one, { assetId: declared.assetId })
      const refused = await adopt(world, albumOwner, drop, declared)
      assert.ok(isRefusal(refused) && refused.refused === 'asset_id_taken')
      const uploadId = await landBlob(world, albumOwner, one, { assetId: declared.assetId })
      const { blobs } = await assetOf(world, albumOwner, declared.assetId)
      assert.deepEqual(
        blobs.map((blob) => blob.uploadId),
        [uploadId],
      )
      assert.equal((await world.rules.inbox.list(albumOwner.accountId)).length, 1)
    }),
  )
})
