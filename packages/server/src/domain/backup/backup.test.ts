import assert from 'node:assert/strict'
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { UploadId } from '@blindkeep/protocol/ids'
import { createSnapshots } from '../../adapters/sql/copying/snapshot.ts'
import { pendingDrops } from '../../contracts/store/world.ts'
import { ObjectUnreadable, StorageForbidden, StorageUnavailable } from '../../ground/storageErrors.ts'
import { type BackupDirectory, BackupFailed } from '../../ports/backup.ts'
import type { Objects } from '../../ports/objects.ts'
import { withBackups } from '../../testing/backups.ts'
import {
  append,
  bytes,
  land,
  leaveFinishing,
  never,
  newLink,
  openDrop,
  ownerOf,
  uploadRow,
} from '../../testing/guest.ts'
import { movedTo } from '../../testing/moved.ts'
import { suspectedIn } from '../../testing/verify.ts'
import { defined, type World } from '../../testing/world.ts'
import { collectorPausedUntil } from '../custody/collect.ts'
import { rotateAttestationKey } from '../custody/keys.ts'
import { lastBackupAt } from '../ground/lastBackup.ts'

const whole = { faults: [], strays: [] }
const DAY = 86_400

async function fileOf(world: World, uploadId: UploadId): Promise<string> {
  return join(world.blobsDirectory, (await uploadRow(world, uploadId)).location)
}

async function dropOf(world: World, uploadId: UploadId) {
  const { accountId } = await uploadRow(world, uploadId)
  const pending = await world.store.read((tx) => pendingDrops(tx, accountId))
  return defined(pending.find((drop) => drop.uploadId === uploadId))
}

function refused(): never {
  throw new BackupFailed('the directory of the backup answered EIO')
}

/** A directory that counts its calls, and fails after `last` of them. */
function breaking(directory: BackupDirectory, last: number): { readonly directory: BackupDirectory; calls(): number } {
  let calls = 0
  const counted = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    calls += 1
    if (calls > last) throw new BackupFailed('the directory of the backup is full')
    return await work()
  }
  return {
    calls: () => calls,
    directory: {
      ...directory,
      size: (name) => counted(() => directory.size(name)),
      add: (name, body) => counted(() => directory.add(name, body)),
      replaceManifest: (text) => counted(() => directory.replaceManifest(text)),
      remove: (name) => counted(() => directory.remove(name)),
    },
  }
}

