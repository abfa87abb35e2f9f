import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type AssetId, parseUploadId } from '@blindkeep/protocol/ids'
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
  adopt,
  declaredFor,
  type Keeper,
  landBlob,
  newAssetId,
  newDrop,
  newKeeper,
  type Over,
} from '../../testing/assets.ts'
import { accountRow, admitted, append, bytes, newLink, openDrop } from '../../testing/guest.ts'
import { inWorld, known, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'
import { MAX_UNCLOSED_UPLOADS } from './uploads.ts'

const content = bytes(100)

async function answerTo(world: World, { accountId }: Keeper, declared: ReturnType<typeof declaredFor>) {
  return world.rules.uploads.create(await accountRow(world, accountId), declared)
}

describe('creating an upload', () => {
  it(
    'writes session, object, charge and reserved id before the first byte; the asset is not visible yet',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const declared = declaredFor(world, keeper, content, { contentType: 'image/png', keyMode: 'wrapped' })
      const { uploadId, offset } = admitted(await answerTo(world, keeper, declared))
      assert.equal(offset, undefined)
      const { suiteId: _, protocolVersion: __, keyMode: ___, ...kept } = declared
      const row = await blobRow(world, uploadId)
      assert.deepEqual({ ...row, ...kept }, row)
      assert.deepEqual([row.accountId, row.state, row.receivedBytes], [keeper.accountId, 'open', 0])
      assert.deepEqual(await objectsIn(world, 'staged'), [row.location])
      assert.equal(await used(world, keeper), 100)
      assert.equal((await assetRow(world, declared.assetId))?.accountId, keeper.accountId)
      const answer = await world.rules.assets.get(keeper.accountId, declared.assetId)
      assert.deepEqual(answer, { refused: 'asset_not_found' })
    }),
  )

  it(
    'again for the same asset, role and hash gives the same session and its offset, without a charge',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const declared = declaredFor(world, keeper, content)
      const uploadId = await openDeclared(world, keeper, declared)
      const again = () => answerTo(world, keeper, declared)
      assert.deepEqual(await again(), { uploadId, offset: 0 })
      await append(world, uploadId, { offset: 0, bytes: content.subarray(0, 40) })
      assert.deepEqual(await again(), { uploadId, offset: 40 })
      await append(world, uploadId, { offset: 40, bytes: content.subarray(40) })
      assert.deepEqual(await again(), { uploadId, offset: 100 })
      assert.equal(await used(world, keeper), 100)
      const finishing = declaredFor(world, keeper, content)
      const second = await openDeclared(world, keeper, finishing)
      await leaveBlobFinishing(world, second, content)
      assert.deepEqual(await answerTo(world, keeper, finishing), { uploadId: second, offset: 100 })
      assert.equal((await blobRow(world, second)).state, 'finishing')
      assert.equal(await used(world, keeper), 200)
    }),
  )

  it(
    'gives 64 requests at once the same session, and another session to another asset, role or hash',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const assetId = newAssetId()
      const declared = declaredFor(world, keeper, content, { assetId, role: 'derivative' })
      const answers = await Promise.all(Array.from({ length: 64 }, () => answerTo(world, keeper, declared)))
      const ids = (sessions: typeof answers) => new Set(sessions.map((answer) => admitted(answer).uploadId))
      assert.equal(ids(answers).size, 1)
      assert.equal(answers.filter((answer) => admitted(answer).offset === undefined).length, 1)
      const others = [
        await answerTo(world, keeper, declaredFor(world, keeper, content, { role: 'derivative' })),
        await answerTo(world, keeper, declaredFor(world, keeper, content, { assetId, role: 'metadata' })),
        await answerTo(world, keeper, declaredFor(world, keeper, bytes(100), { assetId, role: 'derivative' })),
      ]
      assert.equal(ids([...answers, ...others]).size, 4)
      assert.equal(await used(world, keeper), 400)
    }),
  )

  it('again is answered although the quota or the disk is full', async () => {
    let freeBytes = 1000
    await inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const [landed, open] = [declaredFor(world, keeper, content), declaredFor(world, keeper, bytes(100))]
        await landBlob(world, keeper, content, landed)
        await openDeclared(world, keeper, open)
        freeBytes = 0
        for (const declared of [landed, open]) assert.equal(await creation(world, keeper, declared), 'present')
      },
      {
        settings: { quotaHardBytes: 200 },
        around: { blobs: (real) => ({ ...real, freeBytes: async () => freeBytes }) },
      },
    )()
  })

  it(
    'again for an original that is an adopted drop gives the drop’s landed session',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const drop = await newDrop(world, keeper, content)
      const declared = declaredFor(world, keeper, content)
      admitted(await adopt(world, keeper, drop, declared))
      assert.deepEqual(await answerTo(world, keeper, declared), { uploadId: drop.uploadId, offset: 100 })
      assert.equal(await used(world, keeper), 100)
    }),
  )
})

describe('a reserved id', () => {
  const reserved = async (world: World, assetId: AssetId) => (await assetRow(world, assetId)) !== undefined

  it(
    'is kept while another session of the asset is unclosed, and permanently once a blob has landed',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      const assetId = newAssetId()
      const [first, second] = [
        await openBlob(world, keeper, content, { assetId }),
        await openBlob(world, keeper, bytes(3), { assetId, role: 'metadata' }),
      ]
      await cancelBlob(world, first)
      assert.equal(await reserved(world, assetId), true)
      const derivative = bytes(5)
      const finishing = await openBlob(world, keeper, derivative, { assetId, role: 'derivative' })
      await leaveBlobFinishing(world, finishing, derivative)
      await cancelBlob(world, second)
      assert.equal(await reserved(world, assetId), true)
      await world.restarted().finishing.resume()
      await cancelBlob(world, await openBlob(world, keeper, content, { assetId }))
      assert.equal((await assetRow(world, assetId))?.createdAt, world.clock.now())
      await assertBooks(world, [keeper.accountId], [assetId])
    }),
  )
})

