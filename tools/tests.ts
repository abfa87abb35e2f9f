/** Runs test files in this process: `node tools/tests.ts PATTERN …`. Does what `node --test --test-isolation=none` does, without its promise hooks. */
import './noPromiseHooks.ts'

const { run } = await import('node:test')
const { spec } = await import('node:test/reporters')

run({ globPatterns: process.argv.slice(2), isolation: 'none', timeout: 120_000 })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)
