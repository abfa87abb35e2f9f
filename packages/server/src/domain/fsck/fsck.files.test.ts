import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { addSeconds, parseUploadId } from '@blindkeep/protocol/ids'
import { ObjectUnreadable, StorageForbidden, StorageUnavailable } from '../../ground/storageErrors.ts'
import { objectsIn } from '../../testing/assetSessions.ts'
import { createFaults } from '../../testing/faults.ts'
import { type Filled, fill, findingsIn } from '../../testing/fsck.ts'
import { append, bytes, land, newLink, openDrop } from '../../testing/guest.ts'
import { suspectedIn } from '../../testing/verify.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { locationOf } from '../ground/location.ts'
import { createQuota } from '../quota/quota.ts'
import type { Finding } from './finding.ts'
import { newCounts } from './options.ts'
import { repair } from './repair.ts'

const quota = createQuota({ softBytes: undefined, hardBytes: undefined, graceDays: 14 })
const pathOf = ({ blobsDirectory }: World, location: string) => join(blobsDirectory, location)
const kindsIn = async (world: World, filled: Parameters<typeof findingsIn>[1]['filled'], deep = false) =>
  (await findingsIn(world.store, { filled, deep })).map(({ kind, where }) => [kind, where.location])

/** What fsck finds after damage to one file. Writes the content back afterwards. */
async function afterDamage(
  { world, ...filled }: Filled,
  location: string,
  damage: (path: string) => Promise<void>,
): Promise<{ readonly shallow: unknown; readonly deep: unknown }> {
  const path = pathOf(world, location)
  const content: Uint8Array[] = []
  for await (const piece of world.blobs.read(location, { start: 0, end: 1_000 })) content.push(piece)
  await damage(path)
  const shallow = await kindsIn(world, { world, ...filled })
  const deep = await kindsIn(world, { world, ...filled }, true)
  await writeFile(path, content)
  return { shallow, deep }
}

const flip = (content: Uint8Array): Uint8Array => content.with(0, (content[0] ?? 0) ^ 1)

async function flipIn(world: World, location: string): Promise<void> {
  for await (const piece of world.blobs.read(location, { start: 0, end: 1_000 }))
    return writeFile(pathOf(world, location), flip(piece))
}

