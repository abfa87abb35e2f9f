import { open, rm } from 'node:fs/promises'

/** The ending of a file that is being written, in the directory in which it gets its name. No finished file has it. */
export const UNFINISHED = '.new'

interface NewFile {
  readonly body: AsyncIterable<Uint8Array>
  /** Runs each system call. */
  readonly on: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** If absent, the user of this process. */
  readonly owner?: Owner
}

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * Writes a file (mode 0600) and syncs it. Replaces what a killed run has left, and follows no link that is there. The
 * caller removes the file after an error.
 */
export async function writeNewFile(path: string, { body, on, owner }: NewFile): Promise<void> {
  await on(() => rm(path, { force: true }))
  const file = await on(() => open(path, 'wx', 0o600))
  try {
    // By the open file: meanwhile the owner of the directory may put a link to another file at the path.
    if (owner !== undefined && !isOf(await on(() => file.stat()), owner))
      await on(() => file.chown(owner.uid, owner.gid))
    for await (const piece of body) await on(() => file.appendFile(piece))
    await on(() => file.sync())
  } finally {
    await on(() => file.close())
  }
}

export const isOf = (file: Owner, { uid, gid }: Owner): boolean => file.uid === uid && file.gid === gid
