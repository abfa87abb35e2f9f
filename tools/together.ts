/**
 * Runs npm scripts at the same time: `node tools/together.ts check test:rules`. With `--at-once 3` never more than
 * three; the next one starts when one ends. Prints the output of each script in one piece when it has ended. Exits with
 * 1 after the last script when any of them has failed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { COMPILED } from '../testing/command.ts'
import { argumentsOf } from './arguments.ts'

const { values, positionals: names } = argumentsOf(
  'node tools/together.ts [--at-once 3] SCRIPT …',
  { 'at-once': { type: 'string' } },
  { maxPositionals: Number.POSITIVE_INFINITY },
)
const waiting = [...names]
const failed: string[] = []
await Promise.all(Array.from({ length: Number(values['at-once'] ?? names.length) }, runWaiting))
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0

async function runWaiting(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const startedAt = performance.now()
    if ((await run(name)) !== 0) failed.push(name)
    console.log(`${name} took ${Math.round((performance.now() - startedAt) / 1000)} s`)
  }
}

async function run(name: string): Promise<number | null> {
  const child = spawn('npm', ['run', name], {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const pieces: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece))
  const [status] = await once(child, 'close')
  process.stdout.write(Buffer.concat(pieces))
  return status
}