describe('a backup', () => {
  it(
    'holds every object that its rows name, the recorded bytes of unfinished ones, and copies none twice',
    withBackups(async ({ world, backUp, faults }) => {
      const link = await newLink(world)
      await land(world, link, bytes(300_000))
      await land(world, link, bytes(7))
      const open = await openDrop(world, link, bytes(50_000))
      await append(world, open, { offset: 0, bytes: bytes(20_000) })
      const content = bytes(999)
      await leaveFinishing(world, await openDrop(world, link, content), content)
      await openDrop(world, link, bytes(5))
      const first = await backUp()
      assert.deepEqual(first.copied, { files: 4, bytes: 300_000 + 7 + 20_000 + 999 })
      assert.deepEqual(first.manifest.counts, { ...first.manifest.counts, drops: 2, receipts: 2, objects: 4 })
      assert.deepEqual(await faults(), whole)

      world.clock.advance(1)
      const second = await backUp()
      assert.deepEqual([second.copied.files, second.present, second.removedFiles], [0, first.copied, 1])
      assert.deepEqual(await faults(), whole)
    }),
  )

  it(
    'copies new objects, and removes those that the rows no longer name',
    withBackups(async ({ world, backUp, faults }) => {
      const { rules, clock } = world
      const link = await newLink(world)
      const goes = await land(world, link, bytes(1000))
      await land(world, link, bytes(2000))
      const open = await openDrop(world, link, bytes(50_000))
      await append(world, open, { offset: 0, bytes: bytes(20_000) })
      await backUp()
      await rules.inbox.discard(await ownerOf(world, link), (await dropOf(world, goes)).dropId)
      await rules.sweep.sweep()
      clock.advance(2 * DAY)
      await rules.sweep.sweep()
      await land(world, link, bytes(3000))
      const { copied, present, removedFiles } = await backUp()
      // Removed: the discarded drop, the expired session, the last database.
      assert.deepEqual([copied.bytes, present.bytes, removedFiles], [3000, 2000, 3])
      assert.deepEqual(await faults(), whole)
    }),
  )

  it(
    'reports missing and damaged objects by the ids that their owners know, and copies the others',
    withBackups(async ({ world, backUp, restore }) => {
      const link = await newLink(world)
      const [lost, cut, good] = [
        await land(world, link, bytes(3000)),
        await land(world, link, bytes(4000)),
        await land(world, link, bytes(5000)),
      ]
      await rm(await fileOf(world, lost))
      await truncate(await fileOf(world, cut), 3999)
      // Without an owner, so the report does not name it.
      const orphaned = await land(world, link, bytes(6000))
      await world.rules.inbox.discard(await ownerOf(world, link), (await dropOf(world, orphaned)).dropId)
      await rm(await fileOf(world, orphaned))
      const { damaged, copied, manifest } = await backUp()
      assert.equal(damaged.list.length, 2)
      const faults = new Map(damaged.list.map(({ dropId, what, size }) => [dropId, `${what} ${size}`]))
      const dropIds = [(await dropOf(world, lost)).dropId, (await dropOf(world, cut)).dropId]
      assert.deepEqual(
        dropIds.map((dropId) => faults.get(dropId)),
        ['missing 3000', 'damaged 4000'],
      )
      const seen = async () => {
        const due = { at: world.clock.now(), mostSeconds: 0, max: 9 }
        const suspected = await world.store.read((tx) => tx.objects.listSuspected(due))
        const backedUpAt = await world.store.read(lastBackupAt)
        return { suspected: suspected.map(({ size }) => size).toSorted(), backedUpAt }
      }
      assert.deepEqual(await seen(), { suspected: [3000, 4000], backedUpAt: undefined })
      assert.deepEqual([copied, manifest.counts.objects], [{ files: 1, bytes: 5000 }, 1])

      const { report, store } = await restore()
      assert.equal(report.damaged.list.length, 2)
      const damagedAt = async (uploadId: UploadId) => {
        const { location, ciphertextHash } = await uploadRow(world, uploadId)
        return (await store.read((tx) => tx.objects.statusOf(location, ciphertextHash)))?.damagedAt
      }
      assert.deepEqual([await damagedAt(lost), await damagedAt(good)], [world.clock.now(), undefined])

      await world.rules.scrub.again(never)
      world.clock.advance(1)
      assert.deepEqual(
        [(await backUp()).isComplete, await seen()],
        [true, { suspected: [], backedUpAt: world.clock.now() }],
      )
    }),
  )

  it(
    'says of an object that cannot be read why, copies the others, and suspects it only if the disk does not give it',
    withBackups(async ({ world, backUp }) => {
      const link = await newLink(world)
      const unread = await land(world, link, bytes(3000))
      await land(world, link, bytes(5000))
      const { location } = await uploadRow(world, unread)
      let error = new StorageUnavailable('timed out')
      let meanwhile: () => Promise<void> = async () => undefined
      const objects: Objects = {
        ...world.blobs,
        async *read(wanted, range) {
          if (wanted === location) {
            await meanwhile()
            throw error
          }
          yield* world.blobs.read(wanted, range)
        },
      }
      const said = async () => {
        const { damaged, isComplete } = await backUp({ objects })
        world.clock.advance(1)
        const [found] = damaged.list
        assert.deepEqual([damaged.list.length, found?.dropId], [1, (await dropOf(world, unread)).dropId])
        return [found?.what, found?.reason, isComplete, (await suspectedIn(world)).length]
      }
      assert.deepEqual(await said(), ['unreadable', 'timed out', false, 0])
      // To the user of the command, perhaps not to the server’s.
      error = new StorageForbidden('ask the owner of the file')
      assert.deepEqual(await said(), ['unreadable', 'ask the owner of the file', false, 0])
      error = new ObjectUnreadable('EIO')
      assert.deepEqual(await said(), ['unreadable', 'EIO', false, 1])
      await world.store.write([], (tx) => tx.objects.noteUnread(location, world.clock.now()))
      assert.deepEqual(await said(), ['unreadable', 'EIO', true, 1])
      // Perhaps its store would give it now.
      error = new StorageUnavailable('timed out')
      assert.deepEqual(await said(), ['unreadable', 'timed out', false, 1])
      error = new StorageForbidden('ask the owner of the file')
      assert.deepEqual(await said(), ['unreadable', 'ask the owner of the file', true, 1])
      meanwhile = async () => {
        world.clock.advance(1)
        await world.store.write([], (tx) => tx.objects.markDamaged(location, world.clock.now()))
      }
      assert.deepEqual(await said(), ['unreadable', 'ask the owner of the file', false, 0])
      assert.deepEqual(await said(), ['unreadable', 'ask the owner of the file', true, 0])
      assert.equal((await backUp()).present.bytes, 5000)
    }),
  )

  it(
    'keeps its intact copy of an object that is damaged now; with a check it finds and repairs its own damage',
    withBackups(async ({ world, path, directory, backUp, faults }) => {
      const link = await newLink(world)
      const damaged = await land(world, link, bytes(1000))
      const other = await land(world, link, bytes(2000))
      await backUp()
      await truncate(await fileOf(world, damaged), 1)
      world.clock.advance(1)
      assert.deepEqual((await backUp()).damaged.list, [])
      assert.deepEqual(await faults(), whole)

      const { location } = await uploadRow(world, other)
      await truncate(join(path, 'blobs', location), 1)
      await truncate(join(path, 'blobs', location), 2000)
      world.clock.advance(1)
      const { copied, present } = await backUp({}, true)
      assert.deepEqual([copied.bytes, present.bytes], [2000, 1000])
      assert.deepEqual(await faults(), whole)

      // A disk that cannot read what it wrote.
      world.clock.advance(1)
      const failing: BackupDirectory = {
        ...directory,
        async *read(name) {
          if (name === `blobs/${location}`) refused()
          yield* directory.read(name)
        },
      }
      assert.deepEqual((await backUp({ directory: failing }, true)).copied.bytes, 2000)
    }),
  )

  it(
    'leaves no database of a failed or killed run, and never overwrites an earlier one',
    withBackups(async ({ world, path, backUp, faults }) => {
      const uploadId = await land(world, await newLink(world), bytes(10))
      const { manifest } = await backUp()
      await assert.rejects(backUp(), /the instant of the backup in the directory/)
      const databases = async () => (await readdir(path)).filter((name) => name.includes('sqlite'))
      assert.deepEqual(await databases(), [manifest.database.file])
      for (const name of ['20200101T000000000Z.sqlite', '20200101T000000000Z.sqlite-journal'])
        await writeFile(join(path, name), 'x')
      world.clock.advance(1)
      const objects: Objects = { ...world.objects, check: refused, read: refused }
      await rm(join(path, 'blobs', (await uploadRow(world, uploadId)).location))
      await assert.rejects(backUp({ objects }), BackupFailed)
      assert.deepEqual(await databases(), [manifest.database.file])
      assert.equal((await backUp()).removedFiles, 1)
      assert.deepEqual(await faults(), whole)
    }),
  )

  it(
    'refuses a location that the server did not make, and names it',
    withBackups(async ({ world, path, backUp }) => {
      await land(world, await newLink(world), bytes(10))
      const location = 'zz/../../x'
      await world.store.write([], (tx) =>
        tx.objects.insert({ location, size: 1, state: 'kept', since: world.clock.now() }),
      )
      await assert.rejects(backUp(), /zz\/\.\.\/\.\.\/x/)
      assert.deepEqual(
        (await readdir(path)).filter((name) => name.includes('sqlite')),
        [],
      )
    }),
  )

  it(
    'leaves the last one whole wherever it fails, and the next run succeeds',
    withBackups(async ({ world, directory, backUp, faults }) => {
      const link = await newLink(world)
      const first = await land(world, link, bytes(1000))
      await backUp()
      await world.rules.inbox.discard(await ownerOf(world, link), (await dropOf(world, first)).dropId)
      await world.rules.sweep.sweep()
      world.clock.advance(2 * DAY)
      await world.rules.sweep.sweep()
      await land(world, link, bytes(2000))
      const before = await directory.manifest()
      let isNew = false
      for (let last = 0; !isNew; last++) {
        world.clock.advance(1)
        const broken = breaking(directory, last)
        await backUp({ directory: broken.directory }).then(
          () => assert.fail('a broken backup succeeded'),
          (error: unknown) => assert.ok(error instanceof BackupFailed),
        )
        assert.ok(last < 20 && broken.calls() > last)
        assert.deepEqual((await faults()).faults, [])
        isNew = (await directory.manifest()) !== before
        // The leftovers do not grow with each failed run.
        assert.ok((await directory.databases()).length <= 2)
      }
      world.clock.advance(1)
      assert.deepEqual((await backUp()).copied.files, 0)
      assert.deepEqual(await faults(), whole)
    }),
  )

  it(
    'pauses the collector before it reads the rows, renews the pause, and resumes it in the end',
    withBackups(async ({ world, backUp }) => {
      const { store, clock } = world
      const pausedFor = async () => ((await store.read(collectorPausedUntil)) ?? clock.now()) - clock.now()
      await land(world, await newLink(world), bytes(10))
      let renew = (): void => assert.fail('the pause was never renewed')
      const seen: number[] = []
      const objects: Objects = {
        ...world.objects,
        async *read(location, range) {
          seen.push(await pausedFor())
          clock.advance(100)
          renew()
          await store.write([], async () => undefined)
          seen.push(await pausedFor())
          yield* world.objects.read(location, range)
        },
      }
      let isStopped = false
      await backUp({
        objects,
        repeat: (seconds, work) => {
          assert.ok(seconds <= 100)
          renew = work
          return () => {
            isStopped = true
          }
        },
      })
      assert.deepEqual(seen, [300_000, 300_000])
      assert.ok(isStopped && (await pausedFor()) <= 0)
    }),
  )

  it(
    'goes on in its directory after a move, and then refuses what was restored from before the move',
    withBackups(async ({ world, path, backUp, restore }) => {
      await land(world, await newLink(world), bytes(10))
      await backUp()
      const { store, blobs, databasePath } = await restore()
      await movedTo(world, 'https://drop.example.org')
      world.clock.advance(1)
      await backUp()
      const snapshots = createSnapshots({ databasePath, directory: path })
      await assert.rejects(
        backUp({ store, objects: blobs, snapshots }),
        /of https:\/\/drop\.example\.org, to which this server has not moved/,
      )
      world.clock.advance(1)
      await backUp()
    }),
  )

  it(
    'goes on in its directory after the key of a server without accounts was replaced, if the backup is its own',
    withBackups(async ({ world, path, backUp, faults }) => {
      await backUp()
      await rotateAttestationKey(world)
      world.clock.advance(1)
      const manifest = join(path, 'backup.json')
      const text = await readFile(manifest, 'utf8')
      await writeFile(manifest, text.replace('"objects": 0', '"objects": 1'))
      await assert.rejects(backUp(), /of another server, without receipts/)
      await writeFile(manifest, text)
      await backUp()
      assert.deepEqual(await faults(), whole)
    }),
  )

  it(
    'refuses the directory of another server, and a later backup than the one that was restored',
    withBackups(async ({ world, path, directory, backUp, restore, faults }) => {
      const link = await newLink(world)
      await land(world, link, bytes(10))
      await backUp()
      const { store, blobs, databasePath } = await restore()
      await land(world, link, bytes(10))
      world.clock.advance(1)
      await backUp()
      const snapshots = createSnapshots({ databasePath, directory: path })
      await assert.rejects(backUp({ store, objects: blobs, snapshots }), /restored from an earlier backup/)
      await withBackups((others) => assert.rejects(others.backUp({ directory }), /of another server/))()
      assert.deepEqual(await faults(), whole)
    }),
  )
})
