import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { openSqliteStore } from '../adapters/sql/sqlite/store.ts'
import { StoreBroken } from '../ports/store.ts'
import { createFaults } from '../testing/faults.ts'
import { overHttp, said } from '../testing/http.ts'
import { inWorld } from '../testing/world.ts'

const url = '/.well-known/service/revoked-jti'
const UNAVAILABLE = '503 federation.revocations_unavailable'

describe('a list of revoked tokens that cannot be read', () => {
  it('is never served empty: 503 while its table is missing, 200 when it is back', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-revocations-'))
    const path = join(directory, 'blindkeep.sqlite')
    const store = await openSqliteStore({ path })
    const beside = new DatabaseSync(path)
    try {
      await inWorld(
        async (world) => {
          const web = overHttp(world)
          assert.equal(said(await web.ask({ url })), '200')
          beside.exec('alter table capabilities rename to elsewhere')
          world.clock.advance(1)
          for (const method of ['GET', 'HEAD'] as const) {
            const reply = await web.ask({ url, method })
            assert.equal(reply.statusCode, 503)
            assert.equal(reply.headers['cache-control'], 'no-store')
          }
          assert.equal(said(await web.ask({ url })), UNAVAILABLE)
          assert.deepEqual(web.broken, [])
          beside.exec('alter table elsewhere rename to capabilities')
          assert.deepEqual((await web.ask({ url })).json().revoked, [])
        },
        { around: { store: () => store } },
      )()
    } finally {
      beside.close()
      await store.close()
      await rm(directory, { recursive: true })
    }
  })

  it('answers 503 for any failure, and a broken store still ends the process', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const web = overHttp(world)
        faults.arm('storeRead', { times: 1 })
        assert.equal(said(await web.ask({ url })), UNAVAILABLE)
        assert.deepEqual(web.broken, [])
        faults.arm('storeRead', { times: 1, error: new StoreBroken('a test broke it') })
        assert.equal(said(await web.ask({ url })), UNAVAILABLE)
        assert.equal(web.broken.length, 1)
        faults.arm('storeRead', { times: 1 })
        assert.equal(said(await web.ask({ url: '/.well-known/service/attestation-keys' })), '500 storage.unavailable')
      },
      { around: faults.around },
    )()
  })
})
