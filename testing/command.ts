/** Runs an operator's command as a process, as an operator does, usually beside a running server. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundled } from '../tools/bundle.ts'

export const CLI = join(await bundled('server'), 'cli.js')
/** Node's compile cache for all processes: commands and starts mostly load code. */
export const COMPILED = fileURLToPath(new URL('../node_modules/.cache/blindkeep-compiled', import.meta.url))
/** A command takes less than a second; on a busy machine it has taken twenty. */
const TIMEOUT_MS = 60_000
/** A check with thousands of findings prints a lot. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

export interface CommandOutcome {
  /** 0 done · 1 failed, or found a fault · 2 wrong usage; null when a signal ended it. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `env` is the whole environment of the command: the settings of its server. */
export function runCommand(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', CLI, ...args],
      {
        cwd,
        env: { ...env, NODE_COMPILE_CACHE: COMPILED },
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT_BYTES,
      },
      (_error, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
    )
  })
}
