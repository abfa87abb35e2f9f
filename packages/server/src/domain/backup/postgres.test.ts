import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { checkChain } from '@blindkeep/protocol/chain'
import { decodeReceipt } from '@blindkeep/protocol/receipt'
import { openBackupDirectory } from '../../adapters/filesystem/backupDirectory.ts'
import { type FilesystemBlobs, openFilesystemBlobs } from '../../adapters/filesystem/blobs.ts'
import { createRestoredPostgres } from '../../adapters/sql/copying/restoredDatabase.ts'
import { createPostgresSnapshots } from '../../adapters/sql/copying/snapshot.ts'
import { openPostgresStore } from '../../adapters/sql/postgres/store.ts'
import { BackupFailed, type RestoredDatabase } from '../../ports/backup.ts'
import type { Store } from '../../ports/store.ts'
import { type Backups, withBackups } from '../../testing/backups.ts'
import { append, bytes, land, newLink, openDrop, readObject, uploadRow } from '../../testing/guest.ts'
import { inOwnDatabase, setFact } from '../../testing/postgresStores.ts'
import type { World } from '../../testing/world.ts'
import { openServerKeys } from '../custody/keys.ts'
import { examine } from '../fsck/fsck.ts'
import { newCounts } from '../fsck/options.ts'
import { createVerifiers } from '../fsck/verifiers.ts'
import { restore } from './restore.ts'

/** A test with backups and an empty PostgreSQL database without tables. */
const withPostgres = (work: (backups: Backups, url: string, open: () => Promise<Store>) => Promise<void>) => () =>
  withBackups((backups) =>
    inOwnDatabase(async ({ url, open }) => {
      await work(backups, url, open)
      for (const blobs of opened.splice(0)) await blobs.close()
    }, 'template0')(),
  )()

const opened: FilesystemBlobs[] = []

interface Target {
  readonly database: RestoredDatabase
  readonly blobs: FilesystemBlobs
  readonly temporary: string
}

async function targetOf({ newPlace }: Backups, url: string): Promise<Target> {
  const place = await newPlace()
  const path = join(place, 'received.sqlite')
  const blobs = await openFilesystemBlobs({ directory: join(place, 'blobs'), createIfMissing: true })
  opened.push(blobs)
  return { database: await createRestoredPostgres({ url, path }), blobs, temporary: `${path}.restoring` }
}

const restoreTo = ({ world, directory }: Backups, { database, blobs }: Target) =>
  restore(
    { ...world, directory, database, ...bytesOf(blobs), quota: world.rules.quota, onProgress: () => undefined },
    { isTrusted: false },
  )

/** The world over other data, as after a start of the server there. */
async function over(
  world: World,
  { store, blobs }: { readonly store: Store; readonly blobs: FilesystemBlobs },
): Promise<World> {
  const data = { store, ...bytesOf(blobs) }
  const keys = await openServerKeys({ ...world, ...data })
  return { ...world, ...data, blobs, rules: world.rulesOver({ ...data, keys }) }
}

const bytesOf = (blobs: FilesystemBlobs) => ({ staging: blobs, objects: blobs })

async function faultsOf({ store, objects, clock }: Pick<World, 'store' | 'objects' | 'clock'>) {
  const found: string[] = []
  const examination = { deep: true, signal: new AbortController().signal, counts: newCounts() }
  for await (const { kind, what } of examine({ store, objects, clock, verify: createVerifiers() }, examination))
    found.push(`${kind}: ${what}`)
  return found
}

const chainOf = (store: Store) =>
  store.read(async (tx) => (await tx.audit.receipts(0, 100)).map(({ row }) => decodeReceipt(row.receiptCbor)))

