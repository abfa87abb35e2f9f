/** Starts other processes: the server, its peers, and programs of the system. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type RunningServer, startServer } from '../testing/startServer.ts'
import type { RowOptions } from './row.ts'

/** Limits against abuse, out of the way of a benchmark. All other settings are the defaults. */
const UNLIMITED = {
  LINK_SESSIONS_PER_WINDOW: '1000000000',
  DEEP_BYTES_PER_HOUR: String(2 ** 50),
  ACCESS_TOKEN_SECONDS: '86400',
}

/** Starts the real server as a process. `data` names its data directory. */
export async function startBlindkeep(
  { directory, atEnd }: RowOptions,
  { data = 'data', env = {} }: { readonly data?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<RunningServer> {
  const server = await startServer({ dataDir: join(directory, data), env: { ...UNLIMITED, ...env } })
  atEnd(server.stop)
  return server
}

/** Starts `peers/<name>.ts`, which prints the port that it listens on. */
export async function startPeer(
  name: 'tus' | 'constant',
  { argument, atEnd }: Pick<RowOptions, 'atEnd'> & { readonly argument: string },
): Promise<number> {
  const path = fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path, argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit')
  atEnd(async () => {
    process.removeListener('exit', kill)
    kill()
    await exited
  })
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([once(lines, 'line'), exited.then(() => ['ended'])])
  const port = Number(line)
  if (!Number.isInteger(port)) throw new Error(`the peer ${name} did not start`)
  return port
}

const execute = promisify(execFile)

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
