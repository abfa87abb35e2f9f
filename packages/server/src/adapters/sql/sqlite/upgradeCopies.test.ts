import assert from 'node:assert/strict'
import { mkdtemp, open, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { instantOf } from '@blindkeep/protocol/ids'
import { outdatingCopies } from '../../../assembly/upgradeCopy.ts'
import { bytes } from '../../../contracts/store/world.ts'
import { RELEASE } from '../../../ground/release.ts'
import { sha256 } from '../../../testing/world.ts'
import { sqliteSchema } from './schema.ts'
import { openSqliteStore } from './store.ts'
import { copiesOf, copyBeforeUpgrade, lackOfRoom, UpgradeNotCopied } from './upgradeCopies.ts'

async function inDirectory(work: (path: string, directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-copies-'))
  try {
    const path = join(directory, 'blindkeep.sqlite')
    await (await openSqliteStore({ path })).close()
    await work(path, directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** A file of an earlier upgrade, so many seconds old. */
async function earlierCopy(path: string, migration: number, ageSeconds: number): Promise<string> {
  const copy = `${path}.migration-${migration}.before-0.0.${migration}`
  await writeFile(copy, '')
  const time = Date.now() / 1000 - ageSeconds
  await utimes(copy, time, time)
  return copy
}

describe('the copy before an upgrade', () => {
  it('has the rows, no other reader, and the migration and the version in its name; the last two are kept', () =>
    inDirectory(async (path) => {
      const [oldest, last] = [await earlierCopy(path, 12, 60), await earlierCopy(path, 7, 30)]
      assert.deepEqual(
        copiesOf(path).map((copy) => [copy.path, copy.migration]),
        [
          [last, 7],
          [oldest, 12],
        ],
      )
      const { done } = await sqliteSchema(path)
      const copy = await copyBeforeUpgrade(path, done)
      assert.deepEqual(copy, { path: `${path}.migration-${done}.before-${RELEASE}`, migration: done })
      assert.equal((await stat(copy.path)).mode & 0o777, 0o600)
      assert.deepEqual(await sqliteSchema(copy.path), await sqliteSchema(path))
      assert.deepEqual(
        copiesOf(path).map((each) => each.path),
        [copy.path, last],
      )
    }))

  it('stays, however late the time of others; files and links with other names are no copies, and stay', () =>
    inDirectory(async (path, directory) => {
      const future = [await earlierCopy(path, 3, -3600), await earlierCopy(path, 4, -7200)]
      const foreign = [`${future[0]}.sha256`, `${future[0]}.gz`]
      for (const name of foreign) await writeFile(name, '')
      const link = `${path}.migration-1.before-0.0.1`
      await symlink(join(directory, 'nowhere'), link)
      const { path: copy } = await copyBeforeUpgrade(path, 5)
      assert.deepEqual(
        copiesOf(path).map((each) => each.path),
        [future[1], copy],
      )
      const names = await readdir(directory)
      for (const kept of [...foreign, link]) assert.ok(names.includes(basename(kept)), kept)
    }))

  it('is outdated by a receipt, and removed by the next upgrade', () =>
    inDirectory(async (path, directory) => {
      const { path: copy } = await copyBeforeUpgrade(path, 5)
      const said: unknown[] = []
      const log = { info: (...line: unknown[]) => said.push(line), warn: (...line: unknown[]) => said.push(line) }
      const signed = outdatingCopies(path, log)
      for (const receiptSeq of [8, 9]) signed({ receiptSeq, receiptHash: sha256(bytes(1)), receivedAt: instantOf(0) })
      assert.deepEqual(said, [['the copies from before upgrades lack a receipt now', { copies: 1, receiptSeq: 8 }]])
      assert.deepEqual(copiesOf(path), [])
      assert.ok((await readdir(directory)).includes(`${basename(copy)}.outdated`))
      await copyBeforeUpgrade(path, 6)
      assert.ok(!(await readdir(directory)).includes(`${basename(copy)}.outdated`))
    }))

  it('takes the place of one that an interrupted upgrade has left', () =>
    inDirectory(async (path, directory) => {
      await writeFile(`${path}.copying`, 'half')
      for (const _ of [1, 2]) await copyBeforeUpgrade(path, 2)
      assert.equal(copiesOf(path).length, 1)
      assert.ok(!(await readdir(directory)).some((name) => name.endsWith('.copying')))
    }))

  it('is not made of a damaged database, and leaves nothing behind', () =>
    inDirectory(async (path) => {
      const database = new DatabaseSync(path, { readOnly: true })
      const row = database.prepare(`select rootpage from sqlite_schema where name = 'accounts'`).get()
      database.close()
      const file = await open(path, 'r+')
      await file.write(bytes(4096, 0xff), 0, 4096, (Number(row?.rootpage) - 1) * 4096)
      await file.close()
      await assert.rejects(copyBeforeUpgrade(path, 2), UpgradeNotCopied)
      assert.deepEqual(copiesOf(path), [])
    }))

  it('needs its room on the disk', () => {
    assert.equal(lackOfRoom('/data/db', { neededBytes: 5e6, freeBytes: 5e6 }), undefined)
    assert.match(lackOfRoom('/data/db', { neededBytes: 5e6, freeBytes: 4e6 }) ?? '', /\/data has 4 MB free.* 5 MB/)
  })
})

describe('a look at the schema', () => {
  it('finds none where there is no database, and creates no file', () =>
    inDirectory(async (path, directory) => {
      const before = await readdir(directory)
      assert.deepEqual(await sqliteSchema(`${path}-none`), { done: 0, serves: 0 })
      await writeFile(`${path}-empty`, '')
      assert.deepEqual(await sqliteSchema(`${path}-empty`), { done: 0, serves: 0 })
      assert.equal((await sqliteSchema(path)).version, RELEASE)
      assert.deepEqual((await readdir(directory)).toSorted(), [...before, 'blindkeep.sqlite-empty'].toSorted())
    }))

  it('sees what a running server has committed', () =>
    inDirectory(async (path) => {
      const store = await openSqliteStore({ path })
      const other = new DatabaseSync(path)
      other.exec('insert into migrations (number, serves) values (98, 97)')
      const { done, serves } = await sqliteSchema(path)
      assert.deepEqual([done, serves], [98, 97])
      other.close()
      await store.close()
    }))
})
