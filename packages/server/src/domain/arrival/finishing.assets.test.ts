import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import { used } from '../../testing/assetRaces.ts'
import {
  assertBooks,
  blobRow,
  creation,
  leaveBlobFinishing,
  openBlob,
  openDeclared,
  provenanceFor,
  replacing,
} from '../../testing/assetSessions.ts'
import { type AlbumOwner, assetOf, declaredFor, landBlob, newAlbumOwner, newAssetId } from '../../testing/assets.ts'
import { accountRow, append, bytes, notRefused } from '../../testing/guest.ts'
import { createMortal } from '../../testing/mortal.ts'
import { inWorld, sha256, type World } from '../../testing/world.ts'
import type { Declared } from '../assets/manifest.ts'
import { isRefusal } from '../ground/refusals.ts'

const content = bytes(100)

/** A blob that a client sends to its asset. */
interface Sending {
  readonly declared: Declared
  readonly content: Uint8Array
}

type Prepare = (world: World, albumOwner: AlbumOwner, assetId: AssetId) => Promise<Sending>

const original: Prepare = async (world, albumOwner, assetId) => ({
  content,
  declared: declaredFor(world, albumOwner, content, { assetId }),
})

const provenance: Prepare = async (world, albumOwner, assetId) => {
  await landBlob(world, albumOwner, content, { assetId })
  return provenanceFor(world, albumOwner, content, { assetId })
}

const wrongProvenance: Prepare = async (world, albumOwner, assetId) => {
  await landBlob(world, albumOwner, content, { assetId })
  const { content: signed, declared } = provenanceFor(world, albumOwner, content, { assetId })
  return { content: signed, declared: { ...declared, envelope: { ...declared.envelope, client_version: 'test/2' } } }
}

const replacement: Prepare = async (world, albumOwner, assetId) => {
  await landBlob(world, albumOwner, content, { assetId })
  await landBlob(world, albumOwner, bytes(30), { assetId, role: 'derivative' })
  const next = bytes(50)
  return { content: next, declared: declaredFor(world, albumOwner, next, { assetId, envelope: replacing(next) }) }
}

const otherBytes: Prepare = async (world, albumOwner, assetId) => ({
  content,
  declared: declaredFor(world, albumOwner, content, { assetId, ciphertextHash: sha256(bytes(1)) }),
})

/** Like a client that may have begun before: creates its session again, and sends the missing bytes. */
async function send(world: World, { accountId }: AlbumOwner, { declared, content }: Sending): Promise<string> {
  const created = notRefused(await world.rules.uploads.create(await accountRow(world, accountId), declared))
  const { uploadId, offset = 0 } = created
  if (offset === content.length) return (await blobRow(world, uploadId)).state
  const answer = await append(world, uploadId, { offset, bytes: content.subarray(offset) })
  return isRefusal(answer) ? answer.refused : 'landed'
}

describe('a process that dies at any call while a blob lands in its asset', () => {
  const cases: readonly (readonly [what: string, prepare: Prepare, outcome: string, roles: readonly string[]])[] = [
    ['an original', original, 'landed', ['original']],
    ['a provenance blob', provenance, 'landed', ['original', 'provenance']],
    ['a provenance blob that disagrees with its envelope', wrongProvenance, 'manifest_mismatch', ['original']],
    ['an original that replaces', replacement, 'landed', ['original']],
    ['bytes other than the declared ones', otherBytes, 'content_hash_wrong', []],
  ]
  for (const [what, prepare, outcome, roles] of cases) {
    it(`leaves ${what} to the next process, with no byte charged twice or lost, and at most one receipt`, async () => {
      const mortal = createMortal()
      await inWorld(
        async (world) => {
          const albumOwner = await newAlbumOwner(world)
          const assetIds: AssetId[] = []
          let calls = 0
          do {
            const assetId = newAssetId()
            assetIds.push(assetId)
            const before = { ...world, rules: world.restarted() }
            const sending = await prepare(before, albumOwner, assetId)
            const count = async () => (await world.store.read((tx) => tx.receipts.head()))?.receiptSeq ?? 0
            const receipts = await count()
            mortal.dieAfter(calls)
            calls += 1
            await send(before, albumOwner, sending).catch(() => undefined)
            const hasDied = mortal.revive()
            const next = { ...world, rules: world.restarted() }
            await next.rules.finishing.resume()
            assert.equal(await send(next, albumOwner, sending), outcome, `after ${calls - 1} calls`)
            const blobs = roles.length === 0 ? [] : (await assetOf(next, albumOwner, assetId)).blobs
            assert.deepEqual(
              blobs.map(({ role }) => role),
              roles,
            )
            assert.equal((await count()) - receipts, outcome === 'landed' ? 1 : 0)
            if (!hasDied) break
          } while (calls < 100)
          assert.ok(calls > 8 && calls < 100, 'the process died at several calls, and survived in the end')
          await assertBooks(world, [albumOwner.accountId], assetIds)
        },
        { around: mortal.around },
      )()
    })
  }

  it('leaves a deletion complete or not begun, and a finishing session fails', async () => {
    const mortal = createMortal()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const assetIds: AssetId[] = []
        for (let calls = 0; ; calls += 1) {
          const assetId = newAssetId()
          assetIds.push(assetId)
          await landBlob(world, albumOwner, content, { assetId })
          const derivative = bytes(30)
          const uploadId = await openBlob(world, albumOwner, derivative, { assetId, role: 'derivative' })
          const open = await openBlob(world, albumOwner, bytes(40), { assetId, role: 'derivative' })
          await leaveBlobFinishing(world, uploadId, derivative)
          mortal.dieAfter(calls)
          const remove = async ({ rules }: Pick<World, 'rules'>) => {
            await rules.assets.remove(albumOwner.accountId, assetId)
            await rules.finishing.resume()
          }
          await remove(world).catch(() => undefined)
          const hasDied = mortal.revive()
          await remove({ rules: world.restarted() })
          assert.equal((await blobRow(world, uploadId)).state, 'failed')
          assert.equal((await blobRow(world, open)).state, 'ended')
          assert.equal(await used(world, albumOwner), 0)
          if (!hasDied) break
        }
        await assertBooks(world, [albumOwner.accountId], assetIds)
      },
      { around: mortal.around },
    )()
  })
})

