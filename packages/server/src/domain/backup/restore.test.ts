import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { checkChain } from '@blindkeep/protocol/chain'
import { addSeconds } from '@blindkeep/protocol/ids'
import { decodeReceipt } from '@blindkeep/protocol/receipt'
import { openKeyring } from '../../adapters/keyring/keyring.ts'
import { createSnapshots } from '../../adapters/sql/copying/snapshot.ts'
import { pendingDrops } from '../../contracts/store/world.ts'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { BackupFailed } from '../../ports/backup.ts'
import type { Store } from '../../ports/store.ts'
import { type Restored, withBackups } from '../../testing/backups.ts'
import {
  accountRow,
  append,
  bytes,
  land,
  leaveFinishing,
  linkRow,
  never,
  newLink,
  openDrop,
  ownerOf,
  readObject,
  uploadRow,
} from '../../testing/guest.ts'
import { movedTo } from '../../testing/moved.ts'
import { defined, newAccount, type World } from '../../testing/world.ts'
import { openServerKeys } from '../custody/keys.ts'
import { signedChanges } from '../discovery/signedChanges.ts'
import { examine } from '../fsck/fsck.ts'
import { newCounts } from '../fsck/options.ts'
import { createVerifiers } from '../fsck/verifiers.ts'
import { isRefusal } from '../ground/refusals.ts'

const overrides = (world: World, { store, blobs, rules }: Restored): World => ({ ...world, store, blobs, rules })

