/** The command line as a process, against a real server behind a proxy that cuts and lies. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { type BehindProxy, startBehindProxy } from '../../../../testing/behindProxy.ts'
import { COMPILED } from '../../../../testing/command.ts'
import { bundled } from '../../../../tools/bundle.ts'

/** As people get it. */
const MAIN = join(await bundled('cli'), 'main.js')

export const PASSWORD = 'correct horse battery'

export interface Call {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: Uint8Array
  readonly cwd?: string
  /** A program that runs the command line, with its arguments. */
  readonly under?: readonly string[]
}

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface World extends BehindProxy {
  /** The current directory of each call. What calls remember is in `home` below it. */
  readonly root: string
  start(args: readonly string[], call?: Call): ChildProcess
  run(args: readonly string[], call?: Call): Promise<Outcome>
  /** `run`, which must succeed; the objects that it prints. */
  facts(args: readonly string[], call?: Call): Promise<readonly Fact[]>
  /** Registers an account in a profile of its own. The profile's name is for `--profile`. */
  signUp(profile: string): Promise<void>
  /** Makes files below `root`, and returns the path of their folder. */
  folder(name: string, files: Readonly<Record<string, Uint8Array>>): Promise<string>
}

// What programs read is checked by the tests' own assertions.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Fact = any

export async function finished(child: ChildProcess): Promise<Outcome> {
  assert.ok(child.stdout && child.stderr)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  return { status: child.exitCode, stdout, stderr }
}

export function factsOf({ stdout }: Outcome): readonly Fact[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Call it at the top of a test file. `settings`: of the server. */
export async function openWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  return await openWorldAt(await startBehindProxy(settings))
}

/** The same for a server that runs already. */
export async function openWorldAt(behind: BehindProxy): Promise<World> {
  const world = await newWorld(behind)
  after(async () => {
    await world.stop()
    await rm(world.root, { recursive: true, force: true })
  })
  return world
}

async function newWorld(behind: BehindProxy): Promise<World> {
  const root = await mkdtemp(join(tmpdir(), 'blindkeep-cli-'))
  function start(args: readonly string[], { env = {}, cwd = root, under = [] }: Call = {}): ChildProcess {
    const { PATH = '' } = process.env
    const [program = '', ...line] = [...under, process.execPath, '--disable-warning=ExperimentalWarning', MAIN, ...args]
    return spawn(program, line, {
      cwd,
      env: { PATH, NODE_COMPILE_CACHE: COMPILED, BLINDKEEP_HOME: join(root, 'home'), ...env },
      stdio: 'pipe',
    })
  }
  function run(args: readonly string[], call: Call = {}): Promise<Outcome> {
    const child = start(args, call)
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(call.input)
    return finished(child)
  }
  async function facts(args: readonly string[], call?: Call): Promise<readonly Fact[]> {
    const outcome = await run([...args, '--json'], call)
    assert.equal(outcome.status, 0, outcome.stderr)
    return factsOf(outcome)
  }
  return {
    ...behind,
    root,
    start,
    run,
    facts,
    async signUp(profile) {
      const args = ['register', behind.proxy.url, '--email', `${profile}@example.org`, '--profile', profile]
      await facts(args, { env: { BLINDKEEP_PASSWORD: PASSWORD } })
    },
    async folder(name, files) {
      const path = join(root, name)
      await mkdir(path, { recursive: true })
      for (const [file, bytes] of Object.entries(files)) {
        await mkdir(join(path, file, '..'), { recursive: true })
        await writeFile(join(path, file), bytes)
      }
      return path
    },
  }
}