describe('fsck of files', () => {
  it(
    'removes no mark of a damage that was found after it had begun to read',
    inWorld(async (world) => {
      const filled = await fill(world)
      const { location } = filled.pending
      const mark = () => world.store.write([], (tx) => tx.objects.markDamaged(location, world.clock.now()))
      await mark()
      const [finding] = await findingsIn(world.store, { filled, deep: true })
      world.clock.advance(1)
      await mark()
      world.clock.advance(1)
      const quota = createQuota({ softBytes: undefined, hardBytes: undefined, graceDays: 14 })
      await repair({ ...world, quota }, defined(finding?.repair))
      assert.deepEqual(await kindsIn(world, filled), [['object_damaged', location]])
    }),
  )

  it('removes no mark before the right bytes are durable', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const filled = await fill(world)
        const { location } = filled.pending
        await world.store.write([], (tx) => tx.objects.markDamaged(location, world.clock.now()))
        const [finding] = await findingsIn(world.store, { filled, deep: true })
        const repairIt = () => repair({ ...world, quota }, defined(finding?.repair))
        faults.arm('settle')
        await assert.rejects(repairIt(), /a test broke it/)
        assert.deepEqual(await kindsIn(world, filled), [['object_damaged', location]])
        faults.disarm()
        assert.equal(await repairIt(), 'removed the mark')
        assert.deepEqual(await kindsIn(world, filled), [])
      },
      { around: faults.around },
    )()
  })

  it(
    'finds a file that is missing, cut, too long or changed, and one that no row names',
    inWorld(async (world) => {
      const filled = await fill(world)
      const { pending, metadata, deletedBlob, locations } = filled
      const location = defined(locations.get(metadata))
      const same = (...found: (readonly [string, string])[]) => ({ shallow: found, deep: found })
      const missing = same(['file_missing', location])
      const otherSize = same(['file_size_wrong', location])
      assert.deepEqual(await afterDamage(filled, location, rm), missing)
      assert.deepEqual(await afterDamage(filled, location, (path) => truncate(path, 99)), otherSize)
      assert.deepEqual(await afterDamage(filled, location, (path) => truncate(path, 101)), otherSize)
      const orphaned = defined(locations.get(deletedBlob))
      assert.deepEqual(await afterDamage(filled, orphaned, rm), same(['file_missing', orphaned]))
      const changed = await afterDamage(filled, pending.location, () => flipIn(world, pending.location))
      assert.deepEqual(changed, { shallow: [], deep: [['bytes_wrong', pending.location]] })
      const stray = locationOf(sha256(bytes(1)), defined(parseUploadId(randomUUID())))
      await writeFile(pathOf(world, stray), 'x')
      const strayed = { ...filled, locations: new Map([...locations, ['stray', stray]]) }
      assert.deepEqual(await kindsIn(world, strayed), [['file_stray', stray]])
      await rm(pathOf(world, stray))
      assert.deepEqual(await kindsIn(world, strayed, true), [])
    }),
  )

  it(
    'finds a session whose acknowledged bytes are missing or changed, and accepts one with more bytes',
    inWorld(async (world) => {
      const filled = await fill(world)
      const location = defined(filled.locations.get(filled.open))
      const cut = await afterDamage(filled, location, (path) => truncate(path, 49))
      assert.deepEqual(cut.shallow, [['file_size_wrong', location]])
      assert.deepEqual(cut.deep, [
        ['file_size_wrong', location],
        ['chunk_wrong', location],
      ])
      assert.deepEqual((await afterDamage(filled, location, (path) => truncate(path, 60))).deep, [])
      const changed = await afterDamage(filled, location, () => flipIn(world, location))
      assert.deepEqual(changed, { shallow: [], deep: [['chunk_wrong', location]] })
    }),
  )

  it(
    'reports one unreadable file, and throws when the whole store is away',
    inWorld(async (world) => {
      const filled = await fill(world)
      const { location } = filled.pending
      const failing = { ...world, blobs: failingFor(world, location) }
      assert.deepEqual(await kindsIn(failing, { ...filled, world: failing }), [['file_unreadable', location]])
      const away = {
        ...failing,
        blobs: { ...failing.blobs, check: () => Promise.reject(new StorageUnavailable()) },
      }
      await assert.rejects(kindsIn(away, { ...filled, world: away }), StorageUnavailable)
    }),
  )

  it(
    'withholds a file that the disk does not give, tells why without reading the others, and ends that once it is read',
    inWorld(async (world) => {
      const filled = await fill(world)
      const { location } = filled.pending
      const found = async (error: Error | undefined, deep = false) => {
        const blobs = error === undefined ? world.blobs : failingFor(world, location, { error, isEntered: true })
        const findings = await findingsIn(world.store, { filled: { ...filled, world: { ...world, blobs } }, deep })
        assert.ok(findings.every(({ where }) => where.location === location))
        return findings
      }
      const mend = ({ repair: given }: Finding) => repair({ ...world, quota }, defined(given))
      const kindsOf = (findings: readonly Finding[]) => findings.map(({ kind }) => kind)
      const error = new ObjectUnreadable('the storage answered EIO')
      assert.deepEqual(await found(error), [])
      const [late] = await found(new StorageUnavailable('timed out'), true)
      assert.deepEqual([late?.kind, late?.repair], ['file_unreadable', undefined])
      const [finding] = await found(error, true)
      assert.deepEqual(
        [finding?.kind, finding?.what],
        ['file_unreadable', 'the file cannot be read: the storage answered EIO'],
      )
      assert.equal(await mend(defined(finding)), 'withheld the object until the server has read it')
      // From now on, without reading all bytes.
      assert.deepEqual(kindsOf(await found(error)), ['file_unreadable'])
      assert.deepEqual(kindsOf(await found(new StorageForbidden('ask its owner'))), ['file_forbidden'])
      // A suspicion of seconds is no finding; one that the server could not clear is.
      assert.deepEqual(await found(undefined), [])
      world.clock.advance(1)
      await world.store.write([], (tx) => tx.objects.noteUnread(location, world.clock.now()))
      const [intact] = await found(undefined)
      assert.equal(intact?.kind, 'object_intact')
      await mend(defined(intact))
      assert.deepEqual([await found(undefined), await suspectedIn(world)], [[], []])
    }),
  )

  it(
    'reports a file that this user may not use once, whether its directory or only the file is forbidden, landed or not',
    inWorld(async (world) => {
      const filled = await fill(world)
      for (const location of [filled.pending.location, defined(filled.locations.get(filled.open))])
        for (const isEntered of [false, true]) {
          const blobs = failingFor(world, location, { error: new StorageForbidden('ask its owner'), isEntered })
          const forbidden = { ...filled, world: { ...world, blobs } }
          const findings = await findingsIn(world.store, { filled: forbidden, deep: true })
          assert.deepEqual(
            findings.map(({ kind, where, what }) => [kind, where.location, what]),
            [['file_forbidden', location, 'ask its owner']],
          )
        }
    }),
  )

  it(
    'reports a missing file once, also when it was marked as damaged before',
    inWorld(async (world) => {
      const filled = await fill(world)
      const { location } = filled.pending
      await rm(pathOf(world, location))
      await world.store.write([], (tx) => tx.objects.markDamaged(location, world.clock.now()))
      for (const deep of [false, true])
        assert.deepEqual(await kindsIn(world, filled, deep), [['file_missing', location]])
    }),
  )

  it(
    'reports no rows and files that change while it looks',
    inWorld(async (world) => {
      const filled = await fill(world)
      const { pending, open, locations } = filled
      const opened = defined(locations.get(open))
      const changes: Record<string, () => Promise<unknown>> = {
        // Discarded and collected, between its row and its file.
        async [pending.location]() {
          await world.rules.inbox.discard(filled.albumOwner.accountId, pending.dropId)
          await collectNow(world)
        },
        // Ended, with its bytes removed and its row still there.
        async [opened]() {
          await world.rules.ending.cancel(defined(await world.store.read((tx) => tx.uploads.find(open))))
          await world.blobs.remove(opened)
        },
      }
      const blobs = {
        ...world.blobs,
        async size(location: string) {
          const change = changes[location]
          delete changes[location]
          await change?.()
          return world.blobs.size(location)
        },
        // A listing that began before the files were removed.
        async *list() {
          yield* locations.values()
        },
      }
      const changing = { ...world, blobs }
      const counts = newCounts()
      assert.deepEqual(
        await findingsIn(world.store, { filled: { ...filled, world: changing }, list: blobs.list, deep: true, counts }),
        [],
      )
      assert.deepEqual(changes, {})
      assert.deepEqual(await objectsIn(world, 'orphaned'), [])
      assert.equal(counts.objects, 7)
    }),
  )

  it(
    'finds nothing wrong beside guests who send, discard and cancel all the time',
    inWorld(
      async (world) => {
        const filled = await fill(world)
        const locations = new Map(filled.locations)
        let isOver = false
        const guests = [1, 2, 3].map(async () => {
          while (!isOver) await visit(world, filled, locations)
        })
        for (let looks = 0; looks < 5; looks += 1)
          assert.deepEqual(await findingsIn(world.store, { filled: { world, locations }, deep: true }), [])
        isOver = true
        await Promise.all(guests)
        assert.ok(locations.size > 7, `${locations.size}`)
      },
      { isOnDisk: true },
    ),
  )
})

