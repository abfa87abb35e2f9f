/** A file that moves to another album of a real server, killed at each of its requests, and beside others. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { type AlbumId, type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, quickEnvironment, sendFile } from '../../../../testing/people.ts'
import { AssetError } from '../assets/assetError.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { dropOf, hasCode } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { AssetMoveError, type AssetMoveFault } from './assetMoveError.ts'
import { type AssetMoveState, parseAssetMoveState } from './moveAsset.ts'

const { proxy } = await sharedServer()
let keeper: Keeper
let album: AlbumId

before(async () => {
  keeper = await newKeeper(proxy.url)
  album = (await keeper.owner.createAlbum({ name: 'there' })).albumId
})

const small = new Uint8Array(randomBytes(1000))
const ofTwoSegments = new Uint8Array(randomBytes(1_200_000))
const FACTS = { name: 'a.txt', type: 'text/plain', note: 'n', sender: 's', modifiedAt: '2026-02-03T04:05:06.000Z' }
const picture = new Uint8Array(Buffer.concat([Buffer.from('RIFF....WEBPVP8 '), randomBytes(500)]))

async function uploaded(bytes = small): Promise<AssetId> {
  const { owner, ...rest } = keeper
  const { assetId } = await owner.upload({ source: sourceOfBytes(bytes), ...rest, ...FACTS })
  const [original] = (await owner.asset(assetId)).blobs
  await owner.addThumbnail({ assetId, originalHash: original?.hash ?? assert.fail() }, picture)
  return assetId
}

/** All files of the account with this content, and the albums that they are in. */
async function places(): Promise<readonly { readonly assetId: AssetId; readonly albumId: AlbumId }[]> {
  const present = new Map<AssetId, AlbumId>()
  for await (const { changes } of anotherClient(proxy.url, keeper.owner).changes())
    for (const { assetId, asset } of changes)
      if (asset?.complete === true) present.set(assetId, asset.albumId)
      else present.delete(assetId)
  return [...present].map(([assetId, albumId]) => ({ assetId, albumId }))
}

async function binned(): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const page of keeper.owner.bin()) ids.push(...page.map(({ id }) => id))
  return ids
}

async function assertWhole(assetId: AssetId, expected: object, bytes = small): Promise<void> {
  const other = anotherClient(proxy.url, keeper.owner)
  const { content, albumId, name, type, note, sender, modifiedAt } = await other.openAsset(assetId)
  assert.deepEqual({ name, type, note, sender, modifiedAt, albumId }, expected)
  assert.deepEqual(new Uint8Array(await new Response(content).arrayBuffer()), bytes)
  assert.ok(await other.readThumbnail(assetId))
}

const isFault = (reason: AssetMoveFault) => (error: unknown) =>
  error instanceof AssetMoveError && error.reason === reason

