import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { type AssetId, parseUploadId, type UploadId } from '@blindkeep/protocol/ids'
import { used } from '../../testing/assetRaces.ts'
import {
  assertBooks,
  assetRow,
  blobRow,
  cancelBlob,
  creation,
  leaveBlobFinishing,
  objectsIn,
  openBlob,
  openDeclared,
} from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  adopt,
  declaredFor,
  landBlob,
  newAlbumOwner,
  newAssetId,
  newDrop,
  type Overrides,
} from '../../testing/assets.ts'
import { accountRow, append, bytes, never, newLink, notRefused, openDrop } from '../../testing/guest.ts'
import { fileOf } from '../../testing/verify.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { BOUNDS } from '../ground/bounds.ts'
import { isRefusal } from '../ground/refusals.ts'

const content = bytes(100)
const UNAVAILABLE = { refused: 'storage_unavailable' }

async function answerTo(world: World, { accountId }: AlbumOwner, declared: ReturnType<typeof declaredFor>) {
  return world.rules.uploads.create(await accountRow(world, accountId), declared)
}

describe('creating an upload', () => {
  it(
    'writes session, object, charge and reserved id before the first byte; the asset is not visible yet',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const declared = declaredFor(world, albumOwner, content, { contentType: 'image/png', keyMode: 'wrapped' })
      const { uploadId, offset } = notRefused(await answerTo(world, albumOwner, declared))
      assert.equal(offset, undefined)
      const { suiteId: _, protocolVersion: __, keyMode: ___, ...kept } = declared
      const row = await blobRow(world, uploadId)
      assert.deepEqual({ ...row, ...kept }, row)
      assert.deepEqual([row.accountId, row.state, row.receivedBytes], [albumOwner.accountId, 'open', 0])
      assert.deepEqual(await objectsIn(world, 'staged'), [row.location])
      assert.equal(await used(world, albumOwner), 100)
      assert.equal((await assetRow(world, declared.assetId))?.accountId, albumOwner.accountId)
      const answer = await world.rules.assets.get(albumOwner.accountId, declared.assetId)
      assert.deepEqual(answer, { refused: 'asset_not_found' })
    }),
  )

  it(
    'again for the same asset, role and hash gives the same session and its offset, without a charge',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const declared = declaredFor(world, albumOwner, content)
      const uploadId = await openDeclared(world, albumOwner, declared)
      const again = () => answerTo(world, albumOwner, declared)
      assert.deepEqual(await again(), { uploadId, offset: 0 })
      await append(world, uploadId, { offset: 0, bytes: content.subarray(0, 40) })
      assert.deepEqual(await again(), { uploadId, offset: 40 })
      await append(world, uploadId, { offset: 40, bytes: content.subarray(40) })
      assert.deepEqual(await again(), { uploadId, offset: 100 })
      assert.equal(await used(world, albumOwner), 100)
      const finishing = declaredFor(world, albumOwner, content)
      const second = await openDeclared(world, albumOwner, finishing)
      await leaveBlobFinishing(world, second, content)
      assert.deepEqual(await answerTo(world, albumOwner, finishing), { uploadId: second, offset: 100 })
      assert.equal((await blobRow(world, second)).state, 'finishing')
      assert.equal(await used(world, albumOwner), 200)
    }),
  )

  it(
    'gives 64 requests at once the same session, and another session to another asset, role or hash',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      const declared = declaredFor(world, albumOwner, content, { assetId, role: 'derivative' })
      const answers = await Promise.all(Array.from({ length: 64 }, () => answerTo(world, albumOwner, declared)))
      const ids = (sessions: typeof answers) => new Set(sessions.map((answer) => notRefused(answer).uploadId))
      assert.equal(ids(answers).size, 1)
      assert.equal(answers.filter((answer) => notRefused(answer).offset === undefined).length, 1)
      const others = [
        await answerTo(world, albumOwner, declaredFor(world, albumOwner, content, { role: 'derivative' })),
        await answerTo(world, albumOwner, declaredFor(world, albumOwner, content, { assetId, role: 'metadata' })),
        await answerTo(world, albumOwner, declaredFor(world, albumOwner, bytes(100), { assetId, role: 'derivative' })),
      ]
      assert.equal(ids([...answers, ...others]).size, 4)
      assert.equal(await used(world, albumOwner), 400)
    }),
  )

  it(
    'again for a landed blob says that the server has it only if its bytes are there and not in doubt',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const declared = declaredFor(world, albumOwner, content)
      const uploadId = await landBlob(world, albumOwner, content, declared)
      const { location } = await blobRow(world, uploadId)
      const path = fileOf(world, { location })
      await world.rules.scrub.suspect(location)
      assert.deepEqual(await answerTo(world, albumOwner, declared), UNAVAILABLE)
      await world.rules.scrub.again(never)
      assert.deepEqual(await answerTo(world, albumOwner, declared), { uploadId, offset: 100 })
      await rm(path)
      assert.deepEqual(await answerTo(world, albumOwner, declared), UNAVAILABLE)
      await world.rules.scrub.again(never)
      await writeFile(path, content)
      assert.deepEqual(await answerTo(world, albumOwner, declared), UNAVAILABLE)
      world.clock.advance(3)
      await world.rules.scrub.again(never)
      assert.deepEqual(await answerTo(world, albumOwner, declared), { uploadId, offset: 100 })
      assert.equal(await used(world, albumOwner), 100)
    }),
  )

  it('again is answered although the quota or the disk is full', async () => {
    let freeBytes = 1000
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const [landed, open] = [declaredFor(world, albumOwner, content), declaredFor(world, albumOwner, bytes(100))]
        await landBlob(world, albumOwner, content, landed)
        await openDeclared(world, albumOwner, open)
        freeBytes = 0
        for (const declared of [landed, open]) assert.equal(await creation(world, albumOwner, declared), 'present')
      },
      {
        settings: { quotaHardBytes: 200 },
        around: { blobs: (real) => ({ ...real, check: async () => freeBytes }) },
      },
    )()
  })

  it(
    'gives a new session after the first one was cancelled or failed',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const declared = declaredFor(world, albumOwner, content)
      const first = await openDeclared(world, albumOwner, declared)
      await cancelBlob(world, first)
      const second = await openDeclared(world, albumOwner, declared)
      assert.ok(isRefusal(await append(world, second, { offset: 0, bytes: bytes(100) })))
      const third = await openDeclared(world, albumOwner, declared)
      assert.equal(new Set([first, second, third]).size, 3)
      notRefused(await append(world, third, { offset: 0, bytes: content }))
      await assertBooks(world, [albumOwner.accountId], [declared.assetId])
    }),
  )

  it(
    'again for an original that is an adopted drop gives the drop’s landed session',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const drop = await newDrop(world, albumOwner, content)
      const declared = declaredFor(world, albumOwner, content)
      notRefused(await adopt(world, albumOwner, drop, declared))
      assert.deepEqual(await answerTo(world, albumOwner, declared), { uploadId: drop.uploadId, offset: 100 })
      assert.equal(await used(world, albumOwner), 100)
    }),
  )
})

