import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseAlbumId } from '@blindkeep/protocol/ids'
import { bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, newAccount } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'
import { type AlbumRequest, MAX_ALBUMS } from './albums.ts'

function request(overrides: Partial<AlbumRequest> = {}): AlbumRequest {
  return { albumId: defined(parseAlbumId(randomUUID())), sealedName: bytes(90), ...overrides }
}

describe('creating an album', () => {
  it(
    'stores the request, and answers a repeat with the album as it was created, also with another name',
    inWorld(async (world) => {
      const { albums } = world.rules
      const owner = await newAccount(world)
      for (const given of [request(), request({ sealedName: undefined })]) {
        const album = { ...given, accountId: owner, createdAt: world.clock.now() }
        assert.deepEqual(await albums.create(owner, given), { album, isRepeat: false })
        world.clock.advance(5)
        for (const sealedName of [given.sealedName, bytes(90), undefined])
          assert.deepEqual(await albums.create(owner, { ...given, sealedName }), { album, isRepeat: true })
      }
      assert.equal((await albums.list(owner)).length, 2)
    }),
  )

  it(
    'refuses another account’s id, and does not change its album',
    inWorld(async (world) => {
      const { albums } = world.rules
      const [owner, stranger] = [await newAccount(world), await newAccount(world)]
      const given = request()
      await albums.create(owner, given)
      const before = await albums.list(owner)
      for (const sealedName of [given.sealedName, bytes(90)])
        assert.deepEqual(await albums.create(stranger, { ...given, sealedName }), { refused: 'album_not_available' })
      assert.deepEqual(await albums.list(owner), before)
      assert.deepEqual(await albums.list(stranger), [])
    }),
  )

  it(
    'limits an account to 1000 albums, also with concurrent requests, and still answers repeats',
    inWorld(async (world) => {
      const { albums } = world.rules
      const owner = await newAccount(world)
      const requests = Array.from({ length: MAX_ALBUMS + 10 }, () => request())
      const answers = await Promise.all(requests.map((each) => albums.create(owner, each)))
      assert.deepEqual(
        answers.filter(isRefusal).map((answer) => answer.refused),
        Array(10).fill('limit_reached'),
      )
      const listed = await albums.list(owner)
      assert.equal(listed.length, MAX_ALBUMS)
      const { albumId } = defined(listed[0])
      assert.equal(notRefused(await albums.create(owner, request({ albumId }))).isRepeat, true)
      notRefused(await albums.create(await newAccount(world), request()))
    }),
  )
})
