/** The packed programs on Node 22, by the server’s README; the packed libraries' types in a program. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installNode, installPacked, npmInstall, type Packed } from '../../../testing/packed.ts'
import { freePort } from '../../../testing/startServer.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const TYPES = join(ROOT, 'node_modules', '@types')
const COMPILER = join(ROOT, 'node_modules', '.bin', 'tsc')
const README_ADDRESS = 'http://127.0.0.1:8080'
const START_MS = 120_000
/** What an installed server may take on the disk, Node aside. */
const MAX_INSTALLED_BYTES = 40_000_000
const PROGRAM = `
import { logIn } from '@blindkeep/client/account'
import { nodeEnvironment } from '@blindkeep/client/node'
import type { Owner } from '@blindkeep/client/owner'
import { parseSize } from '@blindkeep/protocol/byteSizes'

export async function ownerOf(baseUrl: string, email: string, password: string): Promise<Owner | undefined> {
  return (await logIn({ baseUrl, email, password, environment: nodeEnvironment })).owner
}
export const size: number | undefined = parseSize('1 KiB')
// @ts-expect-error the types are there: a size is no text
export const text: string = parseSize('1 KiB')
`

let packed: Packed
before(async () => {
  packed = await installPacked()
})
after(() => packed?.remove())

describe('the packages', () => {
  // On Node 24 `moving.test.ts` follows the same README.
  it('bring a stranger to a received file on Node 22', async (t) => {
    const bin = await installNode(packed, '22')
    if (bin === undefined) return t.skip('there is no package with this Node for this system')
    const env = { ...packed.environment, PATH: `${bin}${delimiter}${packed.environment.PATH}` }
    const { stdout: node } = await run('node', ['--version'], { env })
    assert.ok(node.startsWith('v22.'))
    const cwd = await packed.makeDirectory('keep-22')
    const { url, child } = await serve(t, { cwd, env })

    const { stdout } = await run('sh', ['-eu', '-c', (await secondTerminal()).replaceAll(README_ADDRESS, url)], {
      cwd,
      env: { ...env, PATH: `${packed.programs}${delimiter}${env.PATH}`, BLINDKEEP_HOME: join(cwd, 'state') },
      ...packed.user,
    })
    assert.ok(stdout.endsWith('for your eyes only\n'), stdout)

    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })

  it('run without the optional dependency of the command line, which says what it is for', async (t) => {
    // Apart from the installation, whose packages Node would find.
    const place = await mkdtemp(join(tmpdir(), 'blindkeep-alone-'))
    t.after(() => rm(place, { recursive: true, force: true }))
    await chown(place, packed.user.uid ?? -1, packed.user.gid ?? -1)
    const [archive = ''] = (await readdir(packed.archives)).filter((name) => /^blindkeep-\d.*\.tgz$/.test(name))
    await npmInstall(packed, place, [join(packed.archives, archive), '--omit=optional'])
    assert.deepEqual(
      (await readdir(join(place, 'node_modules'))).filter((name) => !name.startsWith('.')),
      ['blindkeep'],
    )
    const env = { ...packed.environment, BLINDKEEP_HOME: join(place, 'state'), BLINDKEEP_PASSWORD: 'a long sentence' }
    const call = (...args: readonly string[]) => run(join(place, 'node_modules', '.bin', 'blindkeep'), args, { env })
    assert.match((await call('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
    const login = ['login', README_ADDRESS, '--email', 'owner@example.org', '--keyring']
    await assert.rejects(call(...login), {
      code: 1,
      stderr:
        /@napi-rs\/keyring, which reaches the system’s keyring, is not installed here.*or call this again without --keyring: then the keys are in files that only you may read\.\n$/,
    })
  })

  it('have types that a strict program compiles with', async () => {
    await symlink(TYPES, join(packed.directory, 'node_modules', '@types'))
    await writeFile(join(packed.directory, 'program.ts'), PROGRAM)
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: ['node'],
      noEmit: true,
    }
    await writeFile(join(packed.directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    await run(COMPILER, ['-p', packed.directory])
  })

  it('bring the licences of what is inside, need little else, and are small', async () => {
    const modules = join(packed.directory, 'node_modules')
    const mayUse = { blindkeep: ['@napi-rs/keyring'], 'blindkeep-server': [] }
    for (const [name, optional] of Object.entries(mayUse)) {
      const manifest = JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8'))
      const { dependencies, optionalDependencies = {}, version } = manifest
      assert.deepEqual(Object.keys(dependencies), [])
      assert.deepEqual(Object.keys(optionalDependencies), optional)
      const { stdout } = await run(join(packed.programs, name), ['--version'], { env: packed.environment })
      assert.equal(stdout.trim(), version)
    }
    const licences = {
      'blindkeep/dist': 'commander',
      'blindkeep-server/dist': 'find-my-way',
      'blindkeep-server/dist/pages': 'preact',
    }
    for (const [place, name] of Object.entries(licences))
      assert.match(await readFile(join(modules, place, 'LICENCES.txt'), 'utf8'), new RegExp(`^${name} \\d`, 'm'))
    const { stdout: size } = await run('du', ['-sk', join(modules, 'blindkeep-server')])
    assert.ok(Number.parseInt(size, 10) * 1024 < MAX_INSTALLED_BYTES, size)
  })
})

/** The lines of the README for a second terminal. */
async function secondTerminal(): Promise<string> {
  const readme = await readFile(join(packed.directory, 'node_modules', 'blindkeep-server', 'README.md'), 'utf8')
  const block = readme.match(/second terminal:\n\n```sh\n([\s\S]*?)```/)?.[1]
  assert.ok(block !== undefined, readme)
  assert.ok(block.includes(README_ADDRESS), block)
  return block
}

interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** `blindkeep-server` as npm has linked it, once it answers. */
async function serve(
  t: TestContext,
  { cwd, env }: Place,
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(join(packed.programs, 'blindkeep-server'), ['--port', String(port)], {
    cwd,
    env,
    ...packed.user,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', (more) => (log += more))
  for (const endsAt = Date.now() + START_MS; !(await isReady(url)); await wait(50))
    assert.ok(child.exitCode === null && Date.now() < endsAt, log)
  return { url, child }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )
}
