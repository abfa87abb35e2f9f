import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseAlbumId } from '@blindkeep/protocol/ids'
import { admitted, bytes } from '../../testing/guest.ts'
import { inWorld, known, newAccount } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'
import { type AlbumRequest, MAX_ALBUMS } from './albums.ts'

function request(over: Partial<AlbumRequest> = {}): AlbumRequest {
  return { albumId: known(parseAlbumId(randomUUID())), sealedName: bytes(90), ...over }
}

describe('creating an album', () => {
  it(
    'stops at a thousand albums of an account, also at once, and still answers repeats',
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
      const { albumId } = known(listed[0])
      assert.equal(admitted(await albums.create(owner, request({ albumId }))).isRepeat, true)
      admitted(await albums.create(await newAccount(world), request()))
    }),
  )
})
