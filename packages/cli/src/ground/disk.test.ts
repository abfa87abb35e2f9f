import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { ifDiskHas, makeFolder, streamOf } from './disk.ts'

const root = await mkdtemp(join(tmpdir(), 'blindkeep-disk-'))
after(() => rm(root, { recursive: true, force: true }))

it('a file that is a folder is named by its path, which the system does not say', async () => {
  await assert.rejects(buffer(streamOf(root)), { code: 'EISDIR', path: root })
})

describe('a folder', () => {
  it('is made with those above it, and is left as it is', async () => {
    const path = join(root, 'one', 'two', 'three')
    for (const _ of [1, 2]) makeFolder(path, 0o700)
    assert.equal((await stat(path)).mode & 0o777, 0o700)
  })

  it('is refused where there is a file, and where the disk takes none', async () => {
    await writeFile(join(root, 'file'), '')
    assert.throws(() => makeFolder(join(root, 'file')), { code: 'ENOTDIR' })
    assert.throws(() => makeFolder(join(root, 'file', 'below')), { code: 'ENOTDIR' })
    if (process.platform === 'linux')
      assert.throws(() => makeFolder('/proc/none/below'), { code: 'ENOENT', path: '/proc/none' })
  })
})

it('what a disk lacks is done without, in whatever words the system says so; every other failure stays one', async () => {
  const failing = (code: string) => ifDiskHas(() => Promise.reject(Object.assign(new Error(), { code })))
  for (const code of ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM'])
    assert.equal(await failing(code), false, code)
  for (const code of ['EIO', 'ENOSPC']) await assert.rejects(failing(code), { code })
})
