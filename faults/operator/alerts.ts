/**
 * Five servers get into trouble, and one does not. A real Prometheus with the rules of deploy/ watches them: each
 * trouble must raise its alert, be in the log of the server unless it was killed, and raise no other alert but those
 * that name the same fact.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startPostgresServer } from '../../packages/server/src/testing/postgresServer.ts'
import { newOwner, sendFile } from '../../testing/people.ts'
import { freePort, type RunningServer, startServer } from '../../testing/startServer.ts'
import type { RunOutcome } from '../harness/report.ts'
import { flipBit } from '../harness/session.ts'
import { mountSmallDisk } from '../harness/smallDisk.ts'

interface AlertsRun {
  /** Seconds from a trouble to its alert. */
  readonly within: number
  readonly print: (text: string) => void
}

interface Scene {
  readonly name: string
  readonly metricsPort: number
  readonly server: RunningServer
  cause(): Promise<void>
  readonly alert: string | undefined
  /** What the log says of the trouble. */
  readonly says?: RegExp
  end(): Promise<void>
}

/** What an operator sees: the alert and the line of the log, in milliseconds after the cause. */
interface Seen {
  alertMs?: number
  logMs?: number
}

const RULES = fileURLToPath(new URL('../../deploy/prometheus/blindkeep.rules.yml', import.meta.url))
const FAKE_CLOCK = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
const DISK_BYTES = 256 * 1024 * 1024
const FLOOR_BYTES = 32 * 1024 * 1024
const LOOK_SECONDS = 15
const POLL_MS = 500
const CONTENT_BYTES = 100_000

/** Returns what is missing when this machine has no Prometheus, no clock to falsify or no small disk. */
export async function runAlerts({ within, print }: AlertsRun): Promise<RunOutcome> {
  if (spawnSync('prometheus', ['--version']).error !== undefined)
    return { missing: 'prometheus is not installed (Debian: apt install prometheus)' }
  if (!existsSync(FAKE_CLOCK)) return { missing: 'libfaketime is not installed (Debian: apt install faketime)' }
  const disk = mountSmallDisk(DISK_BYTES)
  if ('missing' in disk) return disk
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-alerts-'))
  const scenes: Scene[] = []
  let prometheus: Prometheus | undefined
  try {
    for (const open of [well, killed, damaged, withoutDatabase, withWrongClock]) scenes.push(await open())
    scenes.push(await withoutRoom(disk))
    prometheus = await startPrometheus(directory, scenes)
    return { faults: await watch({ scenes, prometheus, within, print }) }
  } finally {
    await prometheus?.stop()
    for (const { end } of scenes) await end()
    disk.unmount()
    await rm(directory, { recursive: true, force: true })
  }
}

async function metered(name: string, env: Readonly<Record<string, string>> = {}, dataDir?: string) {
  const metricsPort = await freePort()
  const server = await startServer({
    env: { METRICS_PORT: String(metricsPort), ...env },
    ...(dataDir !== undefined && { dataDir }),
  })
  return { name, metricsPort, server, end: async () => void (await server.stop()) }
}

async function withFile(server: RunningServer): Promise<void> {
  const { url } = await (await newOwner(server.url)).createLink()
  await sendFile(url, randomBytes(CONTENT_BYTES))
}

async function well(): Promise<Scene> {
  return { ...(await metered('well')), alert: undefined, cause: async () => undefined }
}

async function killed(): Promise<Scene> {
  const scene = await metered('killed')
  return { ...scene, alert: 'BlindkeepDown', cause: () => scene.server.kill9() }
}

async function damaged(): Promise<Scene> {
  const scene = await metered('damaged')
  await withFile(scene.server)
  const blobs = join(scene.server.dataDir, 'blobs')
  return {
    ...scene,
    alert: 'BlindkeepDamageFound',
    says: /an object is damaged/,
    async cause() {
      for (const name of await readdir(blobs, { recursive: true })) {
        const path = join(blobs, name)
        const facts = await stat(path)
        if (facts.isFile() && facts.size >= CONTENT_BYTES) await flipBit(path, 1000)
      }
      await scene.server.command(['scrub'])
    },
  }
}

async function withoutDatabase(): Promise<Scene> {
  const database = await startPostgresServer()
  const scene = await metered('without its database', { DATABASE_URL: database.url('postgres') })
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await database.stop()
    isStopped = true
  }
  return {
    ...scene,
    alert: 'BlindkeepNotReady',
    says: /"level":50/,
    cause: stop,
    async end() {
      await scene.end()
      await stop()
    },
  }
}

