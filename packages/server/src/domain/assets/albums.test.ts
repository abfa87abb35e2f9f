import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseAlbumId } from '@blindkeep/protocol/ids'
import { bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, newAccount } from '../../testing/world.ts'
import { BOUNDS } from '../bounds.ts'
import { isRefusal } from '../refusals.ts'
import type { AlbumRequest } from './albums.ts'

function request(overrides: Partial<AlbumRequest> = {}): AlbumRequest {
  return { albumId: defined(parseAlbumId(randomUUID())), sealedName: bytes(90), ...overrides }
}

describe('creating an album', () => {
  it(
    'limits an account to 1000 albums, also with concurrent requests, and still answers repeats',
    inWorld(async (world) => {
      const { albums } = world.rules
      const owner = await newAccount(world)
      const requests = Array.from({ length: BOUNDS.albums + 10 }, () => request())
      const answers = await Promise.all(requests.map((each) => albums.create(owner, each)))
      assert.deepEqual(
        answers.filter(isRefusal).map((answer) => answer.refused),
        Array(10).fill('limit_reached'),
      )
      const listed = await albums.list(owner)
      assert.equal(listed.length, BOUNDS.albums)
      const { albumId } = defined(listed[0])
      assert.equal(notRefused(await albums.create(owner, request({ albumId }))).isRepeat, true)
      notRefused(await albums.create(await newAccount(world), request()))
    }),
  )
})
