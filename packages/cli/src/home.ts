/** What this machine remembers between calls: files that only this user may read. */
import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { LocalError } from './exits.ts'

/** `BLINDKEEP_HOME`, or the place of the system for a user's settings (XDG Base Directory Specification, `XDG_CONFIG_HOME`). */
export function homeDirectory(env: NodeJS.ProcessEnv = process.env): string {
  if (env.BLINDKEEP_HOME) return env.BLINDKEEP_HOME
  if (process.platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'blindkeep')
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'blindkeep')
}

export async function readPrivate(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(unlessMissing)
}

/** Replaces the file in one step, durably: a kill or a power cut leaves the old one or the new one. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { mode: 0o700, recursive: true })
  const fresh = `${path}.${randomUUID()}`
  try {
    const file = await open(fresh, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/** Runs `work` while no other process of this user does so for `path`. Throws `LocalError` if one does. The lock of a process that has ended is void. */
export async function whileAlone<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`
  await mkdir(dirname(path), { mode: 0o700, recursive: true })
  if (!(await isLocked(lock))) {
    const holder = Number(await readPrivate(lock))
    if (isRunning(holder))
      throw new LocalError(`Process ${holder} sends this file already. Wait for it, or stop it and call this again.`)
    await rm(lock, { force: true })
    if (!(await isLocked(lock))) throw new LocalError('Another process sends this file already. Wait for it.')
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/** Makes the lock, which has the id of this process from its first moment. False if there is one. */
async function isLocked(lock: string): Promise<boolean> {
  const own = `${lock}.${randomUUID()}`
  await writeFile(own, String(process.pid), { mode: 0o600 })
  try {
    await link(own, lock)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

export function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It belongs to another user.
    return codeOf(error) === 'EPERM'
  }
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
