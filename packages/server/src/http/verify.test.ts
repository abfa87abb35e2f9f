import assert from 'node:assert/strict'
import { request as send } from 'node:http'
import { describe, it } from 'node:test'
import { type AlbumOwner, newAlbumOwner } from '../testing/assets.ts'
import { createFaults } from '../testing/faults.ts'
import { bytes } from '../testing/guest.ts'
import { listen, overHttp, said } from '../testing/http.ts'
import { keep, watchBlobs } from '../testing/verify.ts'
import { inWorld, type World, type WorldOptions } from '../testing/world.ts'

interface SignedIn {
  readonly world: World
  readonly albumOwner: AlbumOwner
  readonly verify: (payload: unknown) => ReturnType<ReturnType<typeof overHttp>['ask']>
}

/** A signed-in owner who asks. */
function signedIn(work: (parts: SignedIn) => Promise<void>, options: WorldOptions = {}): () => Promise<void> {
  return inWorld(async (world) => {
    const albumOwner = await newAlbumOwner(world)
    const { ask, signIn } = overHttp(world, { requestBytesMax: 1_048_576 })
    const { authorization } = await signIn(albumOwner.accountId)
    const verify: SignedIn['verify'] = (payload) =>
      ask({
        method: 'POST',
        url: '/v1/storage/verify',
        headers: { 'content-type': 'application/json', authorization },
        payload: JSON.stringify(payload),
      })
    await work({ world, albumOwner, verify })
  }, options)
}

describe('POST /v1/storage/verify', () => {
  it('answers 500 and no verdict when the database or the blob store is down', async () => {
    const faults = createFaults()
    await signedIn(
      async ({ world, albumOwner, verify }) => {
        const { assetId, ciphertextHash } = await keep(world, albumOwner, bytes(10))
        const assets = [{ asset_id: assetId, blob_hashes: [ciphertextHash] }]
        // The first read is the session's.
        faults.arm('storeRead', { after: 1 })
        assert.equal(said(await verify({ assets })), '500 storage.unavailable')
        faults.disarm()
        faults.arm('size')
        faults.arm('check')
        assert.equal(said(await verify({ assets })), '500 storage.unavailable')
        faults.disarm()
        assert.equal((await verify({ assets })).json().verdicts[0].durable, true)
      },
      { around: faults.around },
    )()
  })

  it('stops reading when the client disconnects', async () => {
    const watch = watchBlobs()
    const { promise: stopped, resolve: onStopped } = Promise.withResolvers<void>()
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const { app, signIn } = overHttp(world)
        const { authorization } = await signIn(albumOwner.accountId)
        const { assetId, ciphertextHash } = await keep(world, albumOwner, bytes(10))
        const url = `http://127.0.0.1:${await listen(app)}/v1/storage/verify`
        const headers = { authorization, 'content-type': 'application/json' }
        const sending = send(url, { method: 'POST', headers }).on('error', () => undefined)
        watch.beforeDigest(async (_location, signal) => {
          signal.addEventListener('abort', () => onStopped(), { once: true })
          sending.destroy()
          await stopped
        })
        sending.end(JSON.stringify({ assets: [{ asset_id: assetId, blob_hashes: [ciphertextHash] }], deep: true }))
        await stopped
        await app.close()
      },
      { around: { blobs: watch.around } },
    )()
  })
})
