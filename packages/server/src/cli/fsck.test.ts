import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { FILLED_BYTES } from '../testing/fsck.ts'
import { inDirectory, kinds } from '../testing/fsckDirectory.ts'

const ROOT_OF = (name: string) => `select rootpage from sqlite_schema where name = '${name}'`
const PAGE_BYTES = 4096

/** Writes past SQLite, as a failing disk does. The caller has closed the database, which empties its log. */
async function damagePage(path: string, number: unknown, damage: (page: Buffer) => void): Promise<void> {
  const file = join(path, 'blindkeep.sqlite')
  const content = await readFile(file)
  const start = (Number(number) - 1) * PAGE_BYTES
  assert.ok(start > 0 && start < content.length)
  damage(content.subarray(start, start + PAGE_BYTES))
  await writeFile(file, content)
}

describe('blindkeep-server fsck', () => {
  it(
    'says that an intact directory is intact, and how much it has checked',
    inDirectory(async ({ fsck }) => {
      const { isWrong, lines, json } = await fsck('deep')
      assert.deepEqual([isWrong, json.findings, json.repaired], [false, [], []])
      const { accounts, links, sessions, drops, assets, blobs, objects, files, receipts, bytes } = json.counts
      assert.deepEqual([accounts, links, sessions, drops, assets], [1, 3, 7, 1, 3])
      assert.deepEqual([blobs, objects, files, receipts, bytes], [2, 7, 5, 5, 3.5 * FILLED_BYTES])
      assert.match(lines.join('\n'), /^1 account · 3 links · 7 sessions · 1 drop · .* MB read\nAll is intact\.$/)
    }),
  )

  it(
    'says what is wrong, where and what to do, and changes nothing without --repair',
    inDirectory(async ({ fsck, path, filled, change }) => {
      change(`update accounts set used_bytes = used_bytes + 5`)
      assert.equal((await fsck()).lines.at(-1), '1 fault found.')
      await truncate(join(path, 'blobs', filled.pending.location), 7)
      for (const _ of [1, 2]) {
        const { isWrong, json, lines } = await fsck()
        assert.equal(isWrong, true)
        assert.deepEqual(kinds(json.findings), ['file_size_wrong', 'use_wrong'])
        assert.deepEqual(
          json.findings.map(({ repairable }) => repairable),
          [true, true],
        )
        assert.ok(json.findings.every(({ todo }) => todo.length > 10))
        assert.ok(
          lines.some((line) => line.startsWith('use_wrong: account_id ') && line.includes(filled.albumOwner.accountId)),
        )
      }
    }),
  )

  it(
    'repairs what has one right value, and marks bytes that do not match the receipt',
    inDirectory(async ({ fsck, path, filled, change, value }) => {
      const { pending } = filled
      const used = value('select used_bytes from accounts')
      change(
        'update accounts set used_bytes = 1, pending_drops = 9, hard_limit_bytes = 100',
        `update links set open_sessions = 4, open_bytes = 7 where open_sessions = 1`,
        `update drops set claim_id = 'x', claim_hash = 'y', leased_until = 32471971200000`,
      )
      const file = join(path, 'blobs', pending.location)
      await copyFile(file, `${file}.kept`)
      await writeFile(file, new Uint8Array(FILLED_BYTES))
      const first = await fsck('deep', 'repair')
      assert.deepEqual(kinds(first.json.repaired), [
        'bytes_wrong',
        'drop_claim_stuck',
        'link_open_wrong',
        'pending_drops_wrong',
        'use_wrong',
      ])
      assert.deepEqual([first.isWrong, kinds(first.json.findings)], [true, ['bytes_wrong']])
      assert.equal(value('select used_bytes from accounts'), used)
      assert.equal(value('select pending_drops from accounts'), 1)
      assert.equal(value('select exceeded_since is not null from accounts'), 1)
      assert.equal(value('select claim_id from drops'), null)
      assert.deepEqual(kinds((await fsck()).json.findings), ['object_damaged'])
      await copyFile(`${file}.kept`, file)
      const second = await fsck('deep', 'repair')
      assert.deepEqual([second.isWrong, kinds(second.json.repaired)], [false, ['object_intact']])
      assert.deepEqual((await fsck('deep')).json.findings, [])
    }),
  )

  it(
    'goes on and says what to do when a disk that is read-only keeps it from removing a mark',
    { skip: existsSync('/usr/bin/strace') ? false : 'needs strace' },
    inDirectory(async ({ path, fileOf, filled, change, value }) => {
      const marked = filled.pending.uploadId
      change('update accounts set used_bytes = 1', `update objects set damaged_at = 1 where location like '%${marked}'`)
      const fault = ['-f', '-qq', '-o', '/dev/null', '-P', fileOf(marked), '-e', 'inject=fsync,fdatasync:error=EROFS']
      const cli = new URL('../cli.ts', import.meta.url).pathname
      const call = [process.execPath, '--disable-warning=ExperimentalWarning', cli, 'fsck', '--deep', '--repair']
      const { status, stdout } = spawnSync('strace', [...fault, ...call, '--data', path], { encoding: 'utf8' })
      assert.equal(status, 1)
      assert.match(
        stdout,
        /^ {4}not repaired: a sync failed \(EROFS: .*If the disk is read-only or full, change that;/m,
      )
      assert.match(stdout, /^repaired: use_wrong: /m)
      assert.ok(!stdout.includes('did not finish'), stdout)
      assert.equal(value('select count(*) from objects where damaged_at is not null'), 1)
    }),
  )

  it(
    'names a file that is retained for more days than the server accepts, and until when',
    inDirectory(async ({ fsck, filled, change }) => {
      const retain = (days: number) => {
        const until = Date.now() + days * 86_400_000
        change(`update asset_blobs set retained_until = ${until} where upload_id = '${filled.metadata}'`)
        return new Date(until).toISOString()
      }
      retain(399)
      assert.deepEqual((await fsck()).json.findings, [])
      const until = retain(401)
      const [finding, ...more] = (await fsck()).json.findings
      assert.deepEqual([finding?.kind, more], ['blob_retained_long', []])
      assert.match(finding?.what ?? '', new RegExp(`is retained until ${until}`))
    }),
  )

  it(
    'marks with --repair objects whose file is missing or cut, so that the server alarms, and still reports them',
    inDirectory(async ({ fsck, fileOf, filled, value }) => {
      await rm(fileOf(filled.metadata))
      await truncate(fileOf(filled.adopted.uploadId), 7)
      await rm(fileOf(filled.deletedBlob))
      const found = ['file_missing', 'file_missing', 'file_size_wrong']
      const damaged = () => value('select count(*) from objects where damaged_at is not null')
      assert.deepEqual([kinds((await fsck('deep')).json.findings).toSorted(), damaged()], [found, 0])
      const { isWrong, json } = await fsck('repair')
      assert.deepEqual([isWrong, kinds(json.findings).toSorted(), damaged()], [true, found, 2])
      assert.deepEqual(kinds(json.repaired), ['file_missing', 'file_size_wrong'])
    }),
  )

  it(
    'changes no receipt, no bytes, and nothing that has an owner',
    inDirectory(async ({ fsck, filled, change, value }) => {
      const { metadata, deletedBlob, cancelled, locations } = filled
      change(
        `update objects set state = 'staged' where location = '${locations.get(cancelled)}'`,
        `update objects set state = 'staged' where location = '${locations.get(metadata)}'`,
        `update objects set state = 'staged' where location = '${locations.get(deletedBlob)}'`,
        `update receipts set received_at = received_at + 1 where receipt_seq = 3`,
        `delete from log_head`,
      )
      const before = (await fsck()).json.findings
      const { json } = await fsck('deep', 'repair')
      assert.deepEqual([json.repaired, kinds(json.findings)], [[], kinds(before)])
      assert.equal(value(`select count(*) from objects where state = 'staged'`), 5)
      assert.equal(value('select count(*) from log_head'), 0)
    }),
  )

  it(
    'repairs nothing in a database with damaged indexes, which it checks only with --repair',
    inDirectory(async ({ fsck, path, filled, change, value }) => {
      change('update accounts set used_bytes = 1')
      await damagePage(path, value(ROOT_OF('sqlite_autoindex_uploads_1')), (page) => {
        const at = page.indexOf(filled.coming)
        assert.ok(at > 0)
        page[at + 35] = 0x7a
      })
      assert.ok(!kinds((await fsck()).json.findings).includes('database_damaged'))
      const { isWrong, json } = await fsck('repair')
      assert.deepEqual(
        [isWrong, json.repaired, new Set(kinds(json.findings))],
        [true, [], new Set(['database_damaged'])],
      )
      assert.equal(value('select used_bytes from accounts'), 1)
    }),
  )

  it(
    'repairs nothing in a database with dangling references, but still reports what is wrong',
    inDirectory(async ({ fsck, change, value }) => {
      change('update accounts set used_bytes = 1', 'delete from albums')
      const { json } = await fsck('repair')
      assert.deepEqual(json.repaired, [])
      assert.ok(['database_damaged', 'asset_wrong', 'use_wrong'].every((kind) => kinds(json.findings).includes(kind)))
      assert.equal(value('select used_bytes from accounts'), 1)
    }),
  )

  it(
    'reports a damaged database when a page of a table is lost',
    inDirectory(async ({ fsck, path, value }) => {
      const roots = ['drops', 'receipts', 'objects', 'links', 'chunks'].map((table) => value(ROOT_OF(table)))
      const whole = await readFile(join(path, 'blindkeep.sqlite'))
      const messages: string[] = []
      for (const root of roots) {
        await damagePage(path, root, (page) => page.fill(0xff))
        const { isWrong, json } = await fsck('repair')
        assert.deepEqual([isWrong, json.repaired], [true, []])
        assert.deepEqual(new Set(kinds(json.findings)), new Set(['database_damaged']))
        messages.push(...(await fsck()).json.findings.map(({ what }) => what))
        await writeFile(join(path, 'blindkeep.sqlite'), whole)
      }
      // SQLite's own message stays, also if further reading throws.
      assert.ok(
        messages.every((what) => /^\*\*\* in database main/.test(what)),
        messages.join(),
      )
    }),
  )

  it(
    'reports a damaged database for a file that is not a database',
    inDirectory(async ({ fsck, path, value }) => {
      assert.equal(value('select count(*) from accounts'), 1)
      await writeFile(join(path, 'blindkeep.sqlite'), new Uint8Array(8192).fill(1))
      assert.deepEqual(kinds((await fsck()).json.findings), ['database_damaged'])
    }),
  )

  it(
    'reports a trigger, a view, an index and a table that act in its statements and that no version of the server makes, and looks no further',
    inDirectory(async ({ fsck, path }) => {
      const database = new DatabaseSync(join(path, 'blindkeep.sqlite'))
      database.exec(`
        create trigger spare after update on log_head begin update accounts set used_bytes = 0; end;
        create view watched as select * from accounts;
        create table _replicated (id integer primary key, note text unique);
        create table keeping (account_id text references accounts);
        create unique index one_email on accounts (substr(email, 1, 1)) where false;
        alter table holds add column also text default 'x';
        drop index links_of_account`)
      database.close()
      const { isWrong, json, lines } = await fsck('repair')
      assert.equal(isWrong, true)
      assert.deepEqual(
        json.findings.map(({ kind, what }) => `${kind}: ${what}`),
        [
          'schema_changed: the database has the trigger spare',
          'schema_changed: the database has the view watched',
          'schema_changed: the database has the table keeping',
          'schema_changed: the database has the index one_email',
          'schema_changed: the database has no index links_of_account',
          'schema_changed: the database has another table holds',
        ],
      )
      assert.equal(lines.at(-1), '6 faults found.')
    }),
  )
})
