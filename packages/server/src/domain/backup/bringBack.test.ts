import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { openBackupDirectory } from '../../adapters/filesystem/backupDirectory.ts'
import { openFilesystemBlobs } from '../../adapters/filesystem/blobs.ts'
import { StorageForbidden, StorageUnavailable } from '../../ground/storageErrors.ts'
import type { KeyedBytes } from '../../ports/keyedBytes.ts'
import { type AlbumOwner, landBlob, newAlbumOwner, newAssetId } from '../../testing/assets.ts'
import { append, bytes, land, never, newLink, openDrop, ownerOf, readObject, uploadRow } from '../../testing/guest.ts'
import { inKeyedWorld } from '../../testing/keyedWorld.ts'
import { createMortal } from '../../testing/mortal.ts'
import { askOne, saidOf, verifyOver } from '../../testing/verify.ts'
import { type Bytes, defined, inWorld, sha256, type World, type WorldOptions } from '../../testing/world.ts'
import { locationOf, partsOf } from '../ground/location.ts'
import { nameOf } from './backupManifest.ts'
import { type Brought, createBringing } from './bringBack.ts'

const MEBIBYTE = 1024 * 1024
const WHOLE = 'durable stored indexed retrievable original'
const BACK = (size: number): Brought => ({ outcome: 'brought_back', bytes: size })

type Damage = 'flipped' | 'cut' | 'missing'

/** A world with a backup of single objects, and what damages its bytes behind its back. */
interface Place {
  readonly world: World
  /** The backup. */
  readonly path: string
  /** Puts these bytes into the backup as those of the object. */
  backUp(location: string, content: Uint8Array): Promise<void>
  damage(location: string, how: Damage): Promise<void>
  /** Everything that is stored for the object, as text. */
  stored(location: string): Promise<string>
  bringing(changes?: object, floorBytes?: number): ReturnType<typeof createBringing>
  bringBack(location: string): Promise<Brought>
}

type Bringing = Parameters<typeof createBringing>[0]

async function placeOf(world: World, given: Partial<Bringing> & Pick<Place, 'damage' | 'stored'>) {
  const root = await mkdtemp(join(tmpdir(), 'blindkeep-bringing-'))
  const path = join(root, 'backup')
  const directory = await openBackupDirectory({ path, apart: [], mayBeMissing: true })
  await directory.create()
  await writeFile(join(path, 'backup.json'), '{}')
  const { damage, stored, ...ports } = given
  const bringing: Place['bringing'] = (changes = {}, freeSpaceFloorBytes = 0) =>
    createBringing(
      { ...world, directory, repeat: () => () => undefined, ...ports, ...changes },
      { ...world.settings, freeSpaceFloorBytes },
    )
  const place: Place = {
    world,
    path,
    damage,
    stored,
    bringing,
    async backUp(location, content) {
      const name = nameOf({ location, bytes: content.length, isWhole: true })
      await directory.add(name, piecesOf(content))
    },
    bringBack: (location) => bringing().bringBack(location),
  }
  return { place, close: () => rm(root, { recursive: true }) }
}

async function* piecesOf(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content
}

function inFiles(work: (place: Place) => Promise<void>, options?: WorldOptions) {
  return inWorld(async (world) => {
    // As another process beside the server.
    const blobs = await openFilesystemBlobs({
      directory: world.blobsDirectory,
      createIfMissing: false,
      asItIs: true,
    })
    const fileOf = (location: string) => join(world.blobsDirectory, location)
    const { place, close } = await placeOf(world, {
      replacing: blobs.replacing,
      async damage(location, how) {
        const content = await readFile(fileOf(location))
        content.writeUInt8(content.readUInt8(3) ^ 1, 3)
        if (how === 'flipped') await writeFile(fileOf(location), content)
        else if (how === 'cut') await truncate(fileOf(location), 7)
        else await rm(fileOf(location))
      },
      async stored(location) {
        const names = await readdir(dirname(fileOf(location)))
        const own = names.filter((name) => location.includes(name.slice(0, 64))).toSorted()
        const contents = await Promise.all(own.map((name) => readFile(join(dirname(fileOf(location)), name), 'hex')))
        return [...own, ...contents].join()
      },
    })
    try {
      await work(place)
    } finally {
      await blobs.close()
      await close()
    }
  }, options)
}

