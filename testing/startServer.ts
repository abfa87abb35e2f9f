/**
 * Starts the real server as a process, with a new data directory, on a port that was free a moment before. Tests, demo,
 * benchmarks and fault runs share it: all use the server as an operator starts it.
 *
 * With `npm run on:postgres --` before them, servers without a data directory of the caller keep their rows on
 * PostgreSQL, each in a database of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { bundled } from '../tools/bundle.ts'
import { COMPILED, type CommandOutcome, runCommand } from './command.ts'
import { createTestDatabase } from './postgresDatabase.ts'

export const MAIN = join(await bundled('server'), 'main.js')
/** A start takes less than a second; on a busy machine it has taken twenty. */
const READY_TIMEOUT_MS = 60_000
const READY_POLL_MS = 25
/** The server itself cuts requests that are still under way after 15 s, and a busy machine takes longer. */
const STOP_TIMEOUT_MS = 60_000
const MAX_LOG_CHARACTERS = 4 * 1024 * 1024
/** Ports of each process, and the processes that have their own. Linux gives others ports from 32768 up. */
const PORTS = { first: 10_000, each: 200, processes: 110 }
let ownPorts: Promise<number> | undefined
let portsAsked = 0

export interface ServerOptions {
  /** Settings in addition to `HOST`, `PORT`, `DATA_DIR` and `MASTER_SECRET_FILE`. */
  readonly env?: Readonly<Record<string, string>>
  /** A port that the caller has reserved; otherwise a free one. */
  readonly port?: number
  /** A data directory that the caller removes; otherwise a new one. */
  readonly dataDir?: string
  /** `PUBLIC_URL`, for a server behind a proxy; otherwise its own address. */
  readonly publicUrl?: string
}

export interface RunningServer {
  /** The address of the process, without a slash at the end. The same after a restart. */
  readonly url: string
  readonly port: number
  /** `stop` removes it with its master secret, unless it is the caller's. */
  readonly dataDir: string
  /** The id of the running process, or of the last one. */
  pid(): number
  /** stdout and stderr of all processes of this server; the last 4 Mi characters. */
  log(): string
  /** SIGKILL; resolves when the process has ended. */
  kill9(): Promise<void>
  /** Kills and starts again on the same port and directory; resolves when it answers. `settings` stay. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>
  /** Runs an operator's command (`['account', 'list']`) with these settings and others. Servers may be stopped. */
  command(args: readonly string[], settings?: Readonly<Record<string, string>>): Promise<CommandOutcome>
  isRunning(): boolean
  /** Total milliseconds between readiness and end of all its processes. */
  uptimeMs(): number
  /** SIGTERM, SIGKILL after 60 s. Returns the exit code, null after a signal. `restart` works afterwards. */
  terminate(): Promise<number | null>
  /** `terminate`, then removes the data. `restart` then rejects, so that late tests leave no process behind. */
  stop(): Promise<number | null>
}

/** Resolves when `/readyz` answers 200; rejects with the log at an end, or after 60 s. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const root = await mkdtemp(join(tmpdir(), 'blindkeep-server-'))
  const port = options.port ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  const dataDir = options.dataDir ?? join(root, 'data')
  const database = hasOwnDatabase(options) ? undefined : await createTestDatabase()
  const remove = async () => {
    await rm(root, { recursive: true, force: true })
    await database?.drop()
  }
  const env = {
    ...inheritedEnv(),
    NODE_COMPILE_CACHE: COMPILED,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataDir,
    MASTER_SECRET_FILE: join(root, 'master.secret'),
    ...(options.publicUrl === undefined ? {} : { PUBLIC_URL: options.publicUrl }),
    ...(database === undefined ? {} : { DATABASE_URL: database.url }),
    ...options.env,
  }
  let written = ''
  const uptime = createUptime()
  const spawnServer = () => {
    const spawned = spawnLogged({ cwd: root, env }, (text) => {
      written += text
      // Not for each line, as it copies the whole text.
      if (written.length > 2 * MAX_LOG_CHARACTERS) written = written.slice(-MAX_LOG_CHARACTERS)
    })
    return spawned.once('close', uptime.stop)
  }
  let child = spawnServer()
  let isRemoved = false
  const readiness = async () => {
    await untilReady(child, url, () => written)
    if (!hasEnded(child)) uptime.start()
  }
  const kill9 = () => end(child, 'SIGKILL')
  try {
    await readiness()
  } catch (cause) {
    await kill9()
    await remove()
    throw cause
  }
  return {
    url,
    port,
    dataDir,
    pid: () => child.pid ?? 0,
    log: () => written.slice(-MAX_LOG_CHARACTERS),
    kill9,
    restart: async (settings = {}) => {
      if (isRemoved) throw new Error('the server was stopped and its data removed')
      await kill9()
      Object.assign(env, settings)
      child = spawnServer()
      await readiness()
    },
    command: (args, settings) => runCommand(args, { cwd: root, env: { ...env, ...settings } }),
    isRunning: () => !hasEnded(child),
    uptimeMs: uptime.elapsedMs,
    terminate: () => terminate(child),
    stop: async () => {
      isRemoved = true
      const exitCode = await terminate(child)
      await remove()
      return exitCode
    },
  }
}

/** A data directory of the caller has its database inside. */
function hasOwnDatabase({ dataDir, env }: ServerOptions): boolean {
  return dataDir !== undefined || env?.DATABASE_URL !== undefined
}

