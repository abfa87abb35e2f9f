import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { request as send } from 'node:http'
import { describe, it } from 'node:test'
import { formatInstant } from '@blindkeep/protocol/ids'
import { parse } from '@blindkeep/protocol/parse'
import { MAX_ASSETS, MAX_HASHES, StorageVerifyResponse } from '@blindkeep/protocol/schemas/verify'
import { type AlbumOwner, newAlbumOwner, newAssetId } from '../testing/assets.ts'
import { createFaults } from '../testing/faults.ts'
import { bytes } from '../testing/guest.ts'
import { listen, overHttp, said } from '../testing/http.ts'
import { fileOf, keep, strange, watchBlobs } from '../testing/verify.ts'
import { inWorld, type World, type WorldOptions } from '../testing/world.ts'

interface Parts {
  readonly world: World
  readonly albumOwner: AlbumOwner
  readonly verify: (payload: unknown) => ReturnType<ReturnType<typeof overHttp>['ask']>
}

/** A signed-in owner who asks. */
function signedIn(work: (parts: Parts) => Promise<void>, options: WorldOptions = {}): () => Promise<void> {
  return inWorld(async (world) => {
    const albumOwner = await newAlbumOwner(world)
    const { ask, signIn } = overHttp(world, { requestBytesMax: 1_048_576 })
    const { authorization } = await signIn(albumOwner.accountId)
    const verify: Parts['verify'] = (payload) =>
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
  it(
    'answers in the order of the request, in the shape of the specification',
    signedIn(async ({ world, albumOwner, verify }) => {
      const [good, lost] = [await keep(world, albumOwner, bytes(10)), await keep(world, albumOwner, bytes(10))]
      await rm(fileOf(world, lost))
      const none = strange()
      const assets = [
        { asset_id: lost.assetId, blob_hashes: [lost.ciphertextHash] },
        { asset_id: good.assetId, blob_hashes: [good.ciphertextHash] },
        { asset_id: good.assetId, blob_hashes: [none, good.ciphertextHash] },
      ]
      const held = { role: 'original', stored: true, indexed: true, retrievable: true }
      const checked_at = formatInstant(world.clock.now())
      const answer = (deep: object) => ({
        verdicts: [
          {
            asset_id: lost.assetId,
            durable: false,
            blobs: [{ hash: lost.ciphertextHash, ...held, stored: false, retrievable: false }],
            checked_at,
          },
          {
            asset_id: good.assetId,
            durable: true,
            blobs: [{ hash: good.ciphertextHash, ...held, ...deep }],
            checked_at,
          },
          {
            asset_id: good.assetId,
            durable: false,
            blobs: [
              { hash: none, role: 'unknown', stored: false, indexed: false, retrievable: false },
              { hash: good.ciphertextHash, ...held, ...deep },
            ],
            checked_at,
          },
        ],
      })
      for (const deep of [{}, { deep: false }, { deep: null }]) {
        const reply = await verify({ assets, ...deep })
        assert.equal(reply.statusCode, 200)
        assert.equal(reply.headers['cache-control'], 'no-store')
        assert.deepEqual(reply.json(), answer({}))
      }
      const deeply = (await verify({ assets, deep: true })).json()
      assert.deepEqual(deeply, answer({ deep: 'intact' }))
      assert.equal(parse(StorageVerifyResponse, deeply).fault, undefined)
    }),
  )

  it(
    'accepts the declared numbers of assets and hashes, also repeated ones, and answers each',
    signedIn(async ({ world, albumOwner, verify }) => {
      const { assetId, ciphertextHash } = await keep(world, albumOwner, bytes(10))
      const asset = { asset_id: assetId, blob_hashes: Array.from({ length: MAX_HASHES }, () => ciphertextHash) }
      const reply = await verify({ assets: Array.from({ length: MAX_ASSETS }, () => asset) })
      const { verdicts } = reply.json()
      assert.equal(verdicts.length, MAX_ASSETS)
      for (const { durable, blobs } of verdicts) assert.deepEqual([durable, blobs.length], [true, MAX_HASHES])
    }),
  )

  it(
    'refuses malformed requests',
    signedIn(async ({ verify }) => {
      const payload = { assets: [{ asset_id: newAssetId(), blob_hashes: [null] }] }
      assert.equal(said(await verify(payload)), '422 request.unprocessable')
    }),
  )

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

  it('stops reading when the client disconnects', { timeout: 10_000 }, async () => {
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
