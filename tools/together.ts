/**
 * Runs npm scripts at the same time: `node tools/together.ts check test:rules`. Prints the output of each script in one piece when it has ended.
 * Exits with 1 after the last script when any of them has failed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { COMPILED } from '../testing/command.ts'

const names = process.argv.slice(2)
const statuses = await Promise.all(names.map(run))
const failed = names.filter((_, index) => statuses[index] !== 0)
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0

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