/**
 * A port of the loopback interface that is free at this moment. Nothing else takes it before its server listens: it is
 * below the ports that systems give to connections and to those who ask for any, and each process has its own.
 */
export async function freePort(): Promise<number> {
  ownPorts ??= claimPorts()
  const first = await ownPorts
  for (let tries = 1; tries < PORTS.each; tries++) {
    const port = first + 1 + (portsAsked++ % (PORTS.each - 1))
    const probe = await listenAt(port)
    if (probe === undefined) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
  throw new Error(`no port from ${first} on is free`)
}

/**
 * The first of this process's own ports: it listens there until it ends, so that no other process takes them. Otherwise
 * two could start a server at one port, and the one whose server could not listen would be answered by the other's.
 * Each call takes others.
 */
export async function claimPorts(): Promise<number> {
  for (let tries = 0; tries < PORTS.processes; tries++) {
    const first = PORTS.first + ((process.pid + tries) % PORTS.processes) * PORTS.each
    const claim = await listenAt(first)
    if (claim === undefined) continue
    claim.unref()
    return first
  }
  throw new Error('other processes have all ports for tests')
}

async function listenAt(port: number): Promise<Server | undefined> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return server
  } catch {
    return undefined
  }
}

/** Only what a process needs to run: the developer's settings must not change a test. */
function inheritedEnv(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_OPTIONS', 'NODE_V8_COVERAGE', 'SystemRoot', 'TEMP', 'TMP']
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

function spawnLogged(
  { cwd, env }: { cwd: string; env: Record<string, string> },
  write: (text: string) => void,
): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=2', MAIN], {
    cwd,
    // As `npm start` does.
    env: { MALLOC_ARENA_MAX: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout?.setEncoding('utf8').on('data', write)
  child.stderr?.setEncoding('utf8').on('data', write)
  // A test that dies must not leave its server behind.
  const killWithParent = () => child.kill('SIGKILL')
  process.once('exit', killWithParent)
  child.once('close', () => process.removeListener('exit', killWithParent))
  return child
}

/** A stopwatch. Stopping it twice is harmless. */
function createUptime() {
  let stoppedMs = 0
  let startedAt: number | undefined
  const elapsedMs = () => stoppedMs + (startedAt === undefined ? 0 : performance.now() - startedAt)
  return {
    elapsedMs,
    start() {
      startedAt ??= performance.now()
    },
    stop() {
      stoppedMs = elapsedMs()
      startedAt = undefined
    },
  }
}

async function untilReady(child: ChildProcess, url: string, log: () => string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    if (hasEnded(child)) throw new Error(`the server ended before it answered:\n${log()}`)
    if (await answersReady(url)) return
    await wait(READY_POLL_MS)
  }
  throw new Error(`the server did not answer ${url}/readyz within ${READY_TIMEOUT_MS / 1000} s:\n${log()}`)
}

async function answersReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) })
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return
  const closed = once(child, 'close')
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await closed
  clearTimeout(timer)
}

async function terminate(child: ChildProcess): Promise<number | null> {
  await end(child, 'SIGTERM')
  return child.exitCode
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
