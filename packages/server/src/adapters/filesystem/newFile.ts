import { open, rm } from 'node:fs/promises'

/** The ending of a file that is being written, in the directory in which it gets its name. No finished file has it. */
export const UNFINISHED = '.new'

/**
 * Writes a file (mode 0600) and syncs it. Replaces what a killed run has left, and follows no link that is there. `on`
 * runs each system call. The caller removes the file after an error.
 */
export async function writeNewFile(
  path: string,
  body: AsyncIterable<Uint8Array>,
  on: <Result>(work: () => Promise<Result>) => Promise<Result>,
): Promise<void> {
  await on(() => rm(path, { force: true }))
  const file = await on(() => open(path, 'wx', 0o600))
  try {
    for await (const piece of body) await on(() => file.appendFile(piece))
    await on(() => file.sync())
  } finally {
    await on(() => file.close())
  }
}
