import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
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

  it('belongs to the owner of the directory when root takes it, so that the owner takes it next', {
    skip: process.geteuid?.() === 0 ? false : 'needs root',
  }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-lock-'))
    try {
      await chown(directory, 65_534, 65_534)
      for (const use of ['server', 'backup', 'repair'] as const) {
        const lock = await lockDirectory(directory, use)
        lock.release()
        const { uid, gid } = await stat(join(directory, `${use}.lock`))
        assert.deepEqual([uid, gid], [65_534, 65_534])
      }
      assert.equal(lockedByUser(directory), '')
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it('is not left to root by a command of root that was killed while it made it', {
    skip: process.geteuid?.() !== 0 ? 'needs root' : existsSync('/usr/bin/strace') ? false : 'needs strace',
  }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-lock-'))
    try {
      await chown(directory, 65_534, 65_534)
      const fault = ['-f', '-qq', '-o', '/dev/null', '-e', 'inject=fchown:signal=KILL']
      const { signal, status } = spawnSync('strace', [...fault, process.execPath, ...lockingIn(directory)])
      assert.ok(signal === 'SIGKILL' || status === 137, `it ended with ${signal ?? status}`)
      assert.equal(lockedByUser(directory), '')
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it('names a file that another user has left, and the user who may not use it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-lock-'))
    try {
      const path = join(directory, 'backup.lock')
      await writeFile(path, '', { mode: 0o400 })
      await chmod(directory, 0o777)
      assert.match(lockedByUser(directory), new RegExp(`^the user .* may not read and write ${path}, .*chown`))
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})

/** What a person reads when a user whom file modes bind takes the lock. A process of root gives up its user for it. */
function lockedByUser(directory: string): string {
  const flags = lockingIn(directory, `if (${process.geteuid?.() === 0}) process.setuid(65_534)`)
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}

/** How Node is called to take the lock, after `first`. */
function lockingIn(directory: string, first = ''): readonly string[] {
  const urlOf = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const script = `
    const { lockDirectory } = await import(${urlOf('./directoryLock.ts')})
    const { errorText } = await import(${urlOf('../../../ground/errorText.ts')})
    ${first}
    await lockDirectory(${JSON.stringify(directory)}, 'backup').catch((error) => console.log(errorText(error)))`
  return ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
}
