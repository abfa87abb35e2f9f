import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { BackupFailed } from '../../ports/backup.ts'
import { openBackupDirectory } from './backupDirectory.ts'

function inDirectory(work: (root: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const root = await mkdtemp(join(tmpdir(), 'blindkeep-backup-directory-'))
    await work(root).finally(() => rm(root, { recursive: true }))
  }
}

const open = (path: string, apart: readonly string[] = [], mayBeMissing = true) =>
  openBackupDirectory({ path, apart, mayBeMissing })

async function* pieces(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) {
    if (text === 'broken') throw new RangeError('the body broke')
    yield Buffer.from(text)
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const piece of body) all.push(piece)
  return Buffer.concat(all).toString()
}

describe('the directory of a backup', () => {
  it(
    'is created with its parents, readable by its owner only, and returns what was added',
    inDirectory(async (root) => {
      const path = join(root, 'above', 'backup')
      const directory = await open(path)
      await directory.create()
      await directory.add('blobs/ab/name', pieces('one', 'two'))
      await directory.replaceManifest('the manifest')
      assert.equal(await textOf(directory.read('blobs/ab/name')), 'onetwo')
      assert.deepEqual([await directory.size('blobs/ab/name'), await directory.size('blobs/ab/none')], [6, undefined])
      const again = await open(path)
      assert.equal(await again.manifest(), 'the manifest')
      const modes = ['', 'blobs', 'blobs/ab', 'blobs/ab/name', 'backup.json'].map(
        async (name) => (await stat(join(path, name))).mode & 0o777,
      )
      assert.deepEqual(await Promise.all(modes), [0o700, 0o700, 0o700, 0o600, 0o600])
    }),
  )

  it(
    'takes no file of any size for its manifest',
    inDirectory(async (root) => {
      const directory = await open(root)
      await writeFile(join(root, 'backup.json'), '{}')
      await truncate(join(root, 'backup.json'), 1024 ** 4)
      await assert.rejects(directory.manifest(), /backup\.json is no manifest of a backup: it has 1099511627776 bytes/)
    }),
  )

  it(
    'waits for no pipe in the place of a file',
    inDirectory(async (root) => {
      const directory = await open(root)
      execFileSync('mkfifo', [join(root, 'name')])
      assert.equal(await textOf(directory.read('name')), '')
    }),
  )

  it(
    'contains only complete files, and lists the temporary files of a killed run',
    inDirectory(async (root) => {
      const directory = await open(root)
      await assert.rejects(directory.add('blobs/ab/name', pieces('one', 'broken')), RangeError)
      assert.deepEqual(await readdir(join(root, 'blobs/ab')), [])
      await writeFile(join(root, 'blobs/ab/other.new'), 'on')
      await directory.replaceManifest('the manifest')
      const names: string[] = []
      for await (const name of directory.list()) names.push(name)
      assert.deepEqual(names, ['blobs/ab/other.new'])
      await directory.remove('blobs/ab/other.new')
      await directory.remove('blobs/ab/other.new')
      await assert.rejects(textOf(directory.read('blobs/ab/other.new')), BackupFailed)
    }),
  )

  it(
    'is refused if it has other files, and accepted if it is an empty file system',
    inDirectory(async (root) => {
      await mkdir(join(root, 'lost+found'))
      await open(root)
      await writeFile(join(root, 'letter.txt'), '')
      await assert.rejects(open(root), /has letter.txt, which does not belong to a backup/)
      await assert.rejects(open(join(root, 'missing'), [], false), /there is no directory/)
    }),
  )

  it(
    'is refused inside the data directory, as its parent, and behind a symbolic link into it',
    inDirectory(async (root) => {
      const data = join(root, 'data')
      await mkdir(data)
      await symlink(data, join(root, 'link'))
      for (const path of [data, join(data, 'backup'), root, join(root, 'link', 'backup')])
        await assert.rejects(open(path, [data]), /are inside each other/, path)
      await open(join(root, 'data-backup'), [data])
      await writeFile(join(root, 'file'), '')
      const [backup, below] = [join(root, 'backup'), join(root, 'file', 'data')]
      await assert.rejects(
        open(backup, [below]),
        new RegExp(`^BackupFailed: the server’s own ${below} answered ENOTDIR`),
      )
      await assert.rejects(
        open(below, [data]),
        new RegExp(`^BackupFailed: the backup directory ${below} answered ENOTDIR`),
      )
    }),
  )

  it(
    'follows no symbolic link in it',
    inDirectory(async (root) => {
      const [path, other] = [join(root, 'backup'), join(root, 'other')]
      await mkdir(join(other, 'ab'), { recursive: true })
      await writeFile(join(other, 'precious'), 'precious')
      await mkdir(join(path, 'blobs'), { recursive: true })
      for (const [name, target] of [
        ['blobs/ab', join(other, 'ab')],
        ['staged', other],
        ['backup.json', join(other, 'precious')],
        ['backup.json.new', join(other, 'precious')],
      ] as const) {
        await symlink(target, join(path, name))
        await assert.rejects(open(path), new RegExp(`${name} is no file or directory that a backup has`))
        await rm(join(path, name))
      }
      const directory = await open(path)
      // Meanwhile.
      await symlink(join(other, 'precious'), join(path, 'backup.json.new'))
      await directory.replaceManifest('the manifest')
      assert.equal(await readFile(join(other, 'precious'), 'utf8'), 'precious')
      assert.equal(await directory.manifest(), 'the manifest')
    }),
  )
})