describe('a restore', () => {
  it(
    'restores the bytes and rows of the backup, and unfinished uploads continue',
    withBackups(async ({ world, backUp, restore }) => {
      const link = await newLink(world)
      const [content, sent] = [bytes(300_000), bytes(50_000)]
      const landed = await land(world, link, content)
      const open = await openDrop(world, link, sent)
      await append(world, open, { offset: 0, bytes: sent.subarray(0, 20_000) })
      await backUp()
      const later = await land(world, link, bytes(10))
      const restored = overrides(world, await restore())
      assert.deepEqual(new Uint8Array(await readObject(restored, await uploadRow(restored, landed))), content)
      assert.equal(await restored.store.read((tx) => tx.uploads.find(later)), undefined)
      await append(restored, open, { offset: 20_000, bytes: sent.subarray(20_000) })
      assert.equal((await uploadRow(restored, open)).state, 'landed')
    }),
  )

  it(
    'continues the log with a new key, far above every number that may be in use',
    withBackups(async ({ world, backUp, restore }) => {
      const link = await newLink(world)
      const uploads = [await land(world, link, bytes(10))]
      await backUp()
      await land(world, link, bytes(10))
      const first = await restore()
      const floor = first.report.receiptSeqFloor
      const restored = overrides(world, first)
      uploads.push(await land(restored, link, bytes(10)), await land(restored, link, bytes(10)))
      const { rows, keys } = await restored.store.read(async (tx) => ({
        rows: await Promise.all(uploads.map(async (uploadId) => defined(await tx.receipts.ofUpload(uploadId)))),
        keys: await tx.keys.attestationKeys(),
      }))
      assert.deepEqual(
        rows.map(({ receiptSeq }) => receiptSeq),
        [1, floor + 1, floor + 2],
      )
      assert.deepEqual([keys.length, rows[0]?.keyId, rows[1]?.keyId], [2, keys[0]?.keyId, keys[1]?.keyId])
      assert.equal(
        checkChain(
          rows.map(({ receiptCbor }) => decodeReceipt(receiptCbor)),
          { whole: true },
        ),
        undefined,
      )
    }),
  )

  it(
    'keeps the names of a server that has moved, and signs its new key at the last one',
    withBackups(async (backups) => {
      await land(backups.world, await newLink(backups.world), bytes(10))
      const world = await movedTo(backups.world, 'https://drop.example.org')
      const link = await newLink(world)
      await land(world, link, bytes(10))
      await backups.backUp()
      const restored = await backups.restore()
      const { store, blobs } = restored
      const keys = await openServerKeys({ ...world, store })
      const rules = world.rulesOver({ store, staging: blobs, objects: blobs, keys }, world.settings)
      await land(overrides(world, { ...restored, rules }), link, bytes(10))
      const { moves, rotations } = await store.read(signedChanges)
      assert.deepEqual(
        [...moves, ...rotations].map(({ change }) => (change.kind === 'move' ? change.to : change.server_id)),
        ['https://drop.example.org', 'https://drop.example.org'],
      )
      const findings: unknown[] = []
      const examination = { deep: false, signal: never, counts: newCounts() }
      const ports = { store, objects: blobs, clock: world.clock, verify: createVerifiers() }
      for await (const finding of examine(ports, examination)) findings.push(finding)
      assert.deepEqual(findings, [])
    }),
  )

  it(
    'never uses a number twice: not after two restores of one backup, nor after a backup of a restored server, nor with a clock that was set back',
    withBackups(async ({ world, path, backUp, restore }) => {
      const link = await newLink(world)
      await land(world, link, bytes(10))
      await backUp()
      const seqs: number[] = []
      const live = async (restored: World) => {
        const uploadId = await land(restored, link, bytes(10))
        const row = defined(await restored.store.read((tx) => tx.receipts.ofUpload(uploadId)))
        seqs.push(row.receiptSeq)
      }
      for (const _ of [1, 2]) {
        world.clock.advance(1)
        await live(overrides(world, await restore()))
      }
      for (const seconds of [1, 1, -3600]) {
        world.clock.advance(1)
        const restored = await restore()
        world.clock.advance(seconds)
        const { store, blobs, databasePath } = restored
        await backUp({ store, objects: blobs, snapshots: createSnapshots({ databasePath, directory: path }) })
        await live(overrides(world, restored))
        await live(overrides(world, await restore()))
      }
      assert.equal(new Set(seqs).size, seqs.length)
    }),
  )

  it(
    'ends every session, and makes earlier cursors and tokens invalid',
    withBackups(async ({ world, backUp, restore }) => {
      const accountId = await newAccount(world)
      const { accessToken, refreshToken } = await world.rules.sessions.open(accountId, undefined)
      await world.store.write([], (tx) => tx.server.setFact('feed_epoch', bytes(16)))
      await backUp()
      const { rules, store } = await restore()
      assert.ok(isRefusal(await rules.sessions.authenticate(accessToken)))
      assert.ok(isRefusal(await rules.sessions.refresh(refreshToken)))
      const epochOf = (data: Store) => data.read((tx) => tx.server.fact('feed_epoch'))
      assert.notDeepEqual(await epochOf(store), await epochOf(world.store))
      const again = await rules.sessions.open(accountId, undefined)
      assert.ok(!isRefusal(await rules.sessions.authenticate(again.accessToken)))
    }),
  )

  it(
    'releases the claims of drops that were being adopted',
    withBackups(async ({ world, backUp, restore }) => {
      const link = await newLink(world)
      await land(world, link, bytes(10))
      const accountId = await ownerOf(world, link)
      const at = world.clock.now()
      const dropIn = async ({ store }: Pick<World, 'store'>) =>
        defined((await store.read((tx) => pendingDrops(tx, accountId)))[0])
      const { dropId } = await dropIn(world)
      const leasedUntil = addSeconds(at, 60)
      await world.store.write([], (tx) =>
        tx.drops.claim({ dropId, claimId: 'x', requestHash: 'y', by: 'z', at, leasedUntil }),
      )
      await backUp()
      assert.deepEqual(
        [(await dropIn(world)).leasedUntil, (await dropIn(await restore())).leasedUntil],
        [leasedUntil, undefined],
      )
    }),
  )

  it(
    'ends the sessions that ended while the backup was made',
    withBackups(async ({ world, backUp, restore }) => {
      const link = await newLink(world, { singleUse: true })
      const [open, finishing] = [await openDrop(world, link, bytes(9)), await openDrop(world, link, bytes(8))]
      await append(world, open, { offset: 0, bytes: bytes(5) })
      await leaveFinishing(world, finishing, bytes(8))
      for (const uploadId of [open, finishing]) await world.blobs.remove((await uploadRow(world, uploadId)).location)
      assert.deepEqual((await backUp()).damaged.list, [])
      const restored = overrides(world, await restore())
      assert.deepEqual(
        [(await uploadRow(restored, open)).state, (await uploadRow(restored, finishing)).state],
        ['ended', 'failed'],
      )
      const { openSessions, openBytes, claimedBy } = await linkRow(restored, link)
      assert.deepEqual([openSessions, openBytes, claimedBy], [0, 0, undefined])
      assert.equal((await accountRow(restored, await ownerOf(restored, link))).usedBytes, 0)
    }),
  )

  it(
    'leaves no database behind when the master secret is another, or the database in the backup is damaged',
    withBackups(async ({ world, path, backUp, newPlace, restore }) => {
      await land(world, await newLink(world), bytes(10))
      const { manifest } = await backUp()
      const secrets = await mkdtemp(join(tmpdir(), 'blindkeep-secret-'))
      const keyring = await openKeyring({ masterSecretFile: join(secrets, 'other'), createIfMissing: true })
      await rm(secrets, { recursive: true })
      const place = await newPlace()
      await assert.rejects(restore({ place, keyring }), /look at MASTER_SECRET_FILE/)
      await assert.rejects(
        restore({ place, keyring, isTrusted: true }),
        /the master secret in \/.+ is not the one of the server/,
      )
      await truncate(join(path, manifest.database.file), manifest.database.size - 1)
      await assert.rejects(restore({ place }), /is damaged. Take an earlier backup/)
      assert.ok(!existsSync(join(place, 'blindkeep.sqlite')) && !existsSync(join(place, 'blindkeep.sqlite.restoring')))
    }),
  )

  it(
    'overwrites no database, and refuses to write beside the log of a deleted one',
    withBackups(async ({ world, backUp, newPlace, restore }) => {
      await newAccount(world)
      await backUp()
      const place = await newPlace()
      const { databasePath } = await restore({ place })
      await assert.rejects(restore({ place }), BackupFailed)
      await rm(databasePath)
      assert.ok(existsSync(`${databasePath}-wal`))
      await assert.rejects(restore({ place }), /blindkeep.sqlite-wal already/)
    }),
  )

  it(
    'restores no object that is damaged in the backup, and reports it',
    withBackups(async ({ world, path, backUp, restore }) => {
      const link = await newLink(world)
      const uploads = [await land(world, link, bytes(1000)), await land(world, link, bytes(2000))]
      await backUp()
      const [{ location }, good] = [
        await uploadRow(world, defined(uploads[0])),
        await uploadRow(world, defined(uploads[1])),
      ]
      await truncate(join(path, 'blobs', location), 999)
      await truncate(join(path, 'blobs', location), 1000)
      const { report, store, blobs } = await restore()
      assert.deepEqual([report.damaged.list, await blobs.size(location)], [[location], undefined])
      const damagedAt = async (at: string) => (await store.read((tx) => tx.audit.object(at)))?.damagedAt
      assert.deepEqual([await damagedAt(location), await damagedAt(good.location)], [world.clock.now(), undefined])
    }),
  )

  it(
    'succeeds after an interrupted one, and keeps intact objects that are there',
    withBackups(async ({ world, path, directory, backUp, newPlace, restore }) => {
      const link = await newLink(world)
      const uploads = [await land(world, link, bytes(1000)), await land(world, link, bytes(2000))]
      await backUp()
      const place = await newPlace()
      const manifests = [await directory.manifest(), undefined]
      const changing = { ...directory, manifest: async () => manifests.shift() }
      await assert.rejects(restore({ place, directory: changing }), /another backup was made/)
      const [{ location }, second] = [
        await uploadRow(world, defined(uploads[0])),
        await uploadRow(world, defined(uploads[1])),
      ]
      await rm(join(path, 'blobs', location))
      await truncate(join(place, 'blobs', second.location), 5)
      const { report, store } = await restore({ place })
      assert.deepEqual([report.present, report.copied, report.damaged.list], [1, 1, []])
      assert.equal(await store.read(async (tx) => (await pendingDrops(tx, await ownerOf(world, link))).length), 2)
    }),
  )

  it(
    'copies from the backup what a surviving disk cannot read',
    withBackups(async ({ world, backUp, newPlace, restore }) => {
      const link = await newLink(world)
      const lost = await uploadRow(world, await land(world, link, bytes(1000)))
      const { location } = await uploadRow(world, await land(world, link, bytes(2000)))
      await backUp()
      const place = await newPlace()
      await mkdir(dirname(join(place, 'blobs', location)), { recursive: true })
      await copyFile(join(world.blobsDirectory, location), join(place, 'blobs', location))
      const { report } = await restore({
        place,
        seen: (blobs) => ({
          ...blobs,
          size: (at) => (at === lost.location ? Promise.reject(new StorageUnavailable()) : blobs.size(at)),
          async *read(at, range) {
            if (at === location) throw new StorageUnavailable()
            yield* blobs.read(at, range)
          },
        }),
      })
      assert.deepEqual([report.present, report.copied, report.damaged.list], [0, 2, []])
    }),
  )

  it(
    'believes no changed row and no trigger that were written into a backup, with the new hash',
    withBackups(async ({ world, path, backUp, newPlace, restore }) => {
      await land(world, await newLink(world), bytes(10))
      await backUp()
      await forge(path, "update accounts set email = 'mallory@example.org'")
      const place = await newPlace()
      await assert.rejects(restore({ place }), /backup.json was changed/)
      await forge(path, 'create trigger t after update on log_head begin update accounts set used_bytes = 0; end')
      await assert.rejects(restore({ place }), /backup.json was changed/)
      await assert.rejects(
        restore({ place, isTrusted: true }),
        /the database has the trigger t, which Blindkeep did not make/,
      )
      assert.ok(!existsSync(join(place, 'blindkeep.sqlite')) && !existsSync(join(place, 'blindkeep.sqlite.restoring')))
    }),
  )

  it(
    'restores a backup without a MAC at the word of the operator',
    withBackups(async ({ world, path, backUp, restore }) => {
      await land(world, await newLink(world), bytes(10))
      await backUp()
      const { mac, ...earlier } = JSON.parse(await readFile(join(path, 'backup.json'), 'utf8'))
      assert.equal(typeof mac, 'string')
      await writeFile(join(path, 'backup.json'), JSON.stringify(earlier))
      await assert.rejects(restore(), /--trust-backup/)
      assert.equal((await restore({ isTrusted: true })).report.copied, 1)
    }),
  )
})

/** What a person can do who may write to a backup: changes its database, and states the new hash in the manifest. */
async function forge(path: string, statement: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(path, 'backup.json'), 'utf8'))
  const file = join(path, manifest.database.file)
  const database = new DatabaseSync(file)
  database.exec(statement)
  database.close()
  const content = await readFile(file)
  manifest.database = {
    ...manifest.database,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  }
  await writeFile(join(path, 'backup.json'), JSON.stringify(manifest))
}
