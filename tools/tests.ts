/**
 * Runs test files in this process: `node tools/tests.ts PATTERN …`. Does what `node --test --test-isolation=none` does,
 * without its promise hooks. `--shard 1/2`: only the first, third, fifth … file. `--timeout`: milliseconds for one
 * test. Node does not bound tests that wait in this mode, so a run in which nothing ends for that long is ended here.
 * `--in-memory`: temporary files are in memory, if there is enough, where no sync waits for a disk.
 */
import './noPromiseHooks.ts'
import { memoryDirectory } from '../testing/memoryDirectory.ts'
import { argumentsOf } from './arguments.ts'

const { run } = await import('node:test')
const { spec } = await import('node:test/reporters')

const { values, positionals } = argumentsOf(
  'node tools/tests.ts [--shard 1/2] [--timeout MILLISECONDS] [--in-memory] PATTERN …',
  {
    shard: { type: 'string', default: '1/1' },
    timeout: { type: 'string', default: '120000' },
    'in-memory': { type: 'boolean', default: false },
  },
  { maxPositionals: Number.POSITIVE_INFINITY },
)
const [index = 1, total = 1] = values.shard.split('/').map(Number)

const inMemory = values['in-memory'] ? memoryDirectory() : undefined
// Servers and browsers that tests start get it, too.
if (inMemory !== undefined) process.env.TMPDIR = inMemory

const timeout = Number(values.timeout)
let last = 'the loading of the files'
const watchdog = setTimeout(() => {
  console.error(`Nothing has ended for ${timeout / 1000} s after ${last}.`)
  process.exit(1)
}, timeout).unref()
const note =
  (what: string) =>
  ({ name }: { readonly name: string }) => {
    last = `the ${what} of "${name}"`
    watchdog.refresh()
  }

run({ globPatterns: positionals, isolation: 'none', timeout, shard: { index, total } })
  .on('test:start', note('start'))
  .on('test:pass', note('end'))
  .on('test:fail', note('end'))
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)
