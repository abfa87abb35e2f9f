import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { InjectOptions } from 'light-my-request'
import { blobRow, openBlob } from '../testing/assetSessions.ts'
import { newAlbumOwner } from '../testing/assets.ts'
import { bytes, leaveFinishing, newLink, openDrop, uploadRow } from '../testing/guest.ts'
import { chunkOf, overHttp, said } from '../testing/http.ts'
import { provedBody } from '../testing/provedBody.ts'
import { inWorld, type World } from '../testing/world.ts'

const FILE = bytes(100)

const suspend = ({ store, clock }: World, accountId: AccountId) =>
  store.write([], (tx) => tx.accounts.setSuspended(accountId, clock.now()))
const resume = ({ store }: World, accountId: AccountId) =>
  store.write([], (tx) => tx.accounts.setSuspended(accountId, undefined))

describe('a suspended account', () => {
  it(
    'signs in, stays signed in, and can read its state',
    inWorld(async (world) => {
      const { ask } = overHttp(world)
      const { serverId } = world.settings
      const seed = bytes(32)
      const prove = (operation: 'register' | 'login') =>
        provedBody(ask, { operation, serverId, seed }, { email: 'owner@example.org' })
      const post = (path: string, payload: object) => ask({ method: 'POST', url: path, payload })
      const { account_id: accountId } = (await post('/v1/auth/register', await prove('register'))).json()
      await suspend(world, accountId)
      const login = await post('/v1/auth/login', await prove('login'))
      const refreshed = await post('/v1/auth/refresh', { refresh_token: login.json().refresh_token })
      assert.deepEqual([said(login), said(refreshed)], ['200', '200'])
      const authorization = `Bearer ${refreshed.json().access_token}`
      const account = await ask({ method: 'GET', url: '/v1/account', headers: { authorization } })
      assert.equal(account.json().state, 'suspended')
    }),
  )

  it(
    'gets 403 for a chunk of its own, and continues where it stopped after it is resumed',
    inWorld(async (world) => {
      const { ask, signIn } = overHttp(world)
      const albumOwner = await newAlbumOwner(world)
      const uploadId = await openBlob(world, albumOwner, FILE)
      const { authorization } = await signIn(albumOwner.accountId)
      const send = (from: number, to: number) => {
        const chunk = chunkOf({ opaqueId: '', uploadId }, FILE.subarray(from, to), { 'x-service-offset': String(from) })
        return ask({ ...chunk, url: `/v1/upload/${uploadId}`, headers: { ...chunk.headers, authorization } })
      }
      assert.equal(said(await send(0, 40)), '204')
      await suspend(world, albumOwner.accountId)
      assert.equal(said(await send(40, 100)), '403 account.suspended')
      const state = await ask({ method: 'HEAD', url: `/v1/upload/${uploadId}`, headers: { authorization } })
      assert.equal(state.headers['x-service-offset'], '40')
      await resume(world, albumOwner.accountId)
      assert.equal(said(await send(40, 100)), '204')
    }),
  )

  it(
    'is refused writes that were running when it was suspended: requests, chunks, and chunks of its guests',
    inWorld(async (world) => {
      const { ask, signIn } = overHttp(world)
      const albumOwner = await newAlbumOwner(world)
      const { authorization } = await signIn(albumOwner.accountId)
      const opaqueId = await newLink(world, {}, albumOwner.accountId)
      const [own, guests] = [await openBlob(world, albumOwner, FILE), await openDrop(world, opaqueId, FILE)]
      const headers = { authorization, 'content-type': 'application/json' }
      const album = Buffer.from(JSON.stringify({ album_id: randomUUID() }))
      const chunk = chunkOf({ opaqueId, uploadId: guests }, FILE)
      const requests: readonly [InjectOptions, Uint8Array, string][] = [
        [{ method: 'POST', url: '/v1/albums', headers }, album, '403 account.suspended'],
        [
          { ...chunk, url: `/v1/upload/${own}`, headers: { ...chunk.headers, authorization } },
          FILE,
          '403 account.suspended',
        ],
        [chunk, FILE, '404 upload.session_not_found'],
      ]
      for (const [request, body, expected] of requests) {
        const suspending = () => suspend(world, albumOwner.accountId)
        assert.equal(said(await ask({ ...request, payload: interrupted(body, suspending) })), expected)
        await resume(world, albumOwner.accountId)
      }
      assert.deepEqual((await world.rules.albums.list(albumOwner.accountId)).length, 1)
      assert.deepEqual(
        [(await blobRow(world, own)).receivedBytes, (await uploadRow(world, guests)).receivedBytes],
        [0, 0],
      )
      assert.equal(said(await ask(chunk)), '204')
    }),
  )
})

/** A body in two halves; `between` runs after the first half was sent. */
function interrupted(body: Uint8Array, between: () => Promise<unknown>): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from(body.subarray(0, 10))
      await between()
      yield Buffer.from(body.subarray(10))
    })(),
    { objectMode: false },
  )
}

describe('to guests, a suspended owner', () => {
  it(
    'still gets a file that was complete: a finishing session lands',
    inWorld(async (world) => {
      const { ask } = overHttp(world)
      const opaqueId = await newLink(world)
      const [open, uploadId] = [await openDrop(world, opaqueId, FILE), await openDrop(world, opaqueId, FILE)]
      await leaveFinishing(world, uploadId, FILE)
      await suspend(world, (await uploadRow(world, open)).accountId)
      assert.equal(said(await ask(chunkOf({ opaqueId, uploadId }, FILE))), '204')
      assert.equal((await uploadRow(world, uploadId)).state, 'landed')
      assert.equal((await uploadRow(world, open)).state, 'open')
    }),
  )
})
