/** The command line in processes, against a real server behind a proxy that cuts and lies. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, afterEach } from 'node:test'
import { logIn, registerOwner } from '@blindkeep/client/account'
import { nodeEnvironment } from '@blindkeep/client/node'
import type { Owner } from '@blindkeep/client/owner'
import { type BehindProxy, startBehindProxy } from '../../../../testing/behindProxy.ts'
import { COMPILED } from '../../../../testing/command.ts'
import { newAccount, quickStretching } from '../../../../testing/people.ts'
import { bundled } from '../../../../tools/bundle.ts'
import { openProfile } from '../account/profile.ts'
import { keep } from '../account/signIn.ts'
import { WITH_NAMES, warmOutcome } from './warm.ts'
import type { Outcome } from './warmProgram.ts'

export type { Outcome } from './warmProgram.ts'

/** As people get it. */
const MAIN = join(await bundled('cli'), 'main.js')

export const PASSWORD = 'correct horse battery'
const environment = { ...nodeEnvironment, ...quickStretching }

export interface Call {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: Uint8Array
  readonly cwd?: string
  /** A program that runs the command line, with its arguments. */
  readonly under?: readonly string[]
  /** Not in the process that is ready for many calls (`warm.ts`). */
  readonly apart?: boolean
}

export interface World extends BehindProxy {
  /** The current directory of each call. What calls remember is in `home` below it. */
  readonly root: string
  start(args: readonly string[], call?: Call): ChildProcess
  /** Resolves when it has ended. Only some calls need a process of their own (`warm.ts`). */
  run(args: readonly string[], call?: Call): Promise<Outcome>
  /** `run`, which must succeed; the objects that it prints. */
  facts(args: readonly string[], call?: Call): Promise<readonly Fact[]>
  /**
   * A new account, without a password, signed in in a profile of its own (its name is for `--profile`). Resolves with
   * another session of it. What `register` does without Argon2id, which most tests need not pay for.
   */
  signUp(profile: string): Promise<Owner>
  /** The same as `<profile>@example.org`, with `PASSWORD`. */
  register(profile: string): Promise<Owner>
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

let shared: Promise<BehindProxy> | undefined

/** The same for tests that do not restart or change their server: all files of this process have it in common. */
export async function openSharedWorld(): Promise<World> {
  if (shared === undefined) {
    shared = startBehindProxy()
    afterEach(async () => (await shared)?.proxy.tamper())
    after(async () => (await shared)?.stop())
  }
  return await openWorldAt({ ...(await shared), stop: async () => undefined })
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
  const home = join(root, 'home')
  const server = behind.proxy.url
  const envOf = ({ env }: Call) => ({ PATH: process.env.PATH ?? '', BLINDKEEP_HOME: home, ...env })
  function start(args: readonly string[], { cwd = root, under = [], ...call }: Call = {}): ChildProcess {
    const [program = '', ...line] = [...under, process.execPath, '--disable-warning=ExperimentalWarning', MAIN, ...args]
    return spawn(program, line, {
      cwd,
      env: { NODE_COMPILE_CACHE: COMPILED, ...envOf(call) },
      stdio: 'pipe',
    })
  }
  async function run(args: readonly string[], call: Call = {}): Promise<Outcome> {
    const { cwd = root, input = new Uint8Array(), under, env: { NODE_OPTIONS = WITH_NAMES } = {} } = call
    const { apart = under !== undefined || NODE_OPTIONS !== WITH_NAMES } = call
    const warm = apart ? undefined : warmOutcome(MAIN, { args, env: envOf(call), cwd, input })
    if (warm !== undefined) return await warm
    const child = start(args, call)
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
    return await finished(child)
  }
  async function facts(args: readonly string[], call?: Call): Promise<readonly Fact[]> {
    const outcome = await run([...args, '--json'], call)
    assert.equal(outcome.status, 0, outcome.stderr)
    return factsOf(outcome)
  }
  async function keepIn(name: string, owner: Owner): Promise<void> {
    const profile = await openProfile({ profile: name }, false, home)
    await keep({ profile, server, owner, tokens: owner.tokens, flags: {} })
  }
  return {
    ...behind,
    root,
    start,
    run,
    facts,
    async signUp(profile) {
      const { owner, signIn } = await newAccount(server, {
        email: `${profile}-${randomUUID()}@example.org`,
        environment,
      })
      await keepIn(profile, owner)
      return await signIn()
    },
    async register(profile) {
      const as = { email: `${profile}@example.org`, password: PASSWORD, baseUrl: server, environment }
      await keepIn(profile, await registerOwner(as))
      const { owner } = await logIn(as)
      assert.ok(owner)
      return owner
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