async function withWrongClock(): Promise<Scene> {
  const scene = await metered('with a clock that was set back')
  await withFile(scene.server)
  return {
    ...scene,
    alert: 'BlindkeepClockGoneBack',
    says: /the clock is behind the last receipt/,
    cause: () => scene.server.restart({ LD_PRELOAD: FAKE_CLOCK, FAKETIME: '-1h', FAKETIME_DONT_FAKE_MONOTONIC: '1' }),
  }
}

async function withoutRoom(disk: { readonly directory: string; fill(room: number): void }): Promise<Scene> {
  const dataDir = join(disk.directory, 'data')
  await mkdir(dataDir, { mode: 0o700 })
  const scene = await metered('without room', { FREE_SPACE_FLOOR_BYTES: String(FLOOR_BYTES) }, dataDir)
  return {
    ...scene,
    alert: 'BlindkeepDiskBelowFloor',
    says: /the disk is below its floor/,
    cause: async () => disk.fill(FLOOR_BYTES / 2),
  }
}

interface Prometheus {
  /** Names of the alerts that fire, by server. */
  firing(): Promise<ReadonlyMap<string, readonly string[]>>
  stop(): Promise<void>
}

async function startPrometheus(directory: string, scenes: readonly Scene[]): Promise<Prometheus> {
  const [port, file] = [await freePort(), join(directory, 'prometheus.json')]
  const targets = scenes.map(({ name, metricsPort }) => ({
    targets: [`127.0.0.1:${metricsPort}`],
    labels: { instance: name },
  }))
  // JSON is YAML.
  const configuration = {
    global: { scrape_interval: `${LOOK_SECONDS}s`, evaluation_interval: `${LOOK_SECONDS}s` },
    rule_files: [RULES],
    scrape_configs: [{ job_name: 'blindkeep', static_configs: targets }],
  }
  await writeFile(file, JSON.stringify(configuration))
  const storage = join(directory, 'storage')
  const address = `127.0.0.1:${port}`
  const child = spawn(
    'prometheus',
    [`--config.file=${file}`, `--storage.tsdb.path=${storage}`, `--web.listen-address=${address}`, '--log.level=error'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const stop = () => ended(child)
  try {
    await untilAnswers(`http://${address}/-/ready`, child)
  } catch (error) {
    await stop()
    throw error
  }
  return { firing: () => firingAt(address), stop }
}

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}`)
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return
    await wait(POLL_MS)
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

interface AlertsAnswer {
  readonly data: {
    readonly alerts: readonly { readonly state: string; readonly labels: Readonly<Record<string, string>> }[]
  }
}

async function firingAt(address: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const answer = (await (await fetch(`http://${address}/api/v1/alerts`)).json()) as AlertsAnswer
  const names = new Map<string, readonly string[]>()
  for (const { state, labels } of answer.data.alerts) {
    const { instance = '', alertname = '' } = labels
    if (state === 'firing') names.set(instance, [...(names.get(instance) ?? []), alertname])
  }
  return names
}

interface Watch {
  readonly scenes: readonly Scene[]
  readonly prometheus: Prometheus
  readonly within: number
  readonly print: (text: string) => void
}

/** Returns the faults. */
async function watch({ scenes, prometheus, within, print }: Watch): Promise<readonly string[]> {
  // Every server has been seen well.
  await wait(2 * LOOK_SECONDS * 1000)
  const before = await prometheus.firing()
  if (before.size > 0) return [`alerts before any trouble: ${JSON.stringify([...before])}`]
  const logged = new Map(scenes.map(({ name, server }) => [name, server.log().length]))
  const causedAt = performance.now()
  await Promise.all(scenes.map(({ cause }) => cause()))
  const seen = new Map(scenes.map(({ name }): [string, Seen] => [name, {}]))
  const faults = new Set<string>()
  while (performance.now() - causedAt < within * 1000) {
    const firing = await prometheus.firing()
    const ms = Math.round(performance.now() - causedAt)
    for (const { name, alert, says, server } of scenes) {
      const found = seen.get(name) ?? {}
      for (const each of firing.get(name) ?? [])
        if (each === alert) found.alertMs ??= ms
        else faults.add(`the server ${name} raised ${each}`)
      if (says?.test(server.log().slice(logged.get(name))) === true) found.logMs ??= ms
    }
    await wait(POLL_MS)
  }
  for (const { name, alert, says } of scenes) {
    const { alertMs, logMs } = seen.get(name) ?? {}
    if (alert !== undefined) print(`${name}: ${alert} after ${alertMs} ms, in the log after ${logMs ?? '–'} ms`)
    if (alert !== undefined && alertMs === undefined) faults.add(`no ${alert} for the server ${name}`)
    if (says !== undefined && logMs === undefined) faults.add(`nothing in the log of the server ${name}`)
  }
  return [...faults]
}
