import type { Exit } from '../ground/exits.ts'

/** Ends the process with the exit status of a command, once nothing is left to do. */
export async function done(command: Promise<Exit>): Promise<void> {
  process.exitCode = await command
}
