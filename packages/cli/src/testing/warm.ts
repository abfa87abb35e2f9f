/** Calls in the process of `warmProgram.ts`, which all test files of this process share. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { createProgram } from '../program.ts'
import type { Outcome, WarmCall } from './warmProgram.ts'

const PROGRAM = fileURLToPath(new URL('warmProgram.ts', import.meta.url))
/** For `NODE_OPTIONS`: a server can have public names (`names.ts`). */
export const WITH_NAMES = `--import=${new URL('names.ts', import.meta.url).href}`

const commands = createProgram()
/** The commands that have had a process of their own. */
const started = new Set<Command>()
let warm: ChildProcess | undefined
let isBusy = false

/**
 * Undefined where the call gets a process of its own: the first one of each command, which shows that it loads and that
 * its process ends, and one that runs beside another. `main`: the program's entry.
 */
export function warmOutcome(main: string, call: WarmCall): Promise<Outcome> | undefined {
  const command = commandOf(call.args)
  if (!isBusy && started.has(command)) return outcomeOf(main, call)
  started.add(command)
  return undefined
}

async function outcomeOf(main: string, call: WarmCall): Promise<Outcome> {
  isBusy = true
  const child = warm ?? fork(PROGRAM, [main], { serialization: 'advanced', execArgv: [WITH_NAMES] })
  warm = child
  // While no call runs, it does not keep the tests' process.
  for (const handle of [child, child.channel]) handle?.ref()
  const stop = new AbortController()
  try {
    const ended = once(child, 'exit', stop).then(() => {
      warm = undefined
      throw new Error(`the process for many calls has ended in "${call.args.join(' ')}"`)
    })
    child.send(call)
    const [outcome] = await Promise.race([once(child, 'message', stop), ended])
    return outcome
  } finally {
    stop.abort()
    for (const handle of [child, child.channel]) handle?.unref()
    isBusy = false
  }
}

function commandOf(args: readonly string[]): Command {
  let found = commands
  for (const arg of args) {
    const next = found.commands.find((command) => command.name() === arg)
    if (next === undefined) break
    found = next
  }
  return found
}
