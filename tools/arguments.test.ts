import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parsedOnce } from './arguments.ts'
import { ROOT } from './projectFiles.ts'

const SCRIPTS = [
  ...['build', 'conformanceReadme', 'dependencies', 'dev', 'docs', 'openapi', 'pack', 'release'].map(inTools),
  ...['tests', 'together', 'words'].map(inTools),
  ...['bench/run.ts', 'conformance/run.ts', 'conformance/checker/main.ts', 'demo/demo.ts', 'faults/run.ts'],
  ...['packages/web/build.ts', 'packages/web/e2e/screenshots.ts', 'testing/earlier/make.ts', 'vectors/make.ts'],
]

function inTools(name: string): string {
  return `tools/${name}.ts`
}

/** In an empty directory. `left`: what is there afterwards. */
async function run(script: string, option: string) {
  const cwd = await mkdtemp(join(tmpdir(), 'blindkeep-arguments-'))
  const args = ['--disable-warning=ExperimentalWarning', join(ROOT, script), option]
  try {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, timeout: 60_000, encoding: 'utf8' })
    return { status, stdout, stderr, left: await readdir(cwd) }
  } finally {
    await rm(cwd, { recursive: true })
  }
}

it('an option with a value is given once, unless it may be repeated', () => {
  const options = {
    seed: { type: 'string' },
    quick: { type: 'boolean' },
    bucket: { type: 'string', multiple: true },
  } as const
  const parse = (...args: readonly string[]) => parsedOnce({ args: [...args], options }).values
  assert.throws(() => parse('--seed', '1', '--seed=2'), /'--seed' is given twice/)
  assert.deepEqual(
    { ...parse('--seed', '1', '--quick', '--quick', '--bucket', 'a', '--bucket', 'b') },
    {
      seed: '1',
      quick: true,
      bucket: ['a', 'b'],
    },
  )
})

describe('a script of the project', () => {
  for (const script of SCRIPTS)
    it(`says how it is called, and does nothing for what it does not know: ${script}`, async () => {
      const { status, stderr, left } = await run(script, '--chekc')
      assert.deepEqual([status, left], [2, []], stderr)
      assert.match(stderr, /--chekc.*(?:npm run|node )/s)
    })

  // The first reads its arguments as most do, the others themselves.
  for (const script of ['tools/words.ts', 'faults/run.ts', 'conformance/checker/main.ts'])
    it(`says how it is called when asked: ${script}`, async () => {
      const { status, stdout, stderr, left } = await run(script, '--help')
      assert.deepEqual([status, stderr, left], [0, '', []])
      assert.match(stdout, /npm run|node /)
    })
})