function inBucket(work: (place: Place) => Promise<void>, options?: WorldOptions) {
  return inKeyedWorld(async (world, { real, keysOf }) => {
    const keptOf = (location: string) => world.store.read((tx) => tx.parts.keptOf(partsOf(location).uploadId))
    const { place, close } = await placeOf(world, {
      keyedBytes: options?.around?.keyedBytes?.(real.keyedBytes) ?? real.keyedBytes,
      async damage(location, how) {
        const { key, offset, length } = defined((await keptOf(location)).at(-1))
        if (how === 'missing') return real.keyedBytes.remove(key)
        const content = Buffer.from(await bytesAt(real.keyedBytes, key))
        content.writeUInt8(content.readUInt8(3) ^ 1, 3)
        const body = piecesOf(how === 'flipped' ? content : content.subarray(0, length - 1))
        await real.write({ location, key, offset }, { body, signal: never, onBytes: () => undefined })
      },
      async stored(location) {
        const kept = (await keptOf(location)).map(({ key }) => key)
        const keys = await keysOf(partsOf(location).uploadId)
        const contents = await Promise.all(keys.map(async (key) => sha256(await bytesAt(real.keyedBytes, key))))
        return [kept, keys, contents].join()
      },
    })
    await work(place).finally(close)
  }, options)
}

async function bytesAt(keyedBytes: KeyedBytes, key: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  const end = (await keyedBytes.size(key)) ?? 0
  if (end > 0) for await (const piece of keyedBytes.read(key, { start: 0, end })) pieces.push(piece)
  return Buffer.concat(pieces)
}

const STORES = { files: inFiles, bucket: inBucket }

interface Kept {
  readonly owner: AlbumOwner
  readonly location: string
  readonly content: Uint8Array
  said(): Promise<string>
  damagedAt(): Promise<number | undefined>
}

/** An owner's file. */
async function keep(world: World, size = 3000): Promise<Kept> {
  const owner = await newAlbumOwner(world)
  const [content, assetId] = [bytes(size), newAssetId()]
  const uploadId = await landBlob(world, owner, content, { assetId })
  const ciphertextHash = sha256(content)
  const location = locationOf(ciphertextHash, uploadId)
  return {
    owner,
    location,
    content,
    said: async () => saidOf(await askOne(verifyOver(world), owner.accountId, { assetId, ciphertextHash })),
    damagedAt: async () => (await world.store.read((tx) => tx.objects.statusOf(location, ciphertextHash)))?.damagedAt,
  }
}

const isNot = (brought: Brought, why: RegExp) => {
  assert.equal(brought.outcome, 'not')
  assert.match(brought.outcome === 'not' ? brought.why : '', why)
}

