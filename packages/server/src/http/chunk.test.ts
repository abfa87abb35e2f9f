import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InjectOptions } from 'light-my-request'
import type { ReadTx, Store } from '../ports/store.ts'
import { openBlob } from '../testing/assetSessions.ts'
import { newAlbumOwner } from '../testing/assets.ts'
import { bytes, newLink, openDrop } from '../testing/guest.ts'
import { chunkOf, overHttp, said } from '../testing/http.ts'
import { withUploads } from '../testing/withUploads.ts'
import { inWorld, type World } from '../testing/world.ts'

const FILE = bytes(100)
const first = FILE.subarray(0, 40)

/** Counts how often requests read an upload session outside a write transaction. */
function createReadCounter() {
  let reads = 0
  let beforeBytes: number | undefined
  const counting = (tx: ReadTx): ReadTx =>
    withUploads(tx, {
      find(uploadId) {
        reads += 1
        return tx.uploads.find(uploadId)
      },
      findAt(uploadId, offset) {
        reads += 1
        return tx.uploads.findAt(uploadId, offset)
      },
    })
  return {
    around: {
      store: (real: Store): Store => ({
        ...real,
        read: (work) => real.read((tx) => work(counting(tx))),
        ask: (work) => real.ask((tx) => work(counting(tx))),
      }),
      blobs: (real: World['blobs']): World['blobs'] => ({
        ...real,
        write(location, request) {
          beforeBytes ??= reads
          return real.write(location, request)
        },
      }),
    },
    /** The reads of one request before its first byte was written, or all its reads when none was. */
    async of(request: () => Promise<unknown>): Promise<number> {
      reads = 0
      beforeBytes = undefined
      await request()
      return beforeBytes ?? reads
    },
  }
}

describe('a chunk’s request', () => {
  const counter = createReadCounter()
  it(
    'reads its session once',
    inWorld(
      async (world) => {
        const { ask, signIn } = overHttp(world)
        const albumOwner = await newAlbumOwner(world)
        const opaqueId = await newLink(world)
        const guests = chunkOf({ opaqueId, uploadId: await openDrop(world, opaqueId, FILE) }, first)
        const { authorization } = await signIn(albumOwner.accountId)
        const url = `/v1/upload/${await openBlob(world, albumOwner, FILE)}`
        const own = { ...guests, url, headers: { ...guests.headers, authorization } }
        const expect = async (answer: string, reads: number, request: InjectOptions) => {
          const counted = await counter.of(async () => assert.equal(said(await ask(request)), answer))
          assert.equal(counted, reads, answer)
        }
        for (const chunk of [guests, own]) {
          const at = (offset: string) => ({ ...chunk, headers: { ...chunk.headers, 'x-service-offset': offset } })
          await expect('400 upload.missing_offset', 1, at('no number'))
          await expect('409 upload.offset_mismatch', 1, at('1'))
          await expect('204', 1, at('0'))
          await expect('204', 1, at('0'))
        }
      },
      { around: counter.around },
    ),
  )
})
