/** Runs `--exec`'s program for a saved file. Never through a shell: no guest's text is ever a command. */
import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import type { DescribedDrop } from '@blindkeep/client/owner'
import { LocalError, UsageError } from '../ground/exits.ts'
import { findProgram } from '../ground/programs.ts'
import { writePrivate } from '../home/files.ts'
import type { Inbox } from './inbox.ts'
import { factsOf, nameOf } from './items.ts'
import type { Steps } from './saveDrop.ts'

type LabelOf = Inbox['labelOf']

export interface Program {
  readonly command: string
  /** They come before the path of the file. */
  readonly args: readonly string[]
}

/** The program was run and did not end with 0, or could not be started. */
export class ProgramError extends LocalError {}

/** An interrupted program that does not end by itself is killed. */
const END_MS = 10_000

export interface ProgramFlags {
  readonly exec?: string
  readonly execArg?: readonly string[]
}

/** A mistyped one would fail for each file. Windows finds programs by more than their names. Throws `UsageError`. */
export async function requireProgram(exec: string): Promise<void> {
  if (process.platform === 'win32' || (await findProgram(exec)) !== undefined) return
  throw new UsageError(`--exec ${exec}: there is no such program, or you may not run it.`)
}

interface ProgramPorts {
  readonly labelOf: LabelOf
  /** Where all that is known of a drop is while its program runs. */
  readonly factsPath: string
}

/** What runs the program of the flags for a drop, one at a time. Undefined without a program. */
export function openProgram({ exec, execArg = [] }: ProgramFlags, { labelOf, factsPath }: ProgramPorts): Steps['run'] {
  if (exec === undefined) return undefined
  let last: Promise<unknown> = Promise.resolve()
  return (file, drop, signal) => {
    const running = last.then(async () => {
      const label = await labelOf(drop.opaqueId)
      const variables = { ...variablesOf(file, drop, label), BLINDKEEP_FACTS: factsPath }
      await writePrivate(factsPath, `${JSON.stringify({ ...factsOf(drop, label), path: file })}\n`)
      try {
        await runProgram({ command: exec, args: execArg }, { file, variables, signal })
      } finally {
        await rm(factsPath, { force: true })
      }
    })
    last = running.catch(() => undefined)
    return running
  }
}

/**
 * Those that fit into a variable: answers are in the file of `BLINDKEEP_FACTS` alone. Not on standard input, which a
 * program that asks for nothing may read all the same, as ssh does. The name is the safe one: a script may use it for a
 * file.
 */
function variablesOf(file: string, drop: DescribedDrop, label: string | undefined): Variables {
  return {
    BLINDKEEP_FILE: file,
    BLINDKEEP_NAME: nameOf(drop),
    BLINDKEEP_SENDER: drop.file.sender,
    BLINDKEEP_NOTE: drop.file.note,
    BLINDKEEP_SIZE: String(drop.file.size),
    BLINDKEEP_DROP_ID: drop.dropId,
    BLINDKEEP_LINK_ID: drop.opaqueId,
    BLINDKEEP_LINK_LABEL: label,
    BLINDKEEP_RECEIVED_AT: drop.receivedAt,
  }
}

export type Variables = Readonly<Record<`BLINDKEEP_${string}`, string | undefined>>

/** Resolves for 0. Its output goes to standard error. Throws `ProgramError`, and the signal's reason. */
async function runProgram(
  { command, args }: Program,
  { file, variables, signal }: { readonly file: string; readonly variables: Variables; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted()
  const child = spawn(command, [...args, file], { env: environmentOf(variables), stdio: ['ignore', 2, 2] })
  let killing: NodeJS.Timeout | undefined
  const stop = () => {
    child.kill('SIGTERM')
    killing = setTimeout(() => child.kill('SIGKILL'), END_MS)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const ended = await new Promise<string>((resolve) => {
      child.once('error', ({ message }) => resolve(`cannot be started: ${message}`))
      child.once('exit', (status, by) => resolve(status === 0 ? '' : `ended with ${status ?? by}`))
    })
    if (ended === '') return
    signal.throwIfAborted()
    throw new ProgramError(`${command} ${ended}. The file is at ${file}. It is run again at the next start.`)
  } finally {
    signal.removeEventListener('abort', stop)
    clearTimeout(killing)
  }
}

/** Secrets that this program takes from its environment are no business of another one. */
const PASSED_ON: readonly string[] = ['BLINDKEEP_HOME', 'BLINDKEEP_PROFILE']

function environmentOf(variables: Variables): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('BLINDKEEP_') || PASSED_ON.includes(name))
  // The system takes no NUL in a variable.
  const given = Object.entries(variables).map(([name, value = '']) => [name, value.replaceAll('\0', '')])
  return Object.fromEntries([...own, ...given])
}