for (const [store, inStore] of Object.entries(STORES))
  describe(`bringing an object back to ${store === 'files' ? 'a directory' : 'a bucket'}`, () => {
    for (const how of ['flipped', 'cut', 'missing'] as const)
      it(
        `makes its bytes right where they are ${how}, and storage verification says yes again`,
        inStore(async ({ world, backUp, damage, bringBack }) => {
          const kept = await keep(world)
          await backUp(kept.location, kept.content)
          await damage(kept.location, how)
          world.clock.advance(1)
          await world.rules.scrub.all(never, () => undefined)
          assert.notEqual(await kept.said(), WHOLE)
          assert.deepEqual(await bringBack(kept.location), BACK(3000))
          assert.deepEqual([await kept.said(), await kept.damagedAt()], [WHOLE, undefined])
          const digest = await world.objects.digest(kept.location, 3000, never)
          assert.deepEqual(digest, { sha256: sha256(kept.content), size: 3000 })
          assert.deepEqual(await bringBack(kept.location), { outcome: 'is_intact' })
        }),
      )

    it(
      'leaves an intact object as it is, and takes a mark from it that a wrong reading has left',
      inStore(async ({ world, backUp, stored, bringBack }) => {
        const kept = await keep(world)
        await backUp(kept.location, kept.content)
        const before = await stored(kept.location)
        await world.store.write([], (tx) => tx.objects.markDamaged(kept.location, world.clock.now()))
        assert.deepEqual(await bringBack(kept.location), { outcome: 'is_intact' })
        assert.deepEqual([await stored(kept.location), await kept.said()], [before, WHOLE])
      }),
    )

    it(
      'removes no mark before the right bytes are durable, as of a killed run',
      inStore(async ({ world, bringing, bringBack }) => {
        const kept = await keep(world)
        await world.store.write([], (tx) => tx.objects.markDamaged(kept.location, world.clock.now()))
        const settle = () => Promise.reject(new StorageUnavailable('a test broke it'))
        const staging = { ...world.staging, settle }
        isNot(await bringing({ staging }).bringBack(kept.location), /a test broke it/)
        assert.notEqual(await kept.damagedAt(), undefined)
        assert.deepEqual(await bringBack(kept.location), { outcome: 'is_intact' })
      }),
    )

    it(
      'changes nothing when the backup lacks the object, or has other bytes in its place',
      inStore(async ({ world, backUp, damage, stored, bringBack }) => {
        const kept = await keep(world)
        await damage(kept.location, 'flipped')
        const before = await stored(kept.location)
        isNot(await bringBack(kept.location), /does not have it/)
        for (const wrong of [bytes(3000), bytes(2999), bytes(3001)]) {
          await backUp(kept.location, wrong)
          isNot(await bringBack(kept.location), /other bytes in its place/)
          // The server empties the keys in a bucket that do not count.
          for (const _ of [1, 2]) {
            world.clock.advance(2 * 86_400)
            await world.rules.sweep.removeDeleting()
          }
          assert.equal(await stored(kept.location), before)
        }
      }),
    )

    it(
      'says so when the backup cannot be read there, or is away as a whole by now',
      inStore(async ({ world, path, backUp, damage, bringBack }) => {
        const kept = await keep(world)
        await damage(kept.location, 'missing')
        const folder = dirname(join(path, nameOf({ location: kept.location, bytes: 3000, isWhole: true })))
        await backUp(kept.location, kept.content)
        await rm(folder, { recursive: true })
        await writeFile(folder, 'no directory')
        isNot(await bringBack(kept.location), /the backup cannot be read: .* answered ENOTDIR$/)
        await rm(folder)
        await rm(join(path, 'backup.json'))
        isNot(await bringBack(kept.location), /the backup cannot be read: .*no finished backup/)
      }),
    )

    it(
      'only says what it would do, if it only looks',
      inStore(async ({ world, backUp, damage, stored, bringing }) => {
        const kept = await keep(world)
        const { look } = bringing()
        assert.deepEqual(await look(kept.location), { outcome: 'is_intact' })
        await damage(kept.location, 'cut')
        const before = await stored(kept.location)
        isNot(await look(kept.location), /does not have it/)
        await backUp(kept.location, bytes(3000))
        isNot(await look(kept.location), /other bytes in its place/)
        await backUp(kept.location, kept.content)
        assert.deepEqual(await look(kept.location), BACK(3000))
        assert.deepEqual([await stored(kept.location), await kept.damagedAt()], [before, undefined])
      }),
    )

    it(
      'leaves unfinished uploads and what the collector removes alone, and brings back what is in the bin',
      inStore(async ({ world, backUp, damage, bringBack }) => {
        const link = await newLink(world)
        const content = bytes(500)
        const open = await uploadRow(world, await openDrop(world, link, content))
        isNot(await bringBack(open.location), /unfinished upload/)
        assert.deepEqual(await bringBack(locationOf(sha256(bytes(1)), open.uploadId)), { outcome: 'is_gone' })

        const { location } = await uploadRow(world, await land(world, link, content))
        await backUp(location, content)
        const accountId = await ownerOf(world, link)
        const { dropId } = defined((await world.rules.inbox.list(accountId))[0])
        await world.rules.inbox.discard(accountId, dropId)
        await damage(location, 'missing')
        assert.deepEqual(await bringBack(location), BACK(500))
        await world.rules.sweep.sweep()
        world.clock.advance(2 * 86_400)
        await world.store.write([], (tx) =>
          tx.objects.move(location, { from: 'marked', to: 'deleting', at: world.clock.now() }),
        )
        assert.deepEqual(await bringBack(location), { outcome: 'is_gone' })
      }),
    )

    it(
      'leaves nothing of an object that the collector removed while this process stood still',
      inStore(async ({ world, path, backUp, damage, stored, bringing }) => {
        const link = await newLink(world)
        const content = bytes(500)
        const { location } = await uploadRow(world, await land(world, link, content))
        await backUp(location, content)
        const accountId = await ownerOf(world, link)
        const { dropId } = defined((await world.rules.inbox.list(accountId))[0])
        await world.rules.inbox.discard(accountId, dropId)
        await damage(location, 'flipped')
        await world.rules.sweep.sweep()
        world.clock.advance(2 * 86_400)
        const real = await openBackupDirectory({ path, apart: [], mayBeMissing: false })
        const directory = {
          ...real,
          async *read(name: string) {
            world.clock.advance(301)
            await world.rules.sweep.sweep()
            yield* real.read(name)
          },
        }
        assert.deepEqual(await bringing({ directory }).bringBack(location), { outcome: 'is_gone' })
        for (const hours of [2, 25, 25]) {
          world.clock.advance(hours * 3600)
          await world.rules.sweep.removeDeleting()
        }
        assert.deepEqual(await world.store.read((tx) => tx.audit.looseParts(5)), [])
        assert.match(await stored(location), /^,*$/)
      }),
    )

    it(
      'reads no more of a file in the backup that grows under its reader',
      inStore(async ({ world, path, backUp, damage, stored, bringing }) => {
        const kept = await keep(world)
        await backUp(kept.location, kept.content)
        await damage(kept.location, 'flipped')
        const before = await stored(kept.location)
        let taken = 0
        const directory = {
          ...(await openBackupDirectory({ path, apart: [], mayBeMissing: false })),
          async *read() {
            for (; taken < 100; taken += 1) yield bytes(1000)
          },
        }
        isNot(await bringing({ directory }).look(kept.location), /other bytes in its place/)
        assert.equal(taken, 3)
        isNot(await bringing({ directory }).bringBack(kept.location), /other bytes in its place/)
        for (const _ of [1, 2]) {
          world.clock.advance(2 * 86_400)
          await world.rules.sweep.removeDeleting()
        }
        assert.deepEqual([taken, await stored(kept.location)], [6, before])
      }),
    )

    it(
      'keeps the mark of a damage that was found again during the last reading',
      inStore(async ({ world, backUp, damage, bringing }) => {
        const kept = await keep(world)
        await backUp(kept.location, kept.content)
        await damage(kept.location, 'flipped')
        const digest: World['objects']['digest'] = async (location, size, signal) => {
          const read = await world.objects.digest(location, size, signal)
          if (read.sha256 === sha256(kept.content)) {
            await damage(location, 'flipped')
            world.clock.advance(3)
            await world.rules.scrub.all(never, () => undefined)
          }
          return read
        }
        const objects = { ...world.objects, digest }
        isNot(await bringing({ objects }).bringBack(kept.location), /found it damaged meanwhile/)
        assert.equal(await kept.said(), 'stored indexed original')
      }),
    )

    it(
      'keeps a content on hold withheld',
      inStore(async ({ world, backUp, damage, bringBack }) => {
        const kept = await keep(world)
        await backUp(kept.location, kept.content)
        await damage(kept.location, 'flipped')
        await world.store.write([], (tx) =>
          tx.holds.add({ ciphertextHash: sha256(kept.content), reason: 'a report', createdAt: world.clock.now() }),
        )
        assert.deepEqual(await bringBack(kept.location), BACK(3000))
        assert.equal(await kept.said(), 'stored indexed original')
      }),
    )

    it('never lets storage verification say yes before the new bytes were read back, wherever it dies, and then goes on', async () => {
      const mortal = createMortal()
      let deaths = 0
      for (let calls = 0; ; calls += 1) {
        let isOver = false
        const options = inStore === inBucket ? { around: { keyedBytes: defined(mortal.around.keyedBytes) } } : {}
        await inStore(async ({ world, backUp, damage, bringing }) => {
          const kept = await keep(world)
          await backUp(kept.location, kept.content)
          await damage(kept.location, calls % 2 === 0 ? 'missing' : 'flipped')
          const around = defined(mortal.around.store)(world.store)
          const objects = defined(mortal.around.blobs)(world.blobs as Bytes)
          mortal.dieAfter(calls)
          const said = await bringing({ store: around, objects })
            .bringBack(kept.location)
            .catch((error: Error) => error.message)
          isOver = !mortal.revive()
          if (isOver) assert.deepEqual(said, BACK(3000))
          else deaths += 1
          const digest = await world.objects.digest(kept.location, 3000, never).catch(() => undefined)
          if ((await kept.said()) === WHOLE && calls % 2 === 0)
            assert.equal(digest?.sha256, sha256(kept.content), `after ${calls} calls`)
          const again = await bringing().bringBack(kept.location)
          assert.ok(again.outcome === 'is_intact' || again.outcome === 'brought_back', `after ${calls} calls`)
          assert.equal(await kept.said(), WHOLE)
        }, options)()
        if (isOver) break
      }
      assert.ok(deaths >= 5, `${deaths}`)
    })
  })

