/** System calls of a process, by `strace`: lists those that reach the disk, and kills before one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Calls that change the disk or make a change durable. */
export const DURABLE = [
  'pwrite64',
  'pwritev',
  'fsync',
  'fdatasync',
  'ftruncate',
  'fallocate',
  'rename',
  'unlink',
  'mkdir',
]
const MAX_DETACHED_MS = 60_000

export interface DurableCall {
  /** The thread's name; `main` for the first one of the process. */
  readonly thread: string
  readonly call: string
}

export interface KillPoint extends DurableCall {
  /** Counts the thread's calls of that name from 1, from the time of arming. */
  readonly number: number
}

/** What this machine lacks; undefined when it can trace. */
export function straceMissing(): string | undefined {
  const { error, stderr } = spawnSync('strace', ['-o', '/dev/null', process.execPath, '--version'], {
    encoding: 'utf8',
  })
  if (error !== undefined) return 'strace is not installed (Debian: apt-get install strace), or this is not Linux'
  return stderr === '' ? undefined : `strace is not allowed to trace: ${stderr.trim()}`
}

/** Resolves when all threads are traced; `stop` returns their calls since then, in order. */
export async function watch(pid: number): Promise<{ stop(): Promise<readonly DurableCall[]> }> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-strace-'))
  const path = join(directory, 'calls')
  const tracer = await attach(['-f', '-o', path, '-p', String(pid)])
  return {
    async stop() {
      const threads = await threadsOf(pid)
      await detach(tracer)
      const lines = (await readFile(path, 'utf8')).split('\n')
      await rm(directory, { recursive: true })
      return lines.flatMap((line) => {
        const [, id, call] = /^(\d+) +(\w+)\(/.exec(line) ?? []
        return id === undefined || call === undefined ? [] : [{ thread: threads.get(Number(id)) ?? id, call }]
      })
    },
  }
}

/** Resolves when it is armed: the process dies right before it makes that call. */
export async function arm(pid: number, { thread, call, number }: KillPoint): Promise<{ disarm(): Promise<void> }> {
  const ids = [...(await threadsOf(pid))].filter(([, name]) => name === thread).map(([id]) => id)
  if (ids.length !== 1) throw new Error(`the process has ${ids.length} threads ${thread}`)
  const tracer = await attach([
    '-e',
    `inject=${call}:signal=SIGKILL:when=${number}`,
    '-o',
    '/dev/null',
    '-p',
    ids.join(),
  ])
  return { disarm: () => detach(tracer) }
}

async function threadsOf(pid: number): Promise<ReadonlyMap<number, string>> {
  const ids = (await readdir(`/proc/${pid}/task`)).map(Number)
  const named = ids.map(async (id) => [id, await readFile(`/proc/${pid}/task/${id}/comm`, 'utf8')] as const)
  return new Map((await Promise.all(named)).map(([id, name]) => [id, id === pid ? 'main' : name.trim()]))
}

async function attach(watched: readonly string[]): Promise<ChildProcess> {
  const tracer = spawn('strace', ['-e', `trace=${DURABLE.join()}`, ...watched], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [output] = await once(tracer.stderr, 'data')
  if (!String(output).includes('attached')) throw new Error(`strace: ${output}`)
  return tracer
}

async function detach(tracer: ChildProcess): Promise<void> {
  if (tracer.exitCode !== null || tracer.signalCode !== null) return
  const ended = once(tracer, 'exit', { signal: AbortSignal.timeout(MAX_DETACHED_MS) })
  tracer.kill('SIGTERM')
  await ended
}
