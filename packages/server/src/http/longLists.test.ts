/** The longest lists: while one is read and written out, other requests are served. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { addSeconds, parseJti, parseUploadId } from '@blindkeep/protocol/ids'
import { PAGE_ROWS } from '../domain/ground/inPages.ts'
import { newAlbumOwner } from '../testing/assets.ts'
import { newLink, openDrop } from '../testing/guest.ts'
import { overHttp } from '../testing/http.ts'
import { defined, inWorld } from '../testing/world.ts'

const ROWS = 3000

/** Turns of the event loop that others had during `work`. */
async function turnsDuring<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly turns: number; readonly made: Result }> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const made = await work()
  isOver = true
  return { turns, made }
}

describe('a long list lets other requests in between', () => {
  it(
    'of unfinished uploads, its guests’ included',
    inWorld(async (world) => {
      const { accountId } = await newAlbumOwner(world)
      const uploadId = await openDrop(world, await newLink(world, {}, accountId), new Uint8Array(8))
      await world.store.write([], async (tx) => {
        const row = defined(await tx.uploads.find(uploadId))
        assert.ok(row.assetId === undefined)
        for (let count = 1; count < ROWS; count += 1)
          await tx.uploads.insert({ ...row, uploadId: defined(parseUploadId(randomUUID())) })
      })
      const { turns, made } = await turnsDuring(() => world.rules.uploads.list(accountId))
      assert.equal(made.length, ROWS)
      assert.ok(turns >= ROWS / PAGE_ROWS - 1, `${turns} turns`)
    }),
  )

  it(
    'of revoked tokens',
    inWorld(async (world) => {
      const { accountId, albumId } = await newAlbumOwner(world)
      const issuedAt = world.clock.now()
      const token = { accountId, albumId, peer: 'https://peer.example', issuedAt, expiresAt: addSeconds(issuedAt, 60) }
      await world.store.write(['server'], async (tx) => {
        for (let count = 0; count < ROWS; count += 1)
          await tx.capabilities.insert({ ...token, sessionId: undefined, jti: defined(parseJti(randomUUID())) })
        await tx.capabilities.revokeAll(issuedAt)
      })
      const url = '/.well-known/service/revoked-jti'
      const { turns, made } = await turnsDuring(() => overHttp(world).ask({ url }))
      assert.equal(made.json().revoked.length, ROWS)
      assert.ok(turns >= ROWS / PAGE_ROWS, `${turns} turns`)
    }),
  )
})