interface Failing {
  readonly error?: Error
  /** Whether the size of the file can be seen. */
  readonly isEntered?: boolean
}

function failingFor(
  { blobs }: World,
  broken: string,
  { error = new StorageUnavailable(), isEntered = false }: Failing = {},
): World['blobs'] {
  const meet = (location: string) => {
    if (location === broken) throw error
  }
  return {
    ...blobs,
    async size(location) {
      if (!isEntered) meet(location)
      return blobs.size(location)
    },
    async digest(location, size, signal) {
      meet(location)
      return blobs.digest(location, size, signal)
    },
    async *read(location, range, options) {
      meet(location)
      yield* blobs.read(location, range, options)
    },
  }
}

/** Removes every object without an owner, as after the grace window. */
async function collectNow({ store, blobs, clock }: World): Promise<void> {
  for (const state of ['orphaned', 'marked', 'deleting'] as const) {
    const objects = await store.read((tx) => tx.objects.listIn(state, addSeconds(clock.now(), 1), 100))
    for (const { location } of objects) {
      const startDeleting = { from: state, to: 'deleting', at: clock.now() } as const
      if (!(await store.write([], (tx) => tx.objects.move(location, startDeleting)))) continue
      await blobs.remove(location)
      await store.write([], (tx) => tx.objects.remove(location))
    }
  }
}

/** A guest sends a file, which is discarded, and begins another one, which is cancelled. */
async function visit(world: World, { albumOwner }: Filled, locations: Map<string, string>): Promise<void> {
  const { store, rules } = world
  const opaqueId = await newLink(world, {}, albumOwner.accountId)
  const uploadId = await land(world, opaqueId, bytes(1_000))
  const content = bytes(2_000)
  const begun = await openDrop(world, opaqueId, content)
  for (const id of [uploadId, begun]) {
    const row = defined(await store.read((tx) => tx.uploads.find(id)))
    locations.set(id, row.location)
  }
  await append(world, begun, { offset: 0, bytes: content.subarray(0, 700) })
  await append(world, begun, { offset: 700, bytes: content.subarray(700, 1_400) })
  const drop = (await rules.inbox.list(albumOwner.accountId)).find((each) => each.uploadId === uploadId)
  await rules.inbox.discard(albumOwner.accountId, defined(drop).dropId)
  await rules.ending.cancel(defined(await store.read((tx) => tx.uploads.find(begun))))
  world.clock.advance(1)
  await collectNow(world)
}
