import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { account, accountId, bytes, seed } from '../../../contracts/store/world.ts'
import { StorageUnavailable, StoreBroken, type WriteTx } from '../../../ports/store.ts'
import { createWriteTx } from '../../../rows/nouns.ts'
import { createSingleTurns } from '../shared/turns.ts'
import { openConnection, type SqliteConnection } from './connection.ts'
import { createGroupCommit, MAX_WORKS_PER_COMMIT } from './groupCommit.ts'
import { createHealth } from './health.ts'
import { openSqliteStore } from './store.ts'

interface World {
  readonly connection: SqliteConnection
  /** The control statements of the connection, in order. */
  readonly controls: readonly string[]
  readonly write: <Result>(work: (tx: WriteTx) => Promise<Result>) => Promise<Result>
}

/** On a seeded file. `failOn` is the control statement that fails like a failed sync. */
function inWorld(work: (world: World) => Promise<void>, failOn?: string): () => Promise<void> {
  return async () => {
    const directory = mkdtempSync(join(tmpdir(), 'blindkeep-commit-'))
    const path = join(directory, 'blindkeep.sqlite')
    const store = await openSqliteStore({ path })
    await seed(store)
    await store.close()
    const health = createHealth()
    const inner = openConnection(path, { health, queryOnly: false })
    const controls: string[] = []
    const control = (statement: string) => {
      controls.push(statement)
      if (statement === failOn) throw Object.assign(new Error('disk I/O error'), { errcode: 1034 })
      inner.control(statement)
    }
    const connection = { ...inner, control }
    const commits = createGroupCommit({ connection, turns: createSingleTurns(), health })
    try {
      const write: World['write'] = (task) =>
        commits.write(
          (db) => task(createWriteTx(db, () => undefined)),
          () => false,
        )
      await work({ connection, controls, write })
    } finally {
      inner.close()
      rmSync(directory, { recursive: true })
    }
  }
}

const count = (controls: readonly string[], wanted: string) => controls.filter((control) => control === wanted).length

describe('a group commit', () => {
  it(
    'commits simultaneous works together',
    inWorld(async ({ controls, write }) => {
      await Promise.all(Array.from({ length: 64 }, () => write((tx) => tx.accounts.charge(accountId(1), 1, 60))))
      assert.equal(count(controls, 'commit'), 1)
    }),
  )

  it(
    'takes at most its bound into a commit, and starts another for the rest',
    inWorld(async ({ controls, write }) => {
      const works = Array.from({ length: MAX_WORKS_PER_COMMIT * 2 + 1 }, () =>
        write((tx) => tx.accounts.charge(accountId(1), 1, undefined)),
      )
      await Promise.all(works)
      assert.equal(count(controls, 'commit'), 3)
    }),
  )

  it(
    'acknowledges nothing before the commit, not even refusals and failures',
    inWorld(async ({ controls, write }) => {
      const lastControls: (string | undefined)[] = []
      const note = () => {
        lastControls.push(controls.at(-1))
      }
      await Promise.all([
        write((tx) => tx.accounts.charge(accountId(1), 1, undefined)).then(note),
        write((tx) => tx.accounts.refund(accountId(1), 5)).catch(note),
        write((tx) => tx.accounts.charge(accountId(1), 2, undefined)).then(note),
      ])
      assert.deepEqual(lastControls, ['commit', 'commit', 'commit'])
    }),
  )

  it(
    'rejects with StorageUnavailable on a full disk, and continues when there is room',
    inWorld(async ({ connection, write }) => {
      const fill = () =>
        Promise.allSettled(
          Array.from({ length: 40 }, (_, index) =>
            write((tx) => tx.accounts.insert(account(index + 3, { sealedAccountKey: bytes(20_000) }))),
          ),
        )
      await write((tx) => tx.accounts.charge(accountId(1), 5, undefined))
      connection.control('pragma max_page_count = 100')
      const first = await fill()
      const refused = first.filter((answer) => answer.status === 'rejected')
      assert.ok(refused.length > 0)
      for (const { reason } of refused) assert.ok(reason instanceof StorageUnavailable)
      assert.equal((await write((tx) => tx.accounts.find(accountId(1))))?.usedBytes, 5)
      connection.control('pragma max_page_count = 4294967294')
      await fill()
      const found = await write((tx) =>
        Promise.all(first.map(async (_, index) => (await tx.accounts.find(accountId(index + 3))) !== undefined)),
      )
      assert.ok(found.every((each) => each))
    }),
  )

  it(
    'fails all works of a commit whose sync failed, and all later ones',
    inWorld(async ({ controls, write }) => {
      const charge = () => write((tx) => tx.accounts.charge(accountId(1), 1, undefined))
      for (const answer of await Promise.allSettled([charge(), charge()])) {
        assert.ok(answer.status === 'rejected' && answer.reason instanceof StoreBroken)
      }
      await assert.rejects(charge(), StoreBroken)
      assert.equal(count(controls, 'commit'), 1)
    }, 'commit'),
  )

  it(
    'fails works whose transaction cannot begin',
    inWorld(async ({ write }) => {
      await assert.rejects(
        write(async () => undefined),
        StoreBroken,
      )
    }, 'begin immediate'),
  )
})
