import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { UploadId } from '@blindkeep/protocol/ids'
import { copySqlite } from '../../adapters/sql/sqlite/copy.ts'
import { openSqliteStore } from '../../adapters/sql/sqlite/store.ts'
import type { Store } from '../../ports/store.ts'
import type { Witness, WitnessedHead } from '../../ports/witness.ts'
import { append, bytes, never, newLink, openDrop, uploadRow } from '../../testing/guest.ts'
import { type Bucket, inKeyedWorld } from '../../testing/keyedWorld.ts'
import { defined, type World } from '../../testing/world.ts'
import { createHeadWatch, HeadBehind } from './headWatch.ts'
import { openServerKeys } from './keys.ts'

const DAY_SECONDS = 86_400
const GRACE_DAYS = 30
const content = bytes(3000)

const keysIn = async (store: Store, uploadId: UploadId) =>
  (await store.read((tx) => tx.parts.keptOf(uploadId))).map(({ key }) => key)

/** Lands a file in three parts. */
async function landInParts(world: World): Promise<{ readonly uploadId: UploadId; readonly keys: readonly string[] }> {
  const uploadId = await openDrop(world, await newLink(world), content)
  for (const offset of [0, 1000, 2000])
    await append(world, uploadId, { offset, bytes: content.subarray(offset, offset + 1000) })
  assert.equal((await uploadRow(world, uploadId)).state, 'landed')
  return { uploadId, keys: await keysIn(world.store, uploadId) }
}

interface SetBack {
  readonly world: World
  readonly bucket: Bucket
  /** The database as it is now. */
  copy(): Promise<Store>
  /** A server over an older database, which knows what was signed. */
  over(store: Store): Promise<World>
  /** The server runs for so long: it joins, sweeps, and looks for leftovers. */
  run(world: World, days: number): Promise<void>
  sizesOf(keys: readonly string[]): Promise<readonly (number | undefined)[]>
}

/** A store in which keys age by the test's time, and a database that can be set back. */
function inSetBack(work: (given: SetBack) => Promise<void>) {
  const born = new Map<string, number>()
  let now = () => 0
  return inKeyedWorld(
    async (world, bucket) => {
      now = world.clock.now
      const directory = await mkdtemp(join(tmpdir(), 'blindkeep-back-'))
      const open: Store[] = []
      let witnessed: WitnessedHead | undefined
      const witness: Witness = {
        read: async () => witnessed,
        async write(head) {
          witnessed = head
        },
      }
      try {
        await work({
          world,
          bucket,
          async copy() {
            const path = join(directory, `${open.length}.sqlite`)
            await copySqlite(defined(world.databasePath), path)
            const store = await openSqliteStore({ path })
            open.push(store)
            return store
          },
          async over(store) {
            const headWatch = createHeadWatch({
              store,
              witness,
              log: world.log,
              giveUpAfter: () => AbortSignal.abort(),
            })
            await headWatch.check()
            await headWatch.close()
            const keys = await openServerKeys({ ...world, store })
            return { ...world, store, keys, rules: world.rulesOver({ ...world, store, keys, headWatch }) }
          },
          async run({ clock, rules }, days) {
            for (let day = 0; day < days; day += 1) {
              await defined(rules.parts).tend(never)
              await rules.sweep.removeDeleting()
              clock.advance(DAY_SECONDS)
            }
          },
          sizesOf: (keys) => Promise.all(keys.map((key) => bucket.real.keyedBytes.size(key))),
        })
      } finally {
        for (const store of open) await store.close()
        await rm(directory, { recursive: true })
      }
    },
    {
      isOnDisk: true,
      settings: { partGraceSeconds: GRACE_DAYS * DAY_SECONDS },
      around: {
        keyedBytes: (real) => ({
          ...real,
          async *list() {
            for await (const { key } of real.list()) {
              if (!born.has(key)) born.set(key, now())
              yield { key, ageSeconds: (now() - defined(born.get(key))) / 1000 }
            }
          },
        }),
      },
    },
  )
}

const ALL = [1000, 1000, 1000]

describe('the removal of parts', () => {
  it(
    'leaves the parts that were joined where an older database still finds them, for the grace of parts',
    inSetBack(async ({ world, copy, run, sizesOf }) => {
      const { uploadId, keys } = await landInParts(world)
      const older = await copy()
      await run(world, GRACE_DAYS)
      assert.equal((await keysIn(world.store, uploadId)).length, 1)
      assert.deepEqual(await keysIn(older, uploadId), keys)
      assert.deepEqual(await sizesOf(keys), ALL)
      await run(world, 3)
      assert.deepEqual(await sizesOf(keys), [undefined, undefined, undefined])
    }),
  )

  it(
    'leaves what an older database does not know for the grace and two days, so that more of the database can be recovered',
    inSetBack(async ({ world, copy, over, run, sizesOf }) => {
      const older = await over(await copy())
      const { keys } = await landInParts(world)
      await run(older, GRACE_DAYS + 2)
      assert.deepEqual(await sizesOf(keys), ALL)
      await run(older, 1)
      assert.deepEqual(await sizesOf(keys), [undefined, undefined, undefined])
    }),
  )

  it(
    'removes nothing while the server waits for `restored`, however old it is',
    inSetBack(async ({ world, copy, over, run, sizesOf }) => {
      const older = await copy()
      const present = await over(world.store)
      const { keys } = await landInParts(present)
      await run(present, 1)
      const behind = await over(older)
      behind.clock.advance(10 * GRACE_DAYS * DAY_SECONDS)
      await assert.rejects(run(behind, 1), (error) => error instanceof HeadBehind)
      assert.deepEqual(await sizesOf(keys), ALL)
    }),
  )
})
