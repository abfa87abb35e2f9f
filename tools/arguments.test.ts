import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
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

function run(script: string, option: string, cwd: string) {
  const args = ['--disable-warning=ExperimentalWarning', join(ROOT, script), option]
  return new Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const child = execFile(process.execPath, args, { cwd, timeout: 60_000 }, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode, stdout, stderr }),
      )
    },
  )
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
      const cwd = await mkdtemp(join(tmpdir(), 'blindkeep-arguments-'))
      try {
        const help = await run(script, '--help', cwd)
        assert.deepEqual([help.status, help.stderr], [0, ''])
        assert.match(help.stdout, /npm run|node /)
        const unknown = await run(script, '--chekc', cwd)
        assert.equal(unknown.status, 2, unknown.stderr)
        assert.match(unknown.stderr, /--chekc/)
        assert.deepEqual(await readdir(cwd), [])
      } finally {
        await rm(cwd, { recursive: true })
      }
    })
})
