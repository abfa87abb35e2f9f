/**
 * Runs test files in this process: `node tools/tests.ts PATTERN …`. Does what `node --test --test-isolation=none` does, without its promise hooks.
 * `--shard 1/2`: only the first, third, fifth … file. `--timeout`: milliseconds for one test.
 */
import './noPromiseHooks.ts'
import { parseArgs } from 'node:util'

const { run } = await import('node:test')
const { spec } = await import('node:test/reporters')

const { values, positionals } = parseArgs({
  options: { shard: { type: 'string', default: '1/1' }, timeout: { type: 'string', default: '120000' } },
  allowPositionals: true,
})
const [index = 1, total = 1] = values.shard.split('/').map(Number)

run({ globPatterns: positionals, isolation: 'none', timeout: Number(values.timeout), shard: { index, total } })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)
