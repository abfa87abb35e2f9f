import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { newAuthor, newBundle, sendUpload, uploadBody } from './assetWorld.ts'
import { json, type Reply } from './call.ts'
import { expectProtocolWindow, expectRefusedValues, MISTYPED } from './creations.ts'
import { expectAnswer, fingerprint } from './expect.ts'
import { expectNaming } from './naming.ts'
import { connect } from './server.ts'
import { asOwner, base64, type Owner, signUp } from './world.ts'

const MAX_NAME_BYTES = 4096

interface Album {
  readonly album_id: string
  readonly sealed_name?: string
  readonly created_at: string
}

const server = await connect()

const albumBody = (over: object = {}): Record<string, unknown> => ({
  album_id: randomUUID(),
  sealed_name: base64(1100),
  ...over,
})
const send = (owner: Owner, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  server.send({ method: 'POST', path: '/v1/albums', token: owner.token, json: body, headers })

const name = (owner: Owner, albumId: string, body: object): Promise<Reply> =>
  server.send({ method: 'PATCH', path: `/v1/albums/${albumId}`, token: owner.token, json: body })

async function albumsOf(owner: Owner): Promise<readonly Album[]> {
  return json<{ albums: Album[] }>(await asOwner(owner, 'GET', '/v1/albums')).albums
}

// Covers: Devices, albums and capabilities
describe('create an album', () => {
  it('answers 201 with the album, and lists the same', async () => {
    const owner = await signUp(server)
    const body = albumBody()
    const reply = await send(owner, body)
    expectAnswer(reply, '201')
    const { created_at, ...album } = json<Album>(reply)
    assert.deepEqual(album, body)
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    assert.deepEqual(await albumsOf(owner), [json(reply)])
  })

  it('does not need a name', async () => {
    const owner = await signUp(server)
    for (const body of [{ album_id: randomUUID() }, albumBody({ sealed_name: null })]) {
      const reply = await send(owner, body)
      expectAnswer(reply, '201')
      assert.ok(!('sealed_name' in json<object>(reply)))
    }
  })

  it('answers 200 to a repeat by the same account, and leaves the album unchanged', async () => {
    const owner = await signUp(server)
    const bodies = [albumBody(), albumBody({ sealed_name: null })]
    for (const body of bodies) {
      const first = await send(owner, body)
      for (const sealed_name of [body.sealed_name, base64(1100), null]) {
        const again = await send(owner, { ...body, sealed_name })
        expectAnswer(again, '200')
        assert.deepEqual(json(again), json(first))
      }
    }
    assert.equal((await albumsOf(owner)).length, bodies.length)
  })

  it('answers 403 to the id of another account’s album, and leaves that unchanged', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const body = albumBody()
    const made = json<Album>(await send(owner, body))
    for (const over of [{}, { sealed_name: null }])
      expectAnswer(await send(other, { ...body, ...over }), '403 album.not_available')
    assert.deepEqual([await albumsOf(owner), await albumsOf(other)], [[made], []])
  })

  it('answers 400 to a value of a wrong format or length', async () => {
    const owner = await signUp(server)
    const id = randomUUID()
    const values = {
      album_id: ['', 'x', id.toUpperCase(), id.replaceAll('-', ''), ` ${id}`],
      sealed_name: ['', 'AAA', '-_-_', base64(MAX_NAME_BYTES + 1)],
    }
    await expectRefusedValues((over) => send(owner, albumBody(over)), values, '400 request.malformed')
    assert.deepEqual(await albumsOf(owner), [])
    for (const bytes of [1, MAX_NAME_BYTES])
      expectAnswer(await send(owner, albumBody({ sealed_name: base64(bytes) })), '201', `${bytes} bytes`)
  })

  it('answers 422 to a missing, null or wrongly typed field', async () => {
    const owner = await signUp(server)
    const values = { album_id: MISTYPED, sealed_name: [1] }
    await expectRefusedValues((over) => send(owner, albumBody(over)), values, '422 request.unprocessable')
  })

  it('answers 400 to an unknown field', async () => {
    const owner = await signUp(server)
    const values = { name: [null], created_at: [null], amk_version: [null], '': [null] }
    await expectRefusedValues((over) => send(owner, albumBody(over)), values, '400 request.malformed')
  })

  it('answers 426 outside the protocol window, and accepts both of its ends', async () => {
    const owner = await signUp(server)
    await expectProtocolWindow((headers) => send(owner, albumBody(), headers))
  })
})

// Covers: Devices, albums and capabilities
describe('own albums', () => {
  it('are listed for their owner only, oldest first', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const bodies = Array.from({ length: 5 }, () => albumBody())
    for (const body of bodies) await send(owner, body)
    await send(other, albumBody())
    assert.deepEqual(
      (await albumsOf(owner)).map(({ album_id, sealed_name }) => ({ album_id, sealed_name })),
      bodies,
    )
  })

  it('get another name or none from their owner alone', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const album_id = randomUUID()
    const body = albumBody({ album_id })
    expectAnswer(await send(owner, body), '201')
    const sealed_name = await expectNaming(
      (given) => name(owner, album_id, given),
      async () => (await albumsOf(owner))[0]?.sealed_name,
    )
    const replies = [
      await name(other, album_id, { sealed_name: base64(80) }),
      await name(owner, randomUUID(), { sealed_name: base64(80) }),
      await name(other, album_id, {}),
      await name(owner, randomUUID(), {}),
    ]
    for (const reply of replies) expectAnswer(reply, '403 album.not_available')
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
    assert.equal(json<Album>(await send(owner, body)).sealed_name, sealed_name, 'a repeat of the creation')
  })
})

// Covers: Devices, albums and capabilities
describe('delete an album', () => {
  const remove = (owner: Owner, albumId: string) => asOwner(owner, 'DELETE', `/v1/albums/${albumId}`)

  it('answers 204 for an empty one, and is the end of it: the id is neither found nor free', async () => {
    const owner = await signUp(server)
    const body = albumBody({ album_id: randomUUID() })
    await send(owner, body)
    expectAnswer(await remove(owner, String(body.album_id)), '204')
    assert.deepEqual(await albumsOf(owner), [])
    expectAnswer(await send(owner, body), '403 album.not_available')
  })

  it('answers 409 while it has a file or an open upload, and changes nothing', async () => {
    const author = await newAuthor(server)
    const reply = await sendUpload(author, uploadBody(newBundle(author)))
    expectAnswer(await remove(author.owner, author.albumId), '409 album.not_empty')
    expectAnswer(
      await asOwner(author.owner, 'DELETE', `/v1/upload/${json<{ upload_id: string }>(reply).upload_id}`),
      '204',
    )
    expectAnswer(await remove(author.owner, author.albumId), '204')
  })

  it('answers 403 alike for an unknown album, a deleted one and another account’s', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const [kept, deleted] = [randomUUID(), randomUUID()]
    for (const album_id of [kept, deleted]) await send(owner, albumBody({ album_id }))
    await remove(owner, deleted)
    const replies = [await remove(other, kept), await remove(owner, deleted), await remove(owner, randomUUID())]
    for (const reply of replies) expectAnswer(reply, '403 album.not_available')
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
    assert.equal((await albumsOf(owner)).length, 1)
  })
})
