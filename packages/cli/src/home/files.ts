/** What this machine remembers between calls: files that only this user may read. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { codeOf, ifDiskHas } from '../ground/disk.ts'

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
      await ifDiskHas(() => file.sync())
    } finally {
      await file.close()
    }
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/** On a disk without rights; Windows keeps them elsewhere. */
export async function othersMayRead(path: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(path)).mode & 0o044) !== 0
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}
