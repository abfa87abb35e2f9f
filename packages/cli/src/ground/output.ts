/** Standard output and standard error, when what is behind them fails. */
import { EXIT } from './exits.ts'

/**
 * A reader that goes away (`| head`) does not stop what is under way. A result that is lost otherwise, on a full disk
 * for example, is reported: it may be an address or words that are shown only once. Then a call that ended well has
 * exit status 1.
 */
export function tellLostOutput(): void {
  process.stderr.on('error', () => undefined)
  let isLost = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isLost || error.code === 'EPIPE') return
    isLost = true
    const why = error.code === 'ENOSPC' ? 'the disk is full' : `the system answers ${error.code ?? error.message}`
    process.stderr.write(
      `blindkeep: standard output cannot be written: ${why}. What was done is done, and what was to be read there is lost. Mend that before the next call.\n`,
    )
  })
  process.once('exit', () => {
    if (isLost && !process.exitCode) process.exitCode = EXIT.failed
  })
}
