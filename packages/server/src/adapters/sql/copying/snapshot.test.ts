import assert from 'node:assert/strict'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { at, hash, object, uploadId } from '../../../contracts/store/world.ts'
import { BackupFailed } from '../../../ports/backup.ts'
import type { Store } from '../../../ports/store.ts'
import { openSqliteStore } from '../sqlite/store.ts'
import { createSnapshots, readSnapshot } from './snapshot.ts'

function inDirectory(work: (directory: string, store: Store) => Promise<void>): () => Promise<void> {
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-snapshot-'))
    const store = await openSqliteStore({ path: join(directory, 'live.sqlite') })
    try {
      await work(directory, store)
    } finally {
      await store.close()
      await rm(directory, { recursive: true })
    }
  }
}

/** Two objects, in one transaction. */
function insertPair(store: Store, index: number): Promise<void> {
  const location = (side: number) => `00/${hash(side)}.${uploadId(index)}`
  return store.write([], async (tx) => {
    for (const side of [1, 2])
      await tx.objects.insert({ ...object(1), location: location(side), state: 'kept', since: at(0) })
  })
}

describe('a snapshot of the database', () => {
  it(
    'is of one instant while other connections write, and readable by its owner only',
    inDirectory(async (directory, store) => {
      const snapshots = createSnapshots({ databasePath: join(directory, 'live.sqlite'), directory })
      let isTaken = false
      let pairs = 0
      const taking = snapshots.take('taken.sqlite').finally(() => {
        isTaken = true
      })
      while (!isTaken) {
        await insertPair(store, ++pairs)
        await new Promise(setImmediate)
      }
      const snapshot = await taking
      const present = readSnapshot(join(directory, 'live.sqlite'))
      const [taken, now] = [[...snapshot.objects()].length, [...present.objects()].length]
      // Half a pair would be a snapshot of two instants.
      assert.ok(taken % 2 === 0 && now === 2 * pairs && taken <= now, `${taken} of ${now}`)
      assert.equal((await stat(join(directory, 'taken.sqlite'))).mode & 0o777, 0o600)
      snapshot.close()
      present.close()
    }),
  )

  it(
    'is refused for a damaged database, and over an existing file',
    inDirectory(async (directory, store) => {
      const snapshots = createSnapshots({ databasePath: join(directory, 'live.sqlite'), directory })
      for (let index = 1; index <= 20; index++) await insertPair(store, index)
      await store.close()
      const file = await open(join(directory, 'live.sqlite'), 'r+')
      const { size } = await file.stat()
      await file.write(Buffer.alloc(size / 2, 0xa5), 0, size / 2, size / 2)
      await file.close()
      await assert.rejects(snapshots.take('taken.sqlite'), BackupFailed)
      await assert.rejects(snapshots.take('live.sqlite'), BackupFailed)
    }),
  )
})