describe('owners’ sessions that a dead process left finishing', () => {
  it(
    'land once each, though a resume, a sweep and repeats ask at once',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const assetId = newAssetId()
      const blobs = [
        { content, declared: declaredFor(world, albumOwner, content, { assetId }) },
        provenanceFor(world, albumOwner, content, { assetId, envelope: { original_blob_hash: sha256(content) } }),
      ]
      const ids = []
      for (const { declared, content } of blobs) {
        const uploadId = await openDeclared(world, albumOwner, declared)
        await leaveBlobFinishing(world, uploadId, content)
        ids.push({ uploadId, content })
      }
      const rules = world.restarted()
      await Promise.all([
        rules.finishing.resume(),
        rules.sweep.sweep(),
        ...ids.map(({ uploadId, content }) => append({ rules }, uploadId, { offset: 0, bytes: content })),
      ])
      assert.deepEqual((await assetOf(world, albumOwner, assetId)).blobs.map(({ role }) => role).toSorted(), [
        'original',
        'provenance',
      ])
      assert.equal((await world.store.read((tx) => tx.receipts.head()))?.receiptSeq, 2)
      await assertBooks(world, [albumOwner.accountId], [assetId])
    }),
  )

  it(
    'are not refused by one process because another one has landed them',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      for (let round = 0; round < 10; round += 1) {
        const assetId = newAssetId()
        const uploadId = await openBlob(world, albumOwner, content, { assetId })
        await leaveBlobFinishing(world, uploadId, content)
        const processes = [world.restarted(), world.restarted(), world.restarted()]
        const answers = await Promise.allSettled(processes.map(({ finishing }) => finishing.finish(uploadId)))
        for (const answer of answers) if (answer.status === 'fulfilled') assert.deepEqual(answer.value, { offset: 100 })
        assert.ok(answers.some(({ status }) => status === 'fulfilled'))
        assert.equal(notRefused(await world.rules.assets.receipts(albumOwner.accountId, assetId)).length, 1)
        await assertBooks(world, [albumOwner.accountId], [assetId])
        await world.rules.assets.remove(albumOwner.accountId, assetId)
      }
    }),
  )

  it(
    'are refused for a lost slot before their manifest is checked',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const ways: readonly (readonly [string, (assetId: AssetId) => Promise<unknown>])[] = [
        ['asset_id_taken', (assetId) => world.rules.assets.remove(albumOwner.accountId, assetId)],
        [
          'manifest_stale',
          (assetId) => {
            const next = bytes(50)
            return landBlob(world, albumOwner, next, { assetId, envelope: replacing(next) })
          },
        ],
      ]
      for (const [refused, change] of ways) {
        const assetId = newAssetId()
        await landBlob(world, albumOwner, content, { assetId })
        const proof = provenanceFor(world, albumOwner, content, { assetId })
        const uploadId = await openDeclared(world, albumOwner, proof.declared)
        await leaveBlobFinishing(world, uploadId, proof.content)
        await change(assetId)
        if (refused === 'asset_id_taken') assert.equal(await creation(world, albumOwner, proof.declared), refused)
        const answer = await world.rules.finishing.finish(uploadId)
        assert.equal(isRefusal(answer) && answer.refused, refused)
        assert.equal((await blobRow(world, uploadId)).failure, refused)
        await assertBooks(world, [albumOwner.accountId], [assetId])
      }
    }),
  )
})