describe('a refused upload', () => {
  it(
    'changes nothing, and is refused in the order of the rules',
    inWorld(
      async (world) => {
        const [keeper, stranger] = [await newKeeper(world), await newKeeper(world)]
        const foreign = newAssetId()
        await openBlob(world, stranger, bytes(1), { assetId: foreign })
        const far = { timestamp: '2020-01-01T00:00:00Z' }
        const size = 1001
        const others = { created_by_device: stranger.deviceId }
        const cases: readonly (readonly [string, Over])[] = [
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
          ['storage_unavailable', { size: 901 }],
          ['quota_exceeded', { size: 501 }],
        ]
        for (const [refused, over] of cases) {
          const declared = declaredFor(world, keeper, content, over)
          const answer = await answerTo(world, keeper, declared)
          assert.equal(isRefusal(answer) && answer.refused, refused)
          assert.equal(await used(world, keeper), 0, refused)
          assert.deepEqual(await world.rules.uploads.list(keeper.accountId), [], refused)
          if (declared.assetId !== foreign) assert.equal(await assetRow(world, declared.assetId), undefined, refused)
        }
        assert.equal((await objectsIn(world, 'staged')).length, 1)
        await assertBooks(world, [keeper.accountId, stranger.accountId], [foreign])
      },
      {
        settings: { blobBytesMax: 1000, freeSpaceFloorBytes: 100, quotaHardBytes: 500 },
        around: { blobs: (real) => ({ ...real, freeBytes: async () => 1001 }) },
      },
    ),
  )

  it(
    'would take free space, less what open sessions still have to send, below the floor',
    inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const of = (size: number) => declaredFor(world, keeper, content, { size })
        await openDrop(world, await newLink(world), bytes(200))
        assert.equal(await creation(world, keeper, of(701)), 'storage_unavailable')
        const uploadId = await openDeclared(world, keeper, of(700))
        assert.equal(await creation(world, keeper, of(1)), 'storage_unavailable')
        // Bytes that it has sent no longer count as reserved; the disk itself shows them as used.
        await append(world, uploadId, { offset: 0, bytes: bytes(50) })
        assert.equal(await creation(world, keeper, of(51)), 'storage_unavailable')
        assert.equal(await creation(world, keeper, of(50)), 'opened')
      },
      {
        settings: { freeSpaceFloorBytes: 100 },
        around: { blobs: (real) => ({ ...real, freeBytes: async () => 1000 }) },
      },
    ),
  )

  it(
    'would exceed the quota by a byte, also when 64 arrive at once',
    inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const of = (size: number) => declaredFor(world, keeper, content, { size })
        assert.deepEqual(await answerTo(world, keeper, of(1001)), { refused: 'quota_exceeded' })
        const answers = await Promise.all(Array.from({ length: 64 }, () => creation(world, keeper, of(100))))
        assert.equal(answers.filter((answer) => answer === 'opened').length, 10)
        assert.equal(answers.filter((answer) => answer === 'quota_exceeded').length, 54)
        assert.equal(await used(world, keeper), 1000)
        assert.equal(await creation(world, keeper, of(1)), 'quota_exceeded')
      },
      { settings: { quotaHardBytes: 1000 } },
    ),
  )

  it(
    'would be the account’s 1001st unclosed session, not counting guests’ sessions',
    inWorld(async (world) => {
      const keeper = await newKeeper(world)
      await openDrop(world, await newLink(world, {}, keeper.accountId), content)
      const { assetId, ...row } = await blobRow(world, await openBlob(world, keeper, content))
      // Inserts rows only: a thousand sessions through the rules would take long.
      const others = Array.from({ length: MAX_UNCLOSED_UPLOADS - 2 }, () => known(parseUploadId(randomUUID())))
      await world.store.write(async (tx) => {
        for (const uploadId of others) await tx.uploads.insert({ ...row, uploadId, assetId: newAssetId() })
      })
      const last = declaredFor(world, keeper, content)
      const uploadId = await openDeclared(world, keeper, last)
      const one = declaredFor(world, keeper, content)
      assert.deepEqual(await answerTo(world, keeper, one), {
        refused: 'limit_reached',
        detail: 'an account has at most 1000 unfinished uploads',
      })
      assert.equal(await creation(world, keeper, last), 'present')
      assert.equal(
        await creation(world, await newKeeper(world), declaredFor(world, keeper, content)),
        'device_not_authorized',
      )
      await leaveBlobFinishing(world, uploadId, content)
      assert.equal(await creation(world, keeper, one), 'limit_reached', 'a finishing session counts')
      await world.rules.finishing.resume()
      assert.equal(await creation(world, keeper, one), 'opened')
      assert.equal(await creation(world, keeper, declaredFor(world, keeper, content, { assetId })), 'present')
    }),
  )
})

describe('the grace of an account', () => {
  it(
    'begins with the excess that an upload makes, not with an earlier one in a stale account row',
    inWorld(
      async (world) => {
        const keeper = await newKeeper(world)
        const first = await openBlob(world, keeper, content)
        const since = world.clock.now()
        const staleRow = await accountRow(world, keeper.accountId)
        assert.equal(staleRow.exceededSince, since)
        world.clock.advance(60)
        await cancelBlob(world, first)
        admitted(await world.rules.uploads.create(staleRow, declaredFor(world, keeper, content)))
        assert.equal((await accountRow(world, keeper.accountId)).exceededSince, world.clock.now())
      },
      { settings: { quotaHardBytes: 100 } },
    ),
  )
})
