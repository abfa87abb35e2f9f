/**
 * SIGKILL at one system call after the other of one adoption, one upload and one deletion: whatever reaches the disk, the process dies right before it once.
 * `strace` does it, on Linux; where there is none, there is no such run.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { pause } from './api.ts'
import { planAdoption, settleAdoption } from './assets/adopt.ts'
import { type Asset, newAsset } from './assets/assetLedger.ts'
import { removeAsset } from './assets/remove.ts'
import { ownBlob, uploadBlob } from './assets/uploadBlob.ts'
import { judgeRows } from './judge.ts'
import type { Counts } from './ledger.ts'
import { createWorld, judgeAll, type World } from './load.ts'
import { landed, newLink } from './session.ts'

export interface SyscallRun {
  readonly seed: string
  /** Every so-maniest of the calls of a kind is met, the first among them. */
  readonly every: number
  readonly tell: (text: string) => void
}

export interface SyscallReport {
  readonly faults: readonly string[]
  readonly counts: Counts
  /** By operation, thread and call. */
  readonly kills: Readonly<Record<string, number>>
}

/** What changes a disk, or makes a change last. */
const CALLS = ['pwrite64', 'pwritev', 'fsync', 'fdatasync', 'ftruncate', 'rename', 'unlink', 'mkdir'] as const
const FILE_BYTES = 20_011
const CALLS_MOST = 1_000
const POLL_MS = 5
const AFTER_MS = 20
/** The one thread of libuv's, beside that of the server itself. SQLite writes from this, files are written from that. */
const THREADS = ['main', 'libuv-worker'] as const
type Thread = (typeof THREADS)[number]

/** Until it is acknowledged, whatever comes between. */
type Operation = (world: World, name: string) => Promise<() => Promise<void>>

const OPERATIONS: Readonly<Record<string, Operation>> = {
  async adoption(world, name) {
    const link = await newLink(world, name)
    const attempt = await landed(world, link, { name, size: FILE_BYTES })
    const adoption = planAdoption(world, attempt, newAsset(link.owner))
    adoption.bundle.original.landed = 'asked'
    return () => settleAdoption(world, attempt)
  },
  async upload(world, name) {
    return () => upload(world, newAssetOf(world), name)
  },
  async deletion(world, name) {
    const asset = newAssetOf(world)
    await upload(world, asset, name)
    return async () => {
      for (; asset.deleted !== 'acknowledged'; await pause(POLL_MS)) await removeAsset(world, asset)
    }
  },
}

/** Or why there can be none. */
export async function runR1a({ seed, every, tell }: SyscallRun): Promise<SyscallReport | { readonly missing: string }> {
  if (spawnSync('strace', ['-V']).status !== 0) return { missing: 'strace is not on this machine' }
  const world = await createWorld(seed, { env: { UV_THREADPOOL_SIZE: '1' } })
  const { ledger, server } = world
  const kills: Record<string, number> = {}
  try {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      for (const [thread, call] of THREADS.flatMap((thread) => CALLS.map((call) => [thread, call] as const))) {
        const met = `${name}, ${call} of ${thread}`
        for (let number = 1; ledger.faults.length === 0; number += every) {
          if (number > CALLS_MOST) ledger.fault(`${met}: there is no end to its calls`)
          const run = await operation(world, `${name}-${thread}-${call}-${number}`)
          if (!(await isKilledAt(world, { call, number, thread, run }))) break
          kills[met] = (kills[met] ?? 0) + 1
          tell(`${met}: killed at number ${number}`)
        }
      }
    }
    if (!server.isRunning()) await server.restart()
    if (ledger.faults.length === 0) await judgeAll(world)
    return { faults: ledger.faults, counts: ledger.counts, kills }
  } finally {
    await world.close()
  }
}

interface Strike {
  readonly call: (typeof CALLS)[number]
  /** Counted from 1. */
  readonly number: number
  readonly thread: Thread
  readonly run: () => Promise<void>
}

/** False when the operation has come to its end before that call. */
async function isKilledAt({ server, ledger, oracle }: World, { call, number, thread, run }: Strike): Promise<boolean> {
  const tracer = await trace(await threadOf(server.pid(), thread), `${call}:signal=SIGKILL:when=${number}`)
  let isDone = false
  const done = run().finally(() => {
    isDone = true
  })
  while (!isDone && server.isRunning()) await pause(POLL_MS)
  // What is acknowledged too early is still being written now.
  if (server.isRunning()) await pause(AFTER_MS)
  await end(tracer)
  const isKilled = !server.isRunning()
  if (isKilled) {
    ledger.counts.kills++
    for (const fault of await oracle.examine({ also: (database) => judgeRows(database, ledger) }))
      ledger.fault(`killed at ${call} ${number} of ${thread}: ${fault}`)
    await server.restart()
  }
  await done
  return isKilled
}

/** Resolves when the thread is watched. */
async function trace(threadId: number, injection: string): Promise<ChildProcess> {
  const watched = ['-e', `trace=${CALLS.join()}`, '-e', `inject=${injection}`, '-p', String(threadId)]
  const tracer = spawn('strace', ['-o', '/dev/null', ...watched], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [told] = await once(tracer.stderr, 'data')
  if (!String(told).includes('attached')) throw new Error(`strace: ${told}`)
  return tracer
}

async function threadOf(pid: number, thread: Thread): Promise<number> {
  if (thread === 'main') return pid
  for (const id of await readdir(`/proc/${pid}/task`))
    if ((await readFile(`/proc/${pid}/task/${id}/comm`, 'utf8')).trim() === thread) return Number(id)
  throw new Error(`the server has no thread ${thread}`)
}

async function end(tracer: ChildProcess): Promise<void> {
  if (tracer.exitCode !== null || tracer.signalCode !== null) return
  const ended = once(tracer, 'exit')
  tracer.kill('SIGTERM')
  await ended
}

function newAssetOf({ owners }: World): Asset {
  const [owner] = owners
  if (owner === undefined) throw new Error('there is no owner')
  return newAsset(owner)
}

async function upload(world: World, asset: Asset, name: string): Promise<void> {
  const blob = ownBlob('original', name, FILE_BYTES)
  const bundle = { action: 'create' as const, original: blob, metadata: undefined }
  world.ledger.assets.push(asset)
  asset.bundles.push(bundle)
  await uploadBlob(world, { asset, bundle, blob }, { chunkBytes: Math.ceil(FILE_BYTES / 2) })
}
