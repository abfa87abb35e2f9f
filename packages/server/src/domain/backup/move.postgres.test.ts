import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { checkChain } from '@blindkeep/protocol/chain'
import type { UploadId } from '@blindkeep/protocol/ids'
import { decodeReceipt } from '@blindkeep/protocol/receipt'
import { openBackupDirectory } from '../../adapters/filesystem/backupDirectory.ts'
import { openFilesystemBlobs } from '../../adapters/filesystem/blobs.ts'
import { openS3 } from '../../adapters/s3/store.ts'
import { createMovingDatabase, type RowsTarget, refuseMoved } from '../../adapters/sql/copying/movingDatabase.ts'
import { createPostgresSnapshots } from '../../adapters/sql/copying/snapshot.ts'
import { openPostgresStore } from '../../adapters/sql/postgres/store.ts'
import { openSqliteStore } from '../../adapters/sql/sqlite/store.ts'
import type { MovingDatabase } from '../../ports/move.ts'
import type { Objects } from '../../ports/objects.ts'
import type { PartIndex } from '../../ports/parts.ts'
import type { Staging } from '../../ports/staging.ts'
import type { Store } from '../../ports/store.ts'
import { type Backups, withBackups } from '../../testing/backups.ts'
import { append, bytes, land, leaveFinishing, newLink, openDrop, uploadRow } from '../../testing/guest.ts'
import { movedTo } from '../../testing/moved.ts'
import { inOwnDatabase } from '../../testing/postgresStores.ts'
import { openDouble } from '../../testing/s3/world.ts'
import { defined, type World } from '../../testing/world.ts'
import { openServerKeys, rotateAttestationKey } from '../custody/keys.ts'
import { formerUrls, publicUrlIn } from '../discovery/publicUrls.ts'
import { settleSettings } from '../discovery/sharedSettings.ts'
import { signedChanges } from '../discovery/signedChanges.ts'
import { examine } from '../fsck/fsck.ts'
import { newCounts } from '../fsck/options.ts'
import { createVerifiers } from '../fsck/verifiers.ts'
import { move } from './move.ts'

interface Place {
  readonly staging: Staging
  readonly objects: Objects
  readonly close: () => Promise<void>
}

async function filesAt(directory: string): Promise<Place> {
  const blobs = await openFilesystemBlobs({ directory, createIfMissing: true })
  return { staging: blobs, objects: blobs, close: blobs.close }
}

/** An index that looks into the copy during the move and into the database after it. */
function createIndex() {
  let current: PartIndex['partsOf'] = async () => []
  return {
    partsOf: (location: string) => current(location),
    use(partsOf: PartIndex['partsOf']) {
      current = partsOf
    },
  }
}

const partsIn =
  (store: Store): PartIndex['partsOf'] =>
  (location) =>
    store.read((tx) => tx.parts.keptOf(location.slice(68) as UploadId))

interface Moving extends Backups {
  readonly url: string
  readonly directoryOf: (name: string) => string
  /** Called for each test's resources. */
  readonly keep: <Resource extends { readonly close: () => Promise<void> }>(resource: Resource) => Resource
}

const whileMoving = (work: (moving: Moving) => Promise<void>) =>
  withBackups((backups) =>
    inOwnDatabase(async ({ url }) => {
      const root = await mkdtemp(join(tmpdir(), 'blindkeep-move-'))
      const kept: { readonly close: () => Promise<void> }[] = []
      try {
        const keep: Moving['keep'] = (resource) => {
          kept.unshift(resource)
          return resource
        }
        await work({ ...backups, url, directoryOf: (name) => join(root, name), keep })
      } finally {
        for (const each of kept) await each.close()
        await rm(root, { recursive: true })
      }
    }, 'template0')(),
  )

/** Uploads in every state. */
async function fill(world: World) {
  const link = await newLink(world)
  const contents = [bytes(300_000), bytes(7)]
  const landed: UploadId[] = []
  for (const content of contents) landed.push(await land(world, link, content))
  const sent = bytes(50_000)
  const open = await openDrop(world, link, sent)
  await append(world, open, { offset: 0, bytes: sent.subarray(0, 20_000) })
  const whole = bytes(999)
  const finishing = await openDrop(world, link, whole)
  await leaveFinishing(world, finishing, whole)
  await openDrop(world, link, bytes(5))
  return { link, contents, landed, open, sent, finishing, whole }
}

function databaseOf({ world }: Backups, to: RowsTarget): MovingDatabase & { close(): void } {
  return createMovingDatabase({ path: defined(world.databasePath), to, note: 'This server was moved to there.' })
}

const moveTo = ({ world }: Backups, database: MovingDatabase, to: Omit<Place, 'close'> & { partBytes?: number }) =>
  move({ ...world, database, from: world.objects, to, quota: world.rules.quota, onProgress: () => undefined })