describe('a restore into PostgreSQL, and a backup of it', () => {
  it(
    'restore the same bytes, rows and chain, there and back',
    withPostgres(async (backups, url, open) => {
      const { world, backUp } = backups
      const link = await newLink(world)
      const [content, sent] = [bytes(300_000), bytes(50_000)]
      const landed = await land(world, link, content)
      const started = await openDrop(world, link, sent)
      await append(world, started, { offset: 0, bytes: sent.subarray(0, 20_000) })
      await backUp()

      const target = await targetOf(backups, url)
      const report = await restoreTo(backups, target)
      assert.ok(!existsSync(target.temporary))
      const there = await over(world, { store: await open(), blobs: target.blobs })
      assert.deepEqual(new Uint8Array(await readObject(there, await uploadRow(there, landed))), content)
      await append(there, started, { offset: 20_000, bytes: sent.subarray(20_000) })
      const later = await land(there, link, bytes(77))
      assert.deepEqual(await faultsOf(there), [])

      const path = join(await backups.newPlace(), 'backup')
      const directory = await openBackupDirectory({ path, apart: [], mayBeMissing: true })
      const snapshots = createPostgresSnapshots({ url, directory: path })
      const { store, objects } = there
      world.clock.advance(1)
      await backUp({ store, objects, snapshots, directory })
      world.clock.advance(1)
      assert.equal((await backUp({ store, objects, snapshots, directory })).copied.files, 0)

      const back = await over(world, await backups.restore({ directory }))
      assert.deepEqual(new Uint8Array(await readObject(back, await uploadRow(back, started))), sent)
      assert.equal((await uploadRow(back, later)).state, 'landed')
      await land(back, link, bytes(78))
      assert.deepEqual(await faultsOf(back), [])
      const chain = await chainOf(back.store)
      assert.deepEqual([chain.length, checkChain(chain, { whole: true })], [4, undefined])
      assert.deepEqual(chain.slice(0, 3), await chainOf(there.store))
      assert.ok((chain[3]?.payload.receipt_seq ?? 0) > report.receiptSeqFloor)
    }),
  )

  it(
    'leave no server to start on half of it: until its end the database refuses to open, and an empty one is left after a failure',
    withPostgres(async (backups, url, open) => {
      const { world, backUp } = backups
      const uploadId = await land(world, await newLink(world), bytes(10))
      await backUp()
      const target = await targetOf(backups, url)
      const refusal = /A restore or a move into this database was interrupted/
      let isRefused = false
      const database: RestoredDatabase = {
        ...target.database,
        async putInPlace() {
          await assert.rejects(openPostgresStore({ url }), refusal)
          isRefused = true
          throw new Error('killed')
        },
        // As in a killed process.
        discard: async () => undefined,
      }
      await assert.rejects(restoreTo(backups, { ...target, database }), /killed/)
      assert.ok(isRefused && existsSync(target.temporary))
      await assert.rejects(openPostgresStore({ url }), refusal)
      const failing = { ...target.database, putInPlace: () => Promise.reject(new Error('failed')) }
      await assert.rejects(restoreTo(backups, { ...target, database: failing }), /failed/)
      const empty = await open()
      assert.equal(await empty.read((tx) => tx.uploads.find(uploadId)), undefined)
      await restoreTo(backups, await targetOf(backups, url))
      assert.equal((await empty.read((tx) => tx.uploads.find(uploadId)))?.state, 'landed')
    }),
  )

  it(
    'replace nothing: a database with rows is refused, also when the rows came meanwhile',
    withPostgres(async (backups, url, open) => {
      const { world, backUp } = backups
      await land(world, await newLink(world), bytes(10))
      await backUp()
      const store = await open()
      const target = await targetOf(backups, url)
      await setFact(store)
      const isRefused = (error: unknown) => error instanceof BackupFailed && /server_facts/.test(error.message)
      await assert.rejects(restoreTo(backups, target), isRefused)
      await assert.rejects(targetOf(backups, url), isRefused)
      assert.equal(await store.read((tx) => tx.receipts.head()), undefined)
    }),
  )
})
