import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import type { UploadId } from '@blindkeep/protocol/ids'
import { MARKER } from '../adapters/filesystem/marker.ts'
import { lockDirectory } from '../adapters/sql/sqlite/directoryLock.ts'
import { FILLED_BYTES } from '../testing/fsck.ts'
import { inDirectory, kinds } from '../testing/fsckDirectory.ts'
import { UsageError } from './command.ts'

async function flipByte(path: string): Promise<void> {
  const content = await readFile(path)
  content.writeUInt8(content.readUInt8(0) ^ 1)
  await writeFile(path, content)
}

describe('blindkeep-server fsck --repair-from', () => {
  it(
    'brings back what is missing, cut short or damaged, and nothing else',
    inDirectory(async ({ fsck, fsckFrom, backUp, fileOf, filled, value, change }) => {
      const backup = await backUp()
      const { pending, adopted, metadata, deletedBlob } = filled
      const before = await readFile(fileOf(deletedBlob))
      await flipByte(fileOf(pending.uploadId))
      await rm(fileOf(adopted.uploadId))
      await truncate(fileOf(metadata), 7)
      const shallow = await fsckFrom(backup)
      assert.deepEqual(
        [shallow.isWrong, kinds(shallow.json.repaired), shallow.json.brought_back],
        [false, ['file_missing', 'file_size_wrong'], { objects: 2, bytes: 2 * FILLED_BYTES }],
      )
      assert.match(
        shallow.lines.at(-1) ?? '',
        /^All that was found is repaired\. The bytes .* not read: --deep reads them\.$/,
      )
      const dry = await fsckFrom(backup, 'deep', 'dry-run')
      assert.equal(
        dry.json.findings[0]?.todo.includes(`\`blindkeep-server fsck --deep --repair-from ${backup}\``),
        true,
      )
      await truncate(fileOf(metadata), 7)
      change(`update objects set damaged_at = 1 where location = '${filled.locations.get(metadata)}'`)
      const deep = await fsckFrom(backup, 'deep')
      assert.deepEqual([deep.isWrong, kinds(deep.json.repaired)], [false, ['bytes_wrong', 'file_size_wrong']])
      assert.match(deep.lines.join('\n'), /2 objects brought back \(200 B\)\nAll is repaired\.$/)
      const after = await fsck('deep')
      assert.deepEqual([after.lines.at(-1), after.json.findings], ['All is intact.', []])
      assert.equal(value('select count(*) from objects where damaged_at is not null'), 0)
      assert.ok((await readFile(fileOf(deletedBlob))).equals(before))
      assert.equal((await fsckFrom(backup, 'deep')).json.brought_back?.objects, 0)
    }),
  )

  it(
    'names what it cannot bring back, and why',
    inDirectory(async ({ fsck, fsckFrom, backUp, fileOf, filled, path }) => {
      const backup = await backUp()
      const { pending, adopted, metadata, open } = filled
      const inBackup = (upload: UploadId) => fileOf(upload).replace(join(path, 'blobs'), join(backup, 'blobs'))
      for (const each of [pending.uploadId, adopted.uploadId, metadata]) await rm(fileOf(each))
      await truncate(fileOf(open), 7)
      await rm(inBackup(pending.uploadId))
      await flipByte(inBackup(adopted.uploadId))
      const { isWrong, json, lines } = await fsckFrom(backup)
      assert.deepEqual([isWrong, json.brought_back], [true, { objects: 1, bytes: FILLED_BYTES }])
      const said = json.findings.map(({ kind, from_backup }) => `${kind}: ${from_backup}`)
      assert.deepEqual(said.toSorted(), [
        'file_missing: not brought back: the backup does not have it',
        'file_missing: not brought back: the backup has other bytes in its place',
        'file_size_wrong: not brought back: no backup completes an unfinished upload',
      ])
      assert.match(lines.join('\n'), / {4}not brought back: the backup does not have it\n {4}`blindkeep-server fsck/)
      assert.deepEqual(kinds((await fsck()).json.findings), ['file_missing', 'file_missing', 'file_size_wrong'])
    }),
  )

  it(
    'says with --dry-run what it would bring back, and changes nothing',
    inDirectory(async ({ fsckFrom, backUp, fileOf, filled, path, value, change }) => {
      const backup = await backUp()
      const { pending, adopted } = filled
      change('update accounts set used_bytes = 1')
      await flipByte(fileOf(pending.uploadId))
      await rm(fileOf(adopted.uploadId))
      const { isWrong, json } = await fsckFrom(backup, 'deep', 'dry-run', 'repair')
      assert.deepEqual([isWrong, json.repaired, json.brought_back], [true, [], undefined])
      assert.deepEqual(json.findings.map(({ kind, from_backup }) => `${kind}: ${from_backup}`).toSorted(), [
        'bytes_wrong: the backup has it',
        'file_missing: the backup has it',
        'use_wrong: undefined',
      ])
      assert.equal(value('select used_bytes from accounts'), 1)
      assert.equal(value('select count(*) from objects where damaged_at is not null'), 0)
      assert.ok(!existsSync(fileOf(adopted.uploadId)) && !existsSync(join(path, 'blobs', 'repair.lock')))
    }),
  )

  it(
    'brings all objects back to a directory that has lost them, and clears what a killed run has left',
    inDirectory(async ({ fsck, fsckFrom, backUp, fileOf, filled, path }) => {
      const backup = await backUp()
      const left = `${fileOf(filled.cancelled)}.new`
      await rm(join(path, 'blobs'), { recursive: true })
      await mkdir(dirname(left), { recursive: true })
      await writeFile(left, 'half')
      await writeFile(join(path, 'blobs', MARKER), '')
      const { json } = await fsckFrom(backup)
      assert.deepEqual(json.brought_back, { objects: 4, bytes: 4 * FILLED_BYTES })
      // The session that had half its bytes starts again.
      assert.deepEqual(kinds((await fsck('deep')).json.findings), ['chunk_wrong', 'file_size_wrong'])
      assert.ok(!existsSync(left))
    }),
  )

  it(
    'releases the directory that it cannot clear of what a killed run has left',
    inDirectory(async ({ fsckFrom, backUp, path }) => {
      const backup = await backUp()
      const prefix = join(path, 'blobs', 'fe')
      await rm(prefix, { recursive: true, force: true })
      await writeFile(prefix, '')
      await assert.rejects(fsckFrom(backup), /ENOTDIR/)
      const lock = await lockDirectory(join(path, 'blobs'), 'repair')
      lock.release()
    }),
  )

  it(
    'goes on after a damaged row that names no object',
    inDirectory(async ({ fsckFrom, backUp, fileOf, filled, change }) => {
      const backup = await backUp()
      const { pending, adopted, locations } = filled
      await rm(fileOf(adopted.uploadId))
      change(
        `update objects set location = '../passwd', damaged_at = 1 where location = '${locations.get(pending.uploadId)}'`,
      )
      const { isWrong, json } = await fsckFrom(backup)
      assert.deepEqual([isWrong, json.brought_back?.objects, kinds(json.repaired)], [true, 1, ['file_missing']])
      assert.ok(kinds(json.findings).includes('object_damaged'))
    }),
  )

  it(
    'brings nothing back by the rows of a damaged database, and says so',
    inDirectory(async ({ fsckFrom, backUp, fileOf, filled, change }) => {
      const backup = await backUp()
      change('delete from albums')
      await rm(fileOf(filled.pending.uploadId))
      const { isWrong, json } = await fsckFrom(backup)
      assert.deepEqual([isWrong, json.repaired, json.brought_back?.objects], [true, [], 0])
      const said = json.findings.find(({ kind }) => kind === 'file_missing')?.from_backup
      assert.equal(said, 'not brought back: the rows of a damaged database are not believed')
      assert.ok(!existsSync(fileOf(filled.pending.uploadId)))
    }),
  )

  it(
    'refuses a directory without a finished backup, the backup of another server, a second repair, and a wrong call',
    inDirectory(async ({ fsck, fsckFrom, backUp, path }) => {
      const backup = await backUp()
      await assert.rejects(fsck('dry-run'), UsageError)
      await assert.rejects(fsckFrom(`${path}-none`), /there is no directory/)
      await assert.rejects(fsckFrom(join(path, 'blobs')), /inside each other/)
      const lock = await lockDirectory(join(path, 'blobs'), 'repair')
      await assert.rejects(fsckFrom(backup), /another repair of .* is under way/)
      lock.release()
      const manifest = join(backup, 'backup.json')
      const text = await readFile(manifest, 'utf8')
      await writeFile(manifest, text.replace(/("server_key_id": ")[0-9a-f]{8}/, '$100000000'))
      await assert.rejects(fsckFrom(backup), /backup of another server, https:\/\/keep\.example/)
      await rm(manifest)
      await assert.rejects(fsckFrom(backup), /holds no finished backup/)
    }),
  )
})
