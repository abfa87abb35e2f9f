/** `blindkeep`, for owners and guests. Results go to standard output, all else to standard error. */
import { CommanderError } from 'commander'
import { EXIT } from './ground/exits.ts'
import { tellLostOutput } from './ground/output.ts'
import { createProgram } from './program.ts'

const program = createProgram()
tellLostOutput()

await run()

async function run(): Promise<void> {
  try {
    await program.parseAsync()
  } catch (error) {
    // Commander has printed its own errors, and help.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage
    else {
      // The client's errors load half of the client, and --help has none.
      const { tellFailure } = await import('./outcomes/failures.ts')
      process.exitCode = tellFailure(error, program.opts())
    }
  }
}
