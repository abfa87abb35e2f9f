/** Starts other processes: the server, its peers, and programs of the system. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort, startServer } from '../testing/startServer.ts'
import { type RowOptions, shared } from './row.ts'

/** Limits against abuse, out of the way of a benchmark. All other settings are the defaults. */
const UNLIMITED = {
  LINK_SESSIONS_PER_WINDOW: '1000000000',
  DEEP_BYTES_PER_HOUR: String(2 ** 50),
  ACCESS_TOKEN_SECONDS: '86400',
}

export type Environment = Readonly<Record<string, string>>

/**
 * Starts the real server as a process; without settings, it has its rows in SQLite and its bytes in files. One with a
 * name is not shared with others.
 */
export const startBlindkeep = shared(async ({ directory, atEnd }, env: Environment = {}, name = 'server') => {
  const dataDir = await mkdtemp(join(directory, `${name}-`))
  const server = await startServer({ dataDir, env: { ...UNLIMITED, ...env } })
  atEnd(server.stop)
  return server
})

type PeerName = 'tus' | 'constant' | 'files' | 'bareUploads' | 'bareReads' | 'bareSignIns' | 'bareVerify'

/** Starts `peers/<name>.ts`, which prints the port that it listens on. Returns the port. */
export async function startPeer(
  options: RowOptions,
  name: PeerName,
  ...parameters: readonly string[]
): Promise<number> {
  return (await startPeerProcess(options, name, ...parameters)).port
}

export const startPeerProcess = shared(
  async ({ atEnd }: RowOptions, name: PeerName, ...parameters: readonly string[]) => {
    const path = fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url))
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path, ...parameters], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = endWithRow(child, { atEnd })
    const lines = createInterface({ input: child.stdout })
    const [line] = await Promise.race([once(lines, 'line'), exited.then(() => ['ended'])])
    const port = Number(line)
    if (!Number.isInteger(port) || child.pid === undefined) throw new Error(`the peer ${name} did not start`)
    return { port, pid: child.pid }
  },
)

/** Starts nginx for the files of a directory. Returns its port. */
export async function startNginx(directory: string, options: RowOptions): Promise<number> {
  const port = await freePort()
  const own = join(options.directory, 'nginx')
  await mkdir(own)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = temporary.map((name) => `${name}_temp_path ${own}/${name};`).join(' ')
  const server = `server { listen 127.0.0.1:${port}; root ${directory}; }`
  const text = `daemon off; pid ${own}/pid; worker_processes 1; user root;
    events {} http { access_log off; sendfile on; keepalive_requests 100000; ${paths} ${server} }`
  await writeFile(join(own, 'nginx.conf'), text)
  await startProgram('nginx', ['-e', join(own, 'errors'), '-c', join(own, 'nginx.conf')], {
    port,
    atEnd: options.atEnd,
  })
  return port
}

interface EndWithRow extends Pick<RowOptions, 'atEnd'> {
  readonly signal?: NodeJS.Signals
}

/** Ends the process with the row, or with this process. Resolves when it has ended. */
export function endWithRow(child: ChildProcess, { atEnd, signal = 'SIGKILL' }: EndWithRow): Promise<unknown[]> {
  const exited = once(child, 'exit')
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  atEnd(async () => {
    process.removeListener('exit', kill)
    child.kill(signal)
    await exited
  })
  return exited
}

/** Resolves when the program listens. */
export async function startProgram(
  program: string,
  parameters: readonly string[],
  { port, atEnd }: Pick<RowOptions, 'atEnd'> & { readonly port: number },
): Promise<void> {
  const child = spawn(program, parameters, { stdio: 'ignore' })
  endWithRow(child, { atEnd, signal: 'SIGTERM' })
  for (let attempt = 0; !(await listens(port)); attempt++) {
    if (attempt === 100 || child.exitCode !== null) throw new Error(`${program} did not start`)
    await wait(50)
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port })
  return once(socket, 'connect').then(
    () => {
      socket.destroy()
      return true
    },
    () => false,
  )
}

const execute = promisify(execFile)

/** Of mebibytes. */
export async function writeRandom(path: string, mebibytes: number): Promise<void> {
  const file = await open(path, 'w')
  for (let written = 0; written < mebibytes; written++) await file.writeFile(randomBytes(1024 * 1024))
  await file.close()
}

/** Seconds that a program took, including its start. Throws when it fails. */
export async function timeProgram(program: string, parameters: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  await execute(program, parameters)
  return (performance.now() - startedAt) / 1000
}

export function hasProgram(program: string, parameters: readonly string[]): boolean {
  return spawnSync(program, parameters).status === 0
}

/** Resolves when all earlier writes are on the disk, so that no lane pays for the writes of another. */
export async function settleDisk(): Promise<void> {
  await execute('sync')
}