describe('bringing an object back to a directory', () => {
  it(
    'needs room above the floor, and says how much there is',
    inFiles(async ({ world, backUp, damage, stored, bringing }) => {
      const kept = await keep(world)
      await backUp(kept.location, kept.content)
      await damage(kept.location, 'cut')
      const before = await stored(kept.location)
      const check = async () => 4000
      isNot(
        await bringing({ objects: { ...world.blobs, check } }, 1001).bringBack(kept.location),
        /^3000 bytes above FREE_SPACE_FLOOR_BYTES are needed, and 4000 are free$/,
      )
      assert.deepEqual([await stored(kept.location), await kept.damagedAt()], [before, undefined])
      assert.deepEqual(
        await bringing({ objects: { ...world.blobs, check } }, 1000).bringBack(kept.location),
        BACK(3000),
      )
    }),
  )

  it(
    'replaces a file that the disk cannot read, and none that it may not read',
    inFiles(async ({ world, backUp, stored, bringing }) => {
      const kept = await keep(world)
      await backUp(kept.location, kept.content)
      const before = await stored(kept.location)
      let failures = 1
      const failing = (error: Error) => ({
        ...world.blobs,
        digest: async (location: string, size: number, signal: AbortSignal) => {
          if (failures-- > 0) throw error
          return world.blobs.digest(location, size, signal)
        },
      })
      isNot(
        await bringing({ objects: failing(new StorageForbidden('the user may not read it')) }).bringBack(kept.location),
        /may not read it/,
      )
      assert.equal(await stored(kept.location), before)
      failures = 1
      const path = join(world.blobsDirectory, kept.location)
      const { ino } = await stat(path)
      assert.deepEqual(
        await bringing({ objects: failing(new StorageUnavailable('EIO')) }).bringBack(kept.location),
        BACK(3000),
      )
      assert.notEqual((await stat(path)).ino, ino)
      assert.equal(await stored(kept.location), before)
    }),
  )

  it(
    'does not believe a disk that gives other bytes back than it took',
    inFiles(async ({ world, backUp, damage, bringing }) => {
      const kept = await keep(world)
      await backUp(kept.location, kept.content)
      await damage(kept.location, 'missing')
      const replacing = { clear: async () => undefined, replace: async () => false }
      isNot(await bringing({ replacing }).bringBack(kept.location), /gave other bytes back/)
      assert.notEqual(await kept.damagedAt(), undefined)
      assert.equal(await kept.said(), 'indexed original')
    }),
  )
})

