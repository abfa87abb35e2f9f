/** Runs one of the operator's commands as a process of its own, as an operator does, usually beside a running server. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const CLI = fileURLToPath(new URL('../packages/server/src/cli.ts', import.meta.url))
/** Where code is kept compiled between one process and the next: most of a command's time, and of a server's start, goes into loading it. */
export const COMPILED = fileURLToPath(new URL('../node_modules/.cache/blindkeep-compiled', import.meta.url))
/** Commands of tests take less than a second; a busy machine has made them take twenty. */
const TIMEOUT_MS = 60_000
/** A check that finds thousands of things wrong has much to say. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

export interface CommandOutcome {
  /** 0 done · 1 could not be done, or something was found wrong · 2 the call was wrong; null when a signal ended it. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `env` is all that it is told: the settings of the server that it is for. */
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
