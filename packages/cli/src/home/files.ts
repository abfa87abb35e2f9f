/** What this machine remembers between calls: files that only this user may read. */
import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { withPath } from '@blindkeep/client/node'
import { ifDiskHas, makeFolder, unlessMissing } from '../ground/disk.ts'
import { LocalError } from '../ground/exits.ts'

/** `BLINDKEEP_HOME`, or the system's place for settings (XDG Base Directory Specification, `XDG_CONFIG_HOME`). */
export function homeDirectory(env: NodeJS.ProcessEnv = process.env): string {
  if (env.BLINDKEEP_HOME) return env.BLINDKEEP_HOME
  if (process.platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'blindkeep')
  return join(env.XDG_CONFIG_HOME || join(ownFolder(), '.config'), 'blindkeep')
}

/** A user id without a name has none, as in some containers. */
function ownFolder(): string {
  try {
    const folder = homedir()
    if (folder !== '') return folder
  } catch {}
  throw new LocalError(
    'This user has no home directory, where keys and receipts would be kept. Set BLINDKEEP_HOME to a folder for them.',
  )
}

export async function readPrivate(path: string): Promise<string | undefined> {
  return await withPath(path, () => readFile(path, 'utf8')).catch(unlessMissing)
}

/** Replaces the file in one step, durably: a kill or a power cut leaves the old one or the new one. */
export async function writePrivate(path: string, text: string): Promise<void> {
  // Not of the ending: this program lists its own files by that.
  const fresh = `${path}.${randomUUID()}`
  await withFresh(fresh, { path, text, named: () => rename(fresh, path) })
}

/**
 * A file that was not there, as a whole and durably, for this user alone. Throws `EEXIST` for anything that has the
 * name. On a disk without hard links a kill may leave an empty file.
 */
export async function writeNewPrivate(path: string, text: string): Promise<void> {
  // Of the ending: a folder that is sent leaves out what a kill has left of a proof.
  const fresh = join(dirname(path), `${randomUUID()}.${basename(path)}`)
  const named = async () => {
    if (await ifDiskHas(() => link(fresh, path))) return
    await (await open(path, 'wx', 0o600)).close()
    await rename(fresh, path)
  }
  await withFresh(fresh, { path, text, named })
}

interface Fresh {
  readonly path: string
  readonly text: string
  /** Gives it its path. */
  readonly named: () => Promise<void>
}

async function withFresh(fresh: string, { path, text, named }: Fresh): Promise<void> {
  makeFolder(dirname(path), 0o700)
  try {
    const file = await open(fresh, 'wx', 0o600)
    await withPath(path, async () => {
      try {
        await file.writeFile(text)
        await ifDiskHas(() => file.sync())
      } finally {
        await file.close()
      }
    })
    await named()
  } catch (error) {
    // The only name that the person knows.
    if (error instanceof Error && 'path' in error && error.path === fresh) Object.assign(error, { path })
    throw error
  } finally {
    await rm(fresh, { force: true })
  }
}

/** On a disk without rights; Windows keeps them elsewhere. */
export async function othersMayRead(path: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(path)).mode & 0o044) !== 0
}
