import assert from 'node:assert/strict'
import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { until } from '../../../../testing/until.ts'
import { readConfig } from '../config/config.ts'
import { formerUrlsFact, publicUrlIn } from '../domain/discovery/publicUrls.ts'
import { recordServerId, ServerMoved, WrongServerId } from '../domain/discovery/serverId.ts'
import { ask } from '../testing/http.ts'
import { openDouble } from '../testing/s3/world.ts'
import { USE } from '../testing/serverUse.ts'
import { sha256 } from '../testing/world.ts'
import { createApp } from './app.ts'
import { openPresentStore, openServerData } from './data.ts'

describe('a server', () => {
  it('is not ready, and says why, while its database lacks receipts that were signed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-app-'))
    const { address, credentials, close } = await openDouble()
    const { bucket, prefix, endpoint, region } = address
    const config = readConfig({
      DATA_DIR: directory,
      BLOBS_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=${region}&pathStyle=true`,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    })
    assert.ok(!('faults' in config))
    /** The answer of a server that starts now. */
    const readiness = async () => {
      const app = await createApp({ config, port: 0, ...USE })
      const answer = await ask(app.http, { url: '/readyz' })
      await app.close()
      return { status: answer.statusCode, failing: answer.json().failing }
    }
    try {
      assert.deepEqual(await readiness(), { status: 200, failing: undefined })
      const { witness, close: closeData } = await openServerData(config, USE)
      assert.ok(witness !== undefined)
      await witness.write({ life: 0, receiptSeq: 7, receiptHash: sha256(Buffer.from('a receipt')) })
      await closeData()
      const { status, failing } = await readiness()
      assert.equal(status, 503)
      assert.match(String(failing), /^The database was set back: it has no receipt, and receipt 7 was signed\. /)
    } finally {
      await close()
      await rm(directory, { recursive: true })
    }
  })

  it('notes its address when it starts, and not when it refuses to, and knows its former ones', async () => {
    const root = await mkdtemp(join(tmpdir(), 'blindkeep-app-'))
    const [directory, copy] = [join(root, 'data'), join(root, 'copy')]
    const configOf = (publicUrl: string, at = directory) => {
      const config = readConfig({ DATA_DIR: at, PUBLIC_URL: publicUrl })
      assert.ok(!('faults' in config))
      return config
    }
    const start = (publicUrl: string) => createApp({ config: configOf(publicUrl), port: 0, ...USE })
    try {
      for (const publicUrl of ['https://first.example', 'https://keep.example/blind/'])
        await (await start(publicUrl)).close()
      const { store, close } = await openServerData(configOf('https://keep.example'), USE)
      assert.equal(await store.read(publicUrlIn), 'https://keep.example/blind')
      await store.write(['server'], (tx) => recordServerId(tx, 'https://keep.example'))
      await close()
      await assert.rejects(start('https://drop.example'), WrongServerId)
      // The process that refused has the data until it ends.
      await cp(directory, copy, { recursive: true, filter: (path) => !path.includes('server.lock') })
      const again = await openServerData(configOf('https://keep.example', copy), USE)
      assert.equal(await again.store.read(publicUrlIn), 'https://keep.example/blind')
      await again.store.write(['server'], (tx) =>
        tx.server.setFact('former_urls', formerUrlsFact(['https://old.example'])),
      )
      await again.close()
      const moved = await createApp({ config: configOf('https://keep.example', copy), port: 0, ...USE })
      const gone = await ask(moved.http, { url: '/v1/version', headers: { host: 'old.example' } })
      await moved.close()
      assert.equal(gone.statusCode, 410)
    } finally {
      await rm(root, { recursive: true })
    }
  })

  it('ends when it has moved, although no request says so', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-app-'))
    const config = readConfig({ DATA_DIR: directory, PUBLIC_URL: 'https://keep.example' })
    assert.ok(!('faults' in config))
    t.mock.timers.enable({ apis: ['setInterval'] })
    const broken: Error[] = []
    const app = await createApp({ config, port: 0, ...USE, onBroken: (error) => void broken.push(error) })
    try {
      const store = await openPresentStore(config)
      await store.write(['server'], (tx) => recordServerId(tx, 'https://drop.example'))
      await store.close()
      assert.equal(broken.length, 0)
      t.mock.timers.tick(2_000)
      await until(
        async () => broken.length > 0,
        () => 'the server goes on',
      )
      assert.ok(broken[0] instanceof ServerMoved)
    } finally {
      t.mock.timers.reset()
      await app.close()
      await rm(directory, { recursive: true })
    }
  })

  it('is ready, and warns, while a directory of objects cannot be written', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-app-'))
    const config = readConfig({ DATA_DIR: directory, FREE_SPACE_FLOOR_BYTES: '0' })
    assert.ok(!('faults' in config))
    t.mock.timers.enable({ apis: ['setInterval'] })
    const app = await createApp({ config, port: 0, ...USE })
    const readiness = async () => (await ask(app.http, { url: '/readyz' })).json()
    try {
      assert.deepEqual(await readiness(), { status: 'ok' })
      const [place, away] = [join(directory, 'blobs', 'ab'), join(directory, 'blobs', 'away')]
      for (const [from, to, expected] of [
        [place, away, { status: 'ok', warnings: ['blobs_not_writable'] }],
        [away, place, { status: 'ok' }],
      ] as const) {
        await rename(from, to)
        t.mock.timers.tick(60_000)
        await until(
          async () => isDeepStrictEqual(await readiness(), expected),
          () => JSON.stringify(expected),
        )
      }
    } finally {
      t.mock.timers.reset()
      await app.close()
      await rm(directory, { recursive: true })
    }
  })
})