describe('bringing an object back to a bucket', () => {
  it(
    'puts one key in the place of all parts, also of a large object, and the server removes the others',
    inBucket(async ({ world, backUp, damage, stored, bringBack }) => {
      const content = bytes(17 * MEBIBYTE)
      const uploadId = await openDrop(world, await newLink(world), content)
      for (const [start, end] of [
        [0, 8],
        [8, 17],
      ] as const)
        await append(world, uploadId, {
          offset: start * MEBIBYTE,
          bytes: content.subarray(start * MEBIBYTE, end * MEBIBYTE),
        })
      const row = await uploadRow(world, uploadId)
      await backUp(row.location, content)
      await damage(row.location, 'missing')
      assert.deepEqual(await bringBack(row.location), BACK(content.length))
      assert.equal(sha256(await readObject(world, row)), sha256(content))
      const [part, ...others] = await world.store.read((tx) => tx.parts.keptOf(uploadId))
      assert.deepEqual([part?.length, part?.checksum, others], [content.length, sha256(content), []])
      for (const hours of [2, 25, 25]) {
        world.clock.advance(hours * 3600)
        await world.rules.sweep.removeDeleting()
      }
      assert.equal(await stored(row.location), [part?.key, part?.key, sha256(content)].join())
    }),
  )

  const lossy = (real: KeyedBytes): KeyedBytes => ({
    ...real,
    upload: (piece, given) => real.upload(piece, Uint8Array.from(given).fill(0, 0, 8)),
  })
  it(
    'does not believe a store that gives other bytes back than it took',
    inBucket(
      async ({ world, backUp, damage, bringBack }) => {
        const kept = await keep(world)
        await backUp(kept.location, kept.content)
        await damage(kept.location, 'flipped')
        const before = await world.store.read((tx) => tx.parts.keptOf(partsOf(kept.location).uploadId))
        isNot(await bringBack(kept.location), /gave other bytes back/)
        // The server empties the new key.
        assert.equal((await world.store.read((tx) => tx.parts.due(world.clock.now(), 5))).length, 1)
        assert.deepEqual(await world.store.read((tx) => tx.parts.keptOf(partsOf(kept.location).uploadId)), before)
        assert.equal(await kept.said(), 'stored indexed original')
      },
      { around: { keyedBytes: lossy } },
    ),
  )
})
