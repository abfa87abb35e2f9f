import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import type { AccountId, OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { InjectOptions } from 'light-my-request'
import { blobRow, openBlob } from '../testing/assetSessions.ts'
import { newAlbumOwner } from '../testing/assets.ts'
import { append, bytes, land, leaveFinishing, newLink, notRefused, openDrop, uploadRow } from '../testing/guest.ts'
import { chunkOf, declarationOf, overHttp, said, type Web } from '../testing/http.ts'
import { inWorld, newOpaqueId, type World } from '../testing/world.ts'

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
      const credentials = { email: 'owner@example.org', password: 'a secret of twelve or more' }
      const post = (path: string, payload: object) => ask({ method: 'POST', url: path, payload })
      const { account_id: accountId } = (await post('/v1/auth/register', credentials)).json()
      await suspend(world, accountId)
      const login = await post('/v1/auth/login', credentials)
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
    'gets, byte for byte, the answers of an unknown link and of a revoked one',
    inWorld(async (world) => {
      const web = overHttp(world)
      const [suspended, revoked] = [await sender(world), await sender(world)]
      await suspend(world, suspended.accountId)
      await world.rules.links.revoke(revoked.accountId, revoked.opaqueId)
      const unknown = { ...suspended, opaqueId: newOpaqueId() }
      const [first, ...others] = await Promise.all([suspended, revoked, unknown].map((each) => answersTo(web, each)))
      for (const answers of others) assert.deepEqual(answers, first)
      assert.ok(first?.every((answer) => answer.startsWith('404')))
      const landed = await Promise.all([suspended, revoked].map((each) => landedTo(web, each)))
      assert.deepEqual(landed[0], landed[1])
      assert.deepEqual(landed[0], ['200', '204', '409 upload.session_closed', '200'])
    }),
  )

  it(
    'still gets a file that was complete: a finishing session lands',
    inWorld(async (world) => {
      const { ask } = overHttp(world)
      const { accountId, opaqueId, open } = await sender(world)
      const uploadId = await openDrop(world, opaqueId, FILE)
      await leaveFinishing(world, uploadId, FILE)
      await suspend(world, accountId)
      assert.equal(said(await ask(chunkOf({ opaqueId, uploadId }, FILE))), '204')
      assert.equal((await uploadRow(world, uploadId)).state, 'landed')
      assert.equal((await uploadRow(world, open)).state, 'open')
    }),
  )
})

interface Sender {
  readonly accountId: AccountId
  readonly opaqueId: OpaqueId
  /** Has 40 bytes of `FILE`. */
  readonly open: UploadId
  readonly landed: UploadId
}

async function sender(world: World): Promise<Sender> {
  const opaqueId = await newLink(world)
  const landed = await land(world, opaqueId, FILE)
  const open = await openDrop(world, opaqueId, FILE)
  notRefused(await append(world, open, { offset: 0, bytes: FILE.subarray(0, 40) }))
  const { accountId } = await uploadRow(world, open)
  return { accountId, opaqueId, open, landed }
}

/** All answers to a guest with the link and the id of an open session, except time and request id. */
async function answersTo({ ask }: Web, { opaqueId, open }: Sender): Promise<readonly string[]> {
  const link = `/d/${opaqueId}`
  const session = `${link}/${open}`
  const headers = { 'content-type': 'application/json' }
  const requests: readonly InjectOptions[] = [
    { method: 'GET', url: link },
    { method: 'POST', url: link, headers, payload: declarationOf(FILE) },
    { method: 'POST', url: link, headers, payload: declarationOf(FILE, { size: 2 ** 50 }) },
    chunkOf({ opaqueId, uploadId: open }, FILE.subarray(0, 40)),
    chunkOf({ opaqueId, uploadId: open }, FILE.subarray(40), { 'x-service-offset': '40' }),
    { method: 'HEAD', url: session },
    { method: 'DELETE', url: session },
    { method: 'GET', url: `${session}/receipt` },
  ]
  const answers: string[] = []
  for (const request of requests) {
    const { statusCode, headers: given, body } = await ask(request)
    const { date: _date, 'x-request-id': requestId, ...rest } = given
    answers.push(`${statusCode} ${JSON.stringify(rest)} ${body.replace(String(requestId), '')}`)
  }
  return answers
}

/** All answers about a landed session: its state, a repeat of its last chunk, a cancel, its receipt. */
async function landedTo({ ask }: Web, { opaqueId, landed }: Sender): Promise<readonly string[]> {
  const session = `/d/${opaqueId}/${landed}`
  return [
    said(await ask({ method: 'HEAD', url: session })),
    said(await ask(chunkOf({ opaqueId, uploadId: landed }, FILE))),
    said(await ask({ method: 'DELETE', url: session })),
    said(await ask({ method: 'GET', url: `${session}/receipt` })),
  ]
}
