/**
 * The command line for many calls, one after the other, in a process that is ready: starting one takes ten times what
 * most calls take. Each runs the entry of the bundle again, with its own arguments, environment, directory and streams.
 */
import { Readable, Writable } from 'node:stream'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'

export interface WarmCall {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly input: Uint8Array
}

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const [node = '', , main = ''] = process.argv
/** Between two looks at what a call has left running. */
const LOOK_MS = 5
let calls = 0

// Each call leaves a listener for the end of the process.
process.setMaxListeners(0)
process.on('disconnect', () => process.exit())
process.on('message', async (call: WarmCall) => process.send?.(await outcomeOf(call)))

async function outcomeOf({ args, env, cwd, input }: WarmCall): Promise<Outcome> {
  process.argv = [node, main, ...args]
  // In place, because Node reads some variables from the system.
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.exitCode = undefined
  const [stdout, stderr] = [gathered(), gathered()]
  const streams = { stdin: Readable.from([input]), stdout: stdout.stream, stderr: stderr.stream }
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true })
  calls += 1
  const before = process.getActiveResourcesInfo().length
  await import(`${main}?call=${calls}`)
  // A process of its own would not have ended before: a call that leaves a timer or a server running does not end.
  await turn()
  while (process.getActiveResourcesInfo().length > before) await wait(LOOK_MS, undefined, { ref: false })
  return { status: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() }
}

function gathered(): { readonly stream: Writable; text(): string } {
  const pieces: Buffer[] = []
  const stream = new Writable({
    write(piece, _, done) {
      // A copy: the program frees what is written.
      pieces.push(Buffer.from(piece))
      done()
    },
  })
  return { stream, text: () => Buffer.concat(pieces).toString() }
}
