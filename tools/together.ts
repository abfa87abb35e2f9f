/**
 * Runs npm scripts at the same time: `node tools/together.ts check test:rules`. With `--at-once 3` never more than
 * three; the next one starts when one ends. The one of `--first` begins before the others. Prints the output of each
 * script in one piece when it has ended, and what failed once more at the end, where readers of a long log look first.
 * Exits with 1 when any script has failed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { COMPILED } from '../testing/command.ts'
import { argumentsOf } from './arguments.ts'

const { values, positionals: names } = argumentsOf(
  'node tools/together.ts [--at-once 3] [--first SCRIPT] SCRIPT …',
  { 'at-once': { type: 'string' }, first: { type: 'string' } },
  { maxPositionals: Number.POSITIVE_INFINITY },
)
const waiting = [...(values.first === undefined ? [] : [values.first]), ...names]
const failed: string[] = []
/** Where the reports of Node's tests list what failed. */
const FAILURES = '✖ failing tests:'
const MAX_SHOWN_CHARACTERS = 4_000
await Promise.all(Array.from({ length: Number(values['at-once'] ?? waiting.length) }, runWaiting))
if (failed.length > 0) console.error(`failed:\n${failed.join('\n')}`)
process.exitCode = failed.length > 0 ? 1 : 0

async function runWaiting(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const startedAt = performance.now()
    const { status, output } = await run(name)
    if (status !== 0) failed.push(`${name}\n${failuresIn(output)}`)
    console.log(`${name} took ${Math.round((performance.now() - startedAt) / 1000)} s`)
  }
}

/** The list of what failed, without which the end of the output. */
function failuresIn(output: string): string {
  const listed = output.lastIndexOf(FAILURES)
  return listed < 0 ? output.slice(-MAX_SHOWN_CHARACTERS) : output.slice(listed, listed + MAX_SHOWN_CHARACTERS)
}

async function run(name: string): Promise<{ readonly status: number | null; readonly output: string }> {
  const child = spawn('npm', ['run', name], {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const pieces: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece))
  const [status] = await once(child, 'close')
  const output = Buffer.concat(pieces).toString()
  process.stdout.write(output)
  return { status, output }
}