describe('a reserved id', () => {
  const reserved = async (world: World, assetId: AssetId) => (await assetRow(world, assetId)) !== undefined

  it(
    'is given up when the session that reserved it is cancelled, expires or fails',
    inWorld(async (world) => {
      const [albumOwner, stranger] = [await newAlbumOwner(world), await newAlbumOwner(world)]
      const ways: readonly ((uploadId: UploadId) => Promise<unknown>)[] = [
        (uploadId) => cancelBlob(world, uploadId),
        async () => {
          world.clock.advance(901)
          await world.rules.sweep.sweep()
        },
        (uploadId) => append(world, uploadId, { offset: 0, bytes: bytes(100) }),
      ]
      const assetIds: AssetId[] = []
      for (const end of ways) {
        const assetId = newAssetId()
        assetIds.push(assetId)
        await end(await openBlob(world, albumOwner, content, { assetId }))
        assert.equal(await reserved(world, assetId), false)
        assert.equal(await used(world, albumOwner), 0)
        assert.equal(await creation(world, stranger, declaredFor(world, stranger, content, { assetId })), 'opened')
      }
      await assertBooks(world, [albumOwner.accountId, stranger.accountId], assetIds)
    }),
  )

  it(
    'is kept while another session of the asset is unclosed, and permanently once a blob has landed',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      const [first, second] = [
        await openBlob(world, albumOwner, content, { assetId }),
        await openBlob(world, albumOwner, bytes(3), { assetId, role: 'metadata' }),
      ]
      await cancelBlob(world, first)
      assert.equal(await reserved(world, assetId), true)
      const derivative = bytes(5)
      const finishing = await openBlob(world, albumOwner, derivative, { assetId, role: 'derivative' })
      await leaveBlobFinishing(world, finishing, derivative)
      await cancelBlob(world, second)
      assert.equal(await reserved(world, assetId), true)
      await world.restarted().finishing.resume()
      await cancelBlob(world, await openBlob(world, albumOwner, content, { assetId }))
      assert.equal((await assetRow(world, assetId))?.createdAt, world.clock.now())
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )
})