describe('a file that moves to another album', () => {
  for (const isNoted of [true, false])
    it(`is there once, with all its facts, whatever its last request before a kill, ${isNoted ? 'with' : 'without'} a note`, async () => {
      await assertMovedOnce(isNoted)
    })

  async function assertMovedOnce(isNoted: boolean): Promise<void> {
    const { owner, device } = keeper
    const assetId = await uploaded(ofTwoSegments)
    const others = new Set((await places()).map((place) => place.assetId))
    others.delete(assetId)
    let kept: string | undefined
    let copied: AssetId | undefined
    let isGone = false
    for (let survived = 1; copied === undefined; survived++) {
      assert.ok(survived < 60, 'it never ends')
      const killed = new AbortController()
      let requests = 0
      proxy.tamper({
        matches: () => {
          requests += 1
          if (requests > survived) killed.abort(new Error('killed'))
          return false
        },
      })
      const state = kept === undefined || !isNoted ? undefined : parseAssetMoveState(JSON.parse(kept))
      const onState = (changed: AssetMoveState) => {
        kept = JSON.stringify(changed)
      }
      copied = await owner
        .moveAsset({ assetId, album, device, state, onState, signal: killed.signal })
        .catch((error: unknown): undefined => {
          if (!String(error).includes('killed')) isGone = hasCode('error.asset.not_found')(error)
          assert.ok(isGone || String(error).includes('killed'), String(error))
        })
      proxy.tamper()
      const found = (await places()).filter((place) => !others.has(place.assetId))
      assert.ok(found.length === 1 || found.length === 2, `${found.length}`)
      // The last request of the killed call has deleted it.
      if (isGone) copied = found[0]?.assetId
    }
    const found = (await places()).filter((place) => !others.has(place.assetId))
    assert.deepEqual(found, [{ assetId: copied, albumId: album }])
    await assertWhole(copied, { ...FACTS, albumId: album }, ofTwoSegments)
    assert.deepEqual(await binned(), [], 'the first one is charged')
    const state = parseAssetMoveState(JSON.parse(kept ?? ''))
    if (isNoted) assert.equal(await owner.moveAsset({ assetId, album, device, state }), copied)
    assert.equal(await owner.moveAsset({ assetId: copied, album, device }), copied)
  }

  it('is copied again when what an earlier call has left was deleted', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    for (let turn = 0; turn < 2; turn++) {
      let copy: string | undefined
      const killed = new AbortController()
      const onState = (state: AssetMoveState) => {
        copy = state.copy.envelope.file_id
        if (state.copy.metadata.uploadId !== undefined) killed.abort(new Error('killed'))
      }
      await assert.rejects(owner.moveAsset({ assetId, album, device, onState, signal: killed.signal }), /killed/)
      await owner.deleteAsset(copy ?? assert.fail())
    }
    await assertWhole(await owner.moveAsset({ assetId, album, device }), { ...FACTS, albumId: album })
  })

  it('goes to the album that is asked for, with the state of a move to another one', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    const killed = new AbortController()
    let state: AssetMoveState | undefined
    const onState = (changed: AssetMoveState) => {
      state = changed
      killed.abort(new Error('killed'))
    }
    const { albumId: elsewhere } = await owner.createAlbum({ name: 'elsewhere' })
    await assert.rejects(
      owner.moveAsset({ assetId, album: elsewhere, device, onState, signal: killed.signal }),
      /killed/,
    )
    await assertWhole(await owner.moveAsset({ assetId, album, device, state }), { ...FACTS, albumId: album })
  })

  it('stays when the server states that half a copy was made of a guest’s file', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    const { landed } = await sendFile((await owner.createLink()).url, small, FACTS)
    const drop = await dropOf(owner, landed)
    let copy: string | undefined
    const killed = new AbortController()
    const onState = (state: AssetMoveState) => {
      copy = state.copy.envelope.file_id
      if (state.copy.metadata.uploadId !== undefined) killed.abort(new Error('killed'))
    }
    await assert.rejects(owner.moveAsset({ assetId, album, device, onState, signal: killed.signal }), /killed/)
    proxy.tamper({
      matches: isRequest('GET', new RegExp(`^/v1/assets/${copy}$`)),
      answer: changeBody((body) => {
        const { dropId: drop_id, opaqueId: opaque_id, kemCt: kem_ct, receivedAt: received_at } = drop
        const blob = { role: 'original', hash: drop.ciphertextHash, size: drop.sealedBytes }
        Object.assign(body, { drop: { drop_id, opaque_id, kem_ct, received_at }, blobs: [blob] })
        Object.assign(body.envelope as object, { key_mode: 'wrapped', ciphertext_hash: drop.ciphertextHash })
      }),
    })
    const isDiffering = (error: unknown) => error instanceof AssetError && error.reason === 'asset_differs'
    await assert.rejects(owner.moveAsset({ assetId, album, device }), isDiffering)
    proxy.tamper()
    await assertWhole(assetId, { ...FACTS, albumId: keeper.album })
  })

  for (const isNoted of [true, false])
    it(`is copied again when it got another name after a kill, ${isNoted ? 'with' : 'without'} a note, and the first copy goes`, async () => {
      const { owner, device } = keeper
      const assetId = await uploaded()
      const others = new Set((await places()).map((place) => place.assetId))
      others.delete(assetId)
      const before = await binned()
      const killed = new AbortController()
      proxy.tamper({
        matches: (exchange) => {
          if (isRequest('POST', /^\/v1\/storage\/verify/)(exchange)) killed.abort(new Error('killed'))
          return false
        },
      })
      let kept: AssetMoveState | undefined
      const onState = (changed: AssetMoveState) => {
        kept = changed
      }
      await assert.rejects(owner.moveAsset({ assetId, album, device, onState, signal: killed.signal }), /killed/)
      proxy.tamper()
      await owner.renameAsset(assetId, { name: 'b.txt', device })
      const copied = await owner.moveAsset({ assetId, album, device, state: isNoted ? kept : undefined })
      const found = (await places()).filter((place) => !others.has(place.assetId))
      assert.deepEqual(found, [{ assetId: copied, albumId: album }])
      assert.deepEqual(await binned(), before)
      await assertWhole(copied, { ...FACTS, name: 'b.txt', albumId: album })
    })

  it('is copied once by two clients at once', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    const others = new Set((await places()).map((place) => place.assetId))
    others.delete(assetId)
    const both = [owner, anotherClient(proxy.url, owner)]
    const moved = await Promise.allSettled(both.map((client) => client.moveAsset({ assetId, album, device })))
    // Each may have stopped the other; then the next call goes on.
    if (moved.every(({ status }) => status === 'rejected')) await owner.moveAsset({ assetId, album, device })
    const [found, ...more] = (await places()).filter((place) => !others.has(place.assetId))
    assert.deepEqual(more, [])
    await assertWhole(found?.assetId ?? assert.fail(), { ...FACTS, albumId: album })
  })

  it('can be a guest’s', async () => {
    const { owner, device, album: first } = keeper
    const { landed } = await sendFile((await owner.createLink()).url, small, FACTS)
    const { assetId } = await owner.adoptDrop(await dropOf(owner, landed), { album: first, device })
    const [original] = (await owner.asset(assetId)).blobs
    await owner.addThumbnail({ assetId, originalHash: original?.hash ?? assert.fail() }, picture)
    await assertWhole(await owner.moveAsset({ assetId, album, device }), { ...FACTS, albumId: album })
  })

  it('stays when the server does not prove that it holds the copy, and moves when it does', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    let state: AssetMoveState | undefined
    const onState = (changed: AssetMoveState) => {
      state = changed
    }
    proxy.tamper({
      matches: isRequest('POST', /^\/v1\/storage\/verify/),
      answer: changeBody((body) => {
        const [verdict] = body.verdicts as { durable: boolean; blobs: { deep: string }[] }[]
        if (verdict?.blobs[0] !== undefined) Object.assign(verdict.blobs[0], { deep: 'rate_limited' })
      }),
    })
    await assert.rejects(owner.moveAsset({ assetId, album, device, onState }), isFault('not_verified'))
    proxy.tamper()
    await assertWhole(assetId, { ...FACTS, albumId: keeper.album })
    const copied = await owner.moveAsset({ assetId, album, device, state })
    assert.equal(copied, parseAssetId(state?.copy.envelope.file_id ?? ''))
    await assertWhole(copied, { ...FACTS, albumId: album })
  })

  it('stays, and is not copied, while it is retained', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    await owner.retainAssets([assetId], await owner.endIn(86_400))
    const before = await places()
    await assert.rejects(owner.moveAsset({ assetId, album, device }), isFault('retained'))
    assert.deepEqual(await places(), before)
  })

  it('stays when another client gives it another name meanwhile', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    let renamed = false
    const onState = async () => {
      if (renamed) return
      renamed = true
      await owner.renameAsset(assetId, { name: 'b.txt', device })
    }
    const before = await places()
    await assert.rejects(owner.moveAsset({ assetId, album, device, onState }), isFault('changed'))
    assert.deepEqual(new Set(await places()), new Set(before))
    await assertWhole(assetId, { ...FACTS, name: 'b.txt', albumId: keeper.album })
  })

  it('stays when another client gives it another name just before it is deleted', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    const before = await places()
    let renamed = false
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const isDeletion = init?.method === 'DELETE' && String(input).includes(`/v1/assets/${assetId}`)
      if (isDeletion && !renamed) {
        renamed = true
        await owner.renameAsset(assetId, { name: 'b.txt', device })
      }
      return quickEnvironment.fetch(input, init)
    }
    const slow = anotherClient(proxy.url, owner, { ...quickEnvironment, fetch })
    await assert.rejects(slow.moveAsset({ assetId, album, device }), isFault('changed'))
    assert.deepEqual(new Set(await places()), new Set(before))
    await assertWhole(assetId, { ...FACTS, name: 'b.txt', albumId: keeper.album })
  })

  it('can still be restored when another client has renamed and deleted it before its end', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    const notes: AssetMoveState[] = []
    const isDeletion = isRequest('DELETE', new RegExp(`^/v1/assets/${assetId}`))
    const killed = new AbortController()
    proxy.tamper({
      matches: (exchange) => {
        if (isDeletion(exchange)) killed.abort(new Error('killed'))
        return isDeletion(exchange)
      },
      lose: 'request',
    })
    const onState = (state: AssetMoveState) => void notes.push(state)
    await assert.rejects(owner.moveAsset({ assetId, album, device, onState, signal: killed.signal }), /killed/)
    proxy.tamper()
    await owner.renameAsset(assetId, { name: 'b.txt', device })
    await owner.deleteAsset(assetId)
    await owner.moveAsset({ assetId, album, device, state: notes.at(-1) })
    assert.ok((await binned()).includes(assetId))
    await owner.restore(assetId)
    await assertWhole(assetId, { ...FACTS, name: 'b.txt', albumId: keeper.album })
  })
})
