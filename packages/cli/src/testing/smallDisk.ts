/** A disk that a test can fill: of 1 MiB, in memory. Needs root on Linux. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const command = promisify(execFile)

/** For `skip` of a test. */
export const noSmallDisk = (await isMountable()) ? false : 'needs a small file system of its own: root on Linux'

async function isMountable(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'blindkeep-mount-'))
  try {
    await onSmallDisk(join(folder, 'disk'), async () => undefined)
    return true
  } catch {
    return false
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Runs `work` while the new `folder` is such a disk. */
export async function onSmallDisk(folder: string, work: () => Promise<void>): Promise<void> {
  await mkdir(folder)
  await command('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder])
  try {
    await work()
  } finally {
    await command('umount', [folder])
  }
}

export async function fillDisk(folder: string): Promise<void> {
  await writeFile(join(folder, 'filling'), new Uint8Array(1024 * 1024)).catch(() => undefined)
}