describe('a refused upload', () => {
  it(
    'changes nothing, and is refused in the order of the rules',
    inWorld(
      async (world) => {
        const [albumOwner, stranger] = [await newAlbumOwner(world), await newAlbumOwner(world)]
        const foreign = newAssetId()
        await openBlob(world, stranger, bytes(1), { assetId: foreign })
        const far = { timestamp: '2020-01-01T00:00:00Z' }
        const size = 1001
        const others = { created_by_device: stranger.deviceId }
        const cases: readonly (readonly [string, Overrides])[] = [
          ['suite_unknown', { suiteId: 2, size, assetId: foreign, envelope: far }],
          ['content_type_unsupported', { contentType: 'text/html', size, assetId: foreign, envelope: far }],
          ['manifest_mismatch', { size, assetId: foreign, envelope: { ...far, file_id: newAssetId() } }],
          ['manifest_invalid', { size, assetId: foreign, envelope: { ...far, plaintext_size: 1002 } }],
          ['timestamp_out_of_range', { size, assetId: foreign, envelope: { ...far, ...others } }],
          ['device_not_authorized', { size, assetId: foreign, albumId: stranger.albumId, envelope: others }],
          ['album_not_available', { size, assetId: foreign, albumId: stranger.albumId }],
          ['asset_id_taken', { size, assetId: foreign }],
          ['manifest_stale', { size, envelope: { action: 'replace', original_blob_hash: sha256(content) } }],
          ['upload_too_large', { size }],
          ['storage_full', { size: 901 }],
          ['quota_exceeded', { size: 501 }],
        ]
        for (const [refused, overrides] of cases) {
          const declared = declaredFor(world, albumOwner, content, overrides)
          const answer = await answerTo(world, albumOwner, declared)
          assert.equal(isRefusal(answer) && answer.refused, refused)
          assert.equal(await used(world, albumOwner), 0, refused)
          assert.deepEqual(await world.rules.uploads.list(albumOwner.accountId), [], refused)
          if (declared.assetId !== foreign) assert.equal(await assetRow(world, declared.assetId), undefined, refused)
        }
        assert.equal((await objectsIn(world, 'staged')).length, 1)
        await assertBooks(world, [albumOwner.accountId, stranger.accountId], [foreign])
      },
      {
        settings: { blobBytesMax: 1000, freeSpaceFloorBytes: 100, quotaHardBytes: 500 },
        around: { blobs: (real) => ({ ...real, check: async () => 1001 }) },
      },
    ),
  )

  it(
    'is larger than the largest blob of the server, not equal to it',
    inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        assert.equal(await creation(world, albumOwner, declaredFor(world, albumOwner, content)), 'opened')
        const above = declaredFor(world, albumOwner, content, { size: 101 })
        assert.deepEqual(await answerTo(world, albumOwner, above), { refused: 'upload_too_large', limit: 100 })
      },
      { settings: { blobBytesMax: 100 } },
    ),
  )

  it(
    'would take free space, less what open sessions still have to send, below the floor',
    inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const of = (size: number) => declaredFor(world, albumOwner, content, { size })
        await openDrop(world, await newLink(world), bytes(200))
        assert.equal(await creation(world, albumOwner, of(701)), 'storage_full')
        const uploadId = await openDeclared(world, albumOwner, of(700))
        assert.equal(await creation(world, albumOwner, of(1)), 'storage_full')
        // Bytes that it has sent no longer count as reserved; the disk itself shows them as used.
        await append(world, uploadId, { offset: 0, bytes: bytes(50) })
        assert.equal(await creation(world, albumOwner, of(51)), 'storage_full')
        assert.equal(await creation(world, albumOwner, of(50)), 'opened')
      },
      {
        settings: { freeSpaceFloorBytes: 100 },
        around: { blobs: (real) => ({ ...real, check: async () => 1000 }) },
      },
    ),
  )

  it(
    'would exceed the quota by a byte, also when 64 arrive at once',
    inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const of = (size: number) => declaredFor(world, albumOwner, content, { size })
        assert.deepEqual(await answerTo(world, albumOwner, of(1001)), { refused: 'quota_exceeded' })
        const answers = await Promise.all(Array.from({ length: 64 }, () => creation(world, albumOwner, of(100))))
        assert.equal(answers.filter((answer) => answer === 'opened').length, 10)
        assert.equal(answers.filter((answer) => answer === 'quota_exceeded').length, 54)
        assert.equal(await used(world, albumOwner), 1000)
        assert.equal(await creation(world, albumOwner, of(1)), 'quota_exceeded')
      },
      { settings: { quotaHardBytes: 1000 } },
    ),
  )

  it(
    'would be the account’s 1001st unclosed session, not counting guests’ sessions',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      await openDrop(world, await newLink(world, {}, albumOwner.accountId), content)
      const { assetId, ...row } = await blobRow(world, await openBlob(world, albumOwner, content))
      // Inserts rows only: a thousand sessions through the rules would take long.
      const others = Array.from({ length: BOUNDS['unfinished uploads'] - 2 }, () =>
        defined(parseUploadId(randomUUID())),
      )
      await world.store.write([], async (tx) => {
        for (const uploadId of others) await tx.uploads.insert({ ...row, uploadId, assetId: newAssetId() })
      })
      const last = declaredFor(world, albumOwner, content)
      const uploadId = await openDeclared(world, albumOwner, last)
      const one = declaredFor(world, albumOwner, content)
      assert.deepEqual(await answerTo(world, albumOwner, one), {
        refused: 'limit_reached',
        detail: 'an account has at most 1000 unfinished uploads',
      })
      assert.equal(await creation(world, albumOwner, last), 'present')
      assert.equal(
        await creation(world, await newAlbumOwner(world), declaredFor(world, albumOwner, content)),
        'device_not_authorized',
      )
      await leaveBlobFinishing(world, uploadId, content)
      assert.equal(await creation(world, albumOwner, one), 'limit_reached', 'a finishing session counts')
      await world.rules.finishing.resume()
      assert.equal(await creation(world, albumOwner, one), 'opened')
      assert.equal(await creation(world, albumOwner, declaredFor(world, albumOwner, content, { assetId })), 'present')
    }),
  )
})

describe('the grace of an account', () => {
  it(
    'begins with the excess that an upload makes, not with an earlier one in a stale account row',
    inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const first = await openBlob(world, albumOwner, content)
        const since = world.clock.now()
        const staleRow = await accountRow(world, albumOwner.accountId)
        assert.equal(staleRow.exceededSince, since)
        world.clock.advance(60)
        await cancelBlob(world, first)
        notRefused(await world.rules.uploads.create(staleRow, declaredFor(world, albumOwner, content)))
        assert.equal((await accountRow(world, albumOwner.accountId)).exceededSince, world.clock.now())
      },
      { settings: { quotaHardBytes: 100 } },
    ),
  )
})
