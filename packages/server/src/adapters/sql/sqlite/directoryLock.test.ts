import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { DirectoryInUse, lockDirectory } from './directoryLock.ts'

describe('the lock of a data directory', () => {
  it('refuses a second process until the first releases it, and reports no other error as a second process', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-lock-'))
    try {
      const lock = await lockDirectory(directory)
      await assert.rejects(lockDirectory(directory), DirectoryInUse)
      lock.release()
      const again = await lockDirectory(directory)
      again.release()
      await writeFile(
        join(directory, 'backup.lock'),
        'no database at all, and longer than the header of one: '.repeat(20),
      )
      await assert.rejects(lockDirectory(directory, 'backup'), (error) => !(error instanceof DirectoryInUse))
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
