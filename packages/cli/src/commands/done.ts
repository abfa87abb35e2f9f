import type { Command } from 'commander'
import type { Exit } from '../ground/exits.ts'

/** Ends the process with the exit status of a command, once nothing is left to do. */
export async function done(command: Promise<Exit>): Promise<void> {
  process.exitCode = await command
}

/** Takes the arguments of its command, as parsed, and then all flags. */
type Work = (...given: never[]) => Promise<Exit>

/** What a command does. It is loaded when the command is called: --help and other commands do not need it. */
export function does(load: () => Promise<Work>) {
  return async (...given: unknown[]): Promise<void> => {
    const flagsAt = given.length - 2
    const work = await load()
    // Commander knows no types: what a work takes stands beside the arguments and options of its command.
    const run = work as (...given: unknown[]) => Promise<Exit>
    if (run.length > flagsAt + 1) throw new Error('a command takes more than its arguments and flags')
    const command = given[flagsAt + 1] as Command
    await done(run(...given.slice(0, flagsAt), command.optsWithGlobals()))
  }
}