async function over(
  world: World,
  data: Pick<Place, 'staging' | 'objects'> & { readonly store: Store },
): Promise<World> {
  const keys = await openServerKeys({ ...world, ...data })
  return { ...world, ...data, rules: world.rulesOver({ ...data, keys }, world.settings) }
}

async function faultsOf({ store, objects, clock }: Pick<World, 'store' | 'objects' | 'clock'>) {
  const found: string[] = []
  const examination = { deep: true, signal: new AbortController().signal, counts: newCounts() }
  for await (const { kind, what } of examine({ store, objects, clock, verify: createVerifiers() }, examination))
    found.push(`${kind}: ${what}`)
  return found
}

async function readAll({ objects }: Pick<World, 'objects'>, { location, size }: { location: string; size: number }) {
  const pieces: Uint8Array[] = []
  for await (const piece of objects.read(location, { start: 0, end: size })) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function assertHolds(world: World, uploadId: UploadId, content: Uint8Array): Promise<void> {
  const upload = await uploadRow(world, uploadId)
  assert.ok((await readAll(world, upload)).equals(content), `${uploadId} has other bytes`)
}

const chainOf = (store: Store) =>
  store.read(async (tx) => (await tx.audit.receipts(0, 100)).map(({ row }) => decodeReceipt(row.receiptCbor)))

/** What the server notes of its names, and signed of its keys. */
const namesOf = (store: Store) =>
  store.read(async (tx) => ({
    former: await formerUrls(tx),
    publicUrl: await publicUrlIn(tx),
    ...(await signedChanges(tx)),
  }))

describe('a move of a server', () => {
  it(
    'to PostgreSQL and an object store, and back by a backup, keeps every byte and the chain',
    whileMoving(async (moving) => {
      const { url, directoryOf, keep } = moving
      const { link, contents, landed, open, sent, finishing, whole } = await fill(moving.world)
      // The server has had another name, and another key under it.
      await rotateAttestationKey(moving.world)
      const world = await movedTo(moving.world, 'https://drop.example.org')
      contents.push(bytes(11))
      landed.push(await land(world, link, defined(contents[2])))
      const double = keep(await openDouble())
      const index = createIndex()
      const s3 = keep(await openS3({ ...double, spoolDirectory: directoryOf('spool'), index, createIfMissing: true }))
      await settleSettings(world.store, { QUOTA_HARD_BYTES: 1 }, { isSole: true })
      const database = databaseOf(moving, { kind: 'postgres', url })
      index.use(database.parts.partsOf)
      const report = await moveTo(moving, database, { ...s3, partBytes: 120_000 })
      assert.deepEqual([report.objects, report.damaged.list], [{ files: 5, bytes: 320_000 + 7 + 999 + 11 }, []])

      const store = keep(await openPostgresStore({ url }))
      index.use(partsIn(store))
      // No other node is there whose settings it had to have.
      await settleSettings(store, { QUOTA_HARD_BYTES: 2 }, { isSole: false })
      const there = await over(world, { ...s3, store })
      assert.equal((await partsIn(store)((await uploadRow(there, defined(landed[0]))).location)).length, 3)
      for (const [at, uploadId] of landed.entries()) await assertHolds(there, uploadId, defined(contents[at]))
      assert.deepEqual(await chainOf(store), await chainOf(world.store))
      const names = await namesOf(world.store)
      assert.deepEqual([names.former, names.moves.length, names.rotations.length], [['https://keep.example/*'], 1, 1])
      assert.deepEqual(await namesOf(store), names)
      assert.deepEqual(await faultsOf(there), [])
      await there.rules.finishing.resume()
      assert.equal((await uploadRow(there, finishing)).state, 'landed')

      const path = directoryOf('backup')
      const directory = await openBackupDirectory({ path, apart: [], mayBeMissing: true })
      const snapshots = createPostgresSnapshots({ url, directory: path })
      const { objects } = there
      assert.deepEqual((await moving.backUp({ store, objects, snapshots, directory })).damaged.list, [])
      const restored = await moving.restore({ directory })
      const back = await over(world, { staging: restored.blobs, objects: restored.blobs, store: restored.store })
      for (const [uploadId, content] of [
        ...landed.map((id, at) => [id, defined(contents[at])] as const),
        [finishing, whole],
      ] as const)
        await assertHolds(back, uploadId, content)
      const chain = await chainOf(back.store)
      const moves = [{ from: 'https://keep.example', to: 'https://drop.example.org', lastReceiptSeq: 2 }]
      assert.deepEqual([chain.length, checkChain(chain, { whole: true, moves })], [4, undefined])
      assert.deepEqual(chain, await chainOf(store))
      const { former, publicUrl, moves: moved } = await namesOf(back.store)
      assert.deepEqual(
        { former, publicUrl, moved },
        { former: names.former, publicUrl: names.publicUrl, moved: names.moves },
      )
      assert.deepEqual(await faultsOf(back), [])
      await append(back, open, { offset: 20_000, bytes: sent.subarray(20_000) })
      await assertHolds(back, open, sent)
      await land(back, link, bytes(12))
    }),
  )

  it(
    'goes on after it died at any call, and at no point two places let a server start',
    whileMoving(async (moving) => {
      const { world, url, directoryOf, keep } = moving
      const { contents, landed } = await fill(world)
      const path = defined(world.databasePath)
      const place = keep(await filesAt(directoryOf('blobs')))
      const starts = async () => {
        const isHere = await Promise.resolve(path)
          .then(refuseMoved)
          .then(
            () => true,
            () => false,
          )
        const isThere = await openPostgresStore({ url, schema: 'asItIs' }).then(
          async (store) => {
            const head = await store.read((tx) => tx.receipts.head())
            await store.close()
            return head !== undefined
          },
          () => false,
        )
        return { isHere, isThere }
      }
      let isDone = false
      for (let last = 0; !isDone; last++) {
        const database = databaseOf(moving, { kind: 'postgres', url })
        const dying = dyingAfter(last)
        try {
          await moveTo(moving, dying.over(database), dying.over(place))
          isDone = true
        } catch (error) {
          assert.match(String(error), /died/)
          const { isHere, isThere } = await starts()
          assert.ok(!(isHere && isThere), 'both places let a server start')
          assert.ok(!isHere)
        } finally {
          database.close()
        }
        assert.ok(last < 60)
      }
      assert.deepEqual(await starts(), { isHere: false, isThere: true })
      assert.ok(!existsSync(`${path}.moving`))
      assert.throws(() => databaseOf(moving, { kind: 'postgres', url }), /This server was moved to there\./)
      const there = await over(world, { ...place, store: keep(await openPostgresStore({ url })) })
      for (const [at, uploadId] of landed.entries()) await assertHolds(there, uploadId, defined(contents[at]))
      assert.deepEqual(await faultsOf(there), [])
    }),
  )

  it(
    'to another place than the one to which it began is refused, with the first place in the error',
    whileMoving(async (moving) => {
      const { world, directoryOf } = moving
      const path = defined(world.databasePath)
      const to = { kind: 'sqlite', path: directoryOf('there.sqlite') } as const
      const first = createMovingDatabase({ path, to, note: 'It was moved to the first place.' })
      await first.begin()
      first.close()
      assert.throws(() => createMovingDatabase({ path, to, note: 'It was moved to the second.' }), /to the first place/)
      createMovingDatabase({ path, to, note: 'It was moved to the first place.' }).close()
      await rm(`${path}.moving`)
      createMovingDatabase({ path, to, note: 'It was moved to the second.' }).close()
    }),
  )

  it(
    'reports what was damaged before, brings the rest, and refuses a target with rows',
    whileMoving(async (moving) => {
      const { world, url, directoryOf, keep } = moving
      const { landed, contents } = await fill(world)
      const [lost, good] = [defined(landed[0]), defined(landed[1])]
      const { location } = await uploadRow(world, lost)
      await truncate(join(world.blobsDirectory, location), 299_999)
      const place = keep(await filesAt(directoryOf('blobs')))
      const to = { kind: 'sqlite', path: directoryOf('there.sqlite') } as const
      const database = databaseOf(moving, to)
      const report = await moveTo(moving, database, place)
      database.close()
      assert.deepEqual(report.damaged.list, [location])
      const there = await over(world, { ...place, store: keep(await openSqliteStore({ path: to.path, asItIs: true })) })
      await assertHolds(there, good, defined(contents[1]))
      assert.deepEqual(
        (await faultsOf(there)).map((fault) => fault.split(':')[0]),
        ['file_missing'],
      )

      await rm(`${defined(world.databasePath)}.moved`)
      await assert.rejects(moveTo(moving, databaseOf(moving, to), place), /nothing is replaced/)
      const store = await openPostgresStore({ url })
      await store.write(['server'], (tx) => tx.server.setFact('server_id', bytes(3)))
      await store.close()
      await assert.rejects(moveTo(moving, databaseOf(moving, { kind: 'postgres', url }), place), /has rows already/)
      refuseMoved(defined(world.databasePath))
    }),
  )
})

/** Lets `last` calls pass with their effects, and ends the process after the next, before its caller learns. */
function dyingAfter(last: number) {
  let calls = 0
  const isCounted = (name: string) => ['begin', 'done', 'fill', 'finish', 'write', 'settle'].includes(name)
  function over<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get(of, name, receiver) {
        const found: unknown = Reflect.get(of, name, receiver)
        if (name === 'staging' && typeof found === 'object' && found !== null) return over(found)
        if (typeof found !== 'function' || !isCounted(String(name))) return found
        return (...args: unknown[]) => {
          if (calls > last) throw new Error('died')
          const outcome: unknown = found.apply(of, args)
          calls += 1
          if (calls <= last) return outcome
          if (!(outcome instanceof Promise)) throw new Error('died')
          return outcome.then(() => {
            throw new Error('died')
          })
        }
      },
    })
  }
  return { over }
}
