/**
 * R15: thirty rude guests at once, beside two honest ones: one on another link, one on the same link from another
 * source. The honest ones meet no error, creating a session takes less than twice as long at the 99th percentile, the
 * server's memory is bounded, and nothing is left over.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import { type Api, createApi, jsonOf, pause } from '../harness/api.ts'
import { signUp } from '../harness/assets/author.ts'
import { countFiles, untilSwept } from '../harness/finalChecks.ts'
import type { Owner } from '../harness/ledger.ts'
import { createOracle } from '../harness/oracle.ts'
import { createRandom, type Random } from '../harness/random.ts'
import { loggedBy, type RunReport, type SharedOptions } from '../harness/report.ts'
import { startAttackers } from './hostile/attackers.ts'
import { ATTACKS, type Attack, type Target } from './hostile/attacks.ts'
import { createAndCancel, landFiles, type Work } from './hostile/honest.ts'
import { createGuest } from './hostile/wire.ts'

interface HostileRun extends SharedOptions {
  /** How often a phase without rude guests and a phase with them take turns. */
  readonly rounds: number
  /** Files of 1 MiB that each honest guest lands in all phases with rude guests together, and again in the others. */
  readonly files: number
  /** Rude guests at once. */
  readonly guests: number
  /** A part of an attack's name; all attacks when it is empty. */
  readonly attack: string
}

interface Phase {
  readonly creationMs: readonly number[]
  readonly errors: readonly string[]
  readonly landedBytes: number
  readonly peakMiB: number
  readonly seconds: number
  /** Of the processor, by the server: tells what rude guests cost it from what the machine does besides. */
  readonly serverSeconds: number
}

interface HostileReport extends RunReport {
  readonly calm: object
  readonly hostile: object
  readonly p99Ratio: number
}

/** Default limits. A loopback proxy names sources; background jobs have short periods. */
const SETTINGS = {
  LOG_LEVEL: 'warn',
  TRUST_PROXY: '127.0.0.1',
  REGISTRATION: 'open',
  SWEEP_SECONDS: '1',
  GC_GRACE_SECONDS: '1',
}
/** Creations timed in all phases of a kind: more than ten lie beyond their 99th percentile. */
const TIMED_IN_ALL = 1200
/** Of one link: it admits 600 sessions in 15 minutes, and of one source fewer. */
const TIMED_ON_LINK = 100
/**
 * Between two steps of one rude guest: thirty begin thirty steps a second. They are rude, not a flood that uses up the
 * processor: a flood is a proxy's matter, because no rule of a server tells it from many honest guests.
 */
const PACE_MS = 1000
const MAX_P99_RATIO = 2
const MAX_MEMORY_MIB = 120
const MAX_LEFT_SOCKETS = 16
const MEBIBYTE = 2 ** 20

export async function runHostileGuests(options: HostileRun): Promise<HostileReport> {
  const { seed, print, rounds, attack: part } = options
  const attacks = ATTACKS.filter(({ name }) => name.includes(part))
  if (attacks.length === 0) throw new TypeError(`no attack has ${part} in its name`)
  const random = createRandom(seed)
  const server = await startServer({ env: SETTINGS })
  const api = createApi(server)
  try {
    const owner = await signUp(api, random.fork('owner'))
    const target = {
      link: await newLink(api, owner, random),
      gatedLink: await newLink(api, owner, random, { passphrase_verifier: Buffer.alloc(32, 7).toString('base64') }),
    }
    const other = await newLink(api, owner, random)
    const links = { target, other }
    const newLinks = (count: number) => Promise.all(Array.from({ length: count }, () => newLink(api, owner, random)))
    await runPhase({
      ...options,
      files: rounds,
      server,
      links,
      timedLinks: [],
      attacks: [],
    })
    const sockets = socketsOf(server)
    const calm: Phase[] = []
    const hostile: Phase[] = []
    for (let round = 0; round < rounds; round += 1) {
      // The order changes, so that what the machine does besides meets both kinds alike.
      for (const isHostile of round % 2 === 0 ? [false, true] : [true, false]) {
        const timedLinks = await newLinks(Math.ceil(TIMED_IN_ALL / rounds / TIMED_ON_LINK))
        const phase = await runPhase({ ...options, server, links, timedLinks, attacks: isHostile ? attacks : [] })
        print(`round ${round + 1} ${isHostile ? 'hostile' : 'calm'}: ${JSON.stringify(summaryOf([phase]))}`)
        ;(isHostile ? hostile : calm).push(phase)
      }
    }
    const faults = judge(calm, hostile)
    faults.push(...(await leftOver({ server, api, owner, sockets })))
    const p99Ratio = percentile(timesOf(hostile), 0.99) / percentile(timesOf(calm), 0.99)
    return { faults, calm: summaryOf(calm), hostile: summaryOf(hostile), p99Ratio, log: loggedBy(server.log()) }
  } finally {
    api.close()
    await server.stop()
  }
}

interface PhaseOptions extends HostileRun {
  readonly server: RunningServer
  readonly links: { readonly target: Target; readonly other: string }
  /** For the timed creations only, `TIMED_ON_LINK` on each. */
  readonly timedLinks: readonly string[]
  readonly attacks: readonly Attack[]
}

async function runPhase({ server, links, timedLinks, attacks, ...options }: PhaseOptions): Promise<Phase> {
  const { port } = server
  const { target, other } = links
  const names = attacks.map(({ name }) => name)
  const attackers =
    names.length === 0
      ? undefined
      : await startAttackers({ port, target, guests: options.guests, names, paceMs: PACE_MS })
  if (attackers !== undefined) await pause(500)
  const memory = watchMemory(server)
  const startedAt = performance.now()
  const startedServerAt = processorSecondsOf(server)
  const [beside, apart, timed] = ['198.51.100.1', '198.51.100.2', '198.51.100.3'].map((source) =>
    createGuest(port, source),
  )
  const errors: string[] = []
  const files = Math.ceil(options.files / options.rounds)
  try {
    if (beside === undefined || apart === undefined || timed === undefined) throw new Error('three guests')
    const onTarget: string[] = []
    const creationMs: number[] = []
    const [landedBeside, landedApart] = await Promise.all([
      landFiles({ guest: beside, link: target.link, errors: onTarget, creationMs: [] }, files),
      landFiles({ guest: apart, link: other, errors, creationMs }, files),
      createOn(timedLinks, { guest: timed, errors, creationMs }),
    ])
    errors.push(...onTarget.map((error) => `on the same link: ${error}`))
    const seconds = (performance.now() - startedAt) / 1000
    const serverSeconds = processorSecondsOf(server) - startedServerAt
    const landedBytes = landedBeside + landedApart
    return { creationMs, errors, landedBytes, peakMiB: memory.peakMiB(), seconds, serverSeconds }
  } finally {
    memory.stop()
    for (const guest of [beside, apart, timed]) guest?.close()
    await attackers?.stop()
  }
}

async function createOn(links: readonly string[], work: Omit<Work, 'link'>): Promise<void> {
  for (const link of links) await createAndCancel({ ...work, link }, TIMED_ON_LINK)
}

function judge(calm: readonly Phase[], hostile: readonly Phase[]): string[] {
  const faults: string[] = []
  for (const [error, count] of tally([...calm, ...hostile].flatMap(({ errors }) => errors)))
    faults.push(`an honest guest: ${error} (${count} times)`)
  const ratio = percentile(timesOf(hostile), 0.99) / percentile(timesOf(calm), 0.99)
  if (!(ratio < MAX_P99_RATIO))
    faults.push(`creating a session takes ${ratio.toFixed(2)} times as long beside rude guests`)
  // Later phases keep what the first hostile phase has made the process allocate.
  const grownMiB = Math.max(...hostile.map(({ peakMiB }) => peakMiB)) - (calm[0]?.peakMiB ?? 0)
  if (grownMiB > MAX_MEMORY_MIB) faults.push(`the server needs ${grownMiB} MiB more beside rude guests`)
  return faults
}

interface End {
  readonly server: RunningServer
  readonly api: Api
  readonly owner: Owner
  readonly sockets: number
}

/** Revokes all links, and examines what is left. */
async function leftOver({ server, api, owner, sockets }: End): Promise<readonly string[]> {
  const { token } = owner
  const faults: string[] = []
  const list = jsonOf<{ links: { readonly opaque_id: string }[] }>(
    await api.askUntilAnswered({ method: 'GET', path: '/v1/drops/links', token }),
  )
  for (const { opaque_id: opaqueId } of list.links)
    await api.askUntilAnswered({ method: 'DELETE', path: `/v1/drops/links/${opaqueId}`, token })
  const { drops } = jsonOf<{ drops: { readonly size: number }[] }>(
    await api.askUntilAnswered({ method: 'GET', path: '/v1/drops', token }),
  )
  const { used } = jsonOf<{ used: number }>(await api.askUntilAnswered({ method: 'GET', path: '/v1/quota', token }))
  const kept = drops.reduce((sum, { size }) => sum + size, 0)
  if (used !== kept) faults.push(`${used} bytes used, ${kept} in the inbox`)
  if (!(await untilSwept(() => countFiles(server.dataDir), drops.length)))
    faults.push('the sweep leaves orphaned files')
  const left = socketsOf(server) - sockets
  if (left > MAX_LEFT_SOCKETS) faults.push(`${left} more sockets are open than before`)
  const exitCode = await server.terminate()
  if (exitCode !== 0) faults.push(`the server ended with ${exitCode}`)
  return [...faults, ...(await createOracle(server.dataDir).examine({ isSwept: true }))]
}

async function newLink(api: Api, { token }: Owner, random: Random, more: object = {}): Promise<string> {
  const opaqueId = random.hex(16)
  const key = { drop_pubkey: Buffer.alloc(1216, 3).toString('base64'), crypto_suite_id: 1 }
  const json = { opaque_id: opaqueId, ...key, ...more }
  const { status, code } = await api.askUntilAnswered({ method: 'POST', path: '/v1/drops/links', token, json })
  if (status !== 201) throw new Error(`a link was answered ${status} ${code}`)
  return opaqueId
}

function watchMemory(server: RunningServer): { peakMiB(): number; stop(): void } {
  let peak = 0
  const look = () => {
    const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid()}/status`, 'utf8')) ?? []
    peak = Math.max(peak, Math.round((Number(kibibytes) * 1024) / MEBIBYTE))
  }
  look()
  const timer = setInterval(look, 50)
  return { peakMiB: () => peak, stop: () => clearInterval(timer) }
}

/** In user and system mode, all threads: fields 14 and 15 of `stat`, in hundredths of a second on Linux. */
function processorSecondsOf(server: RunningServer): number {
  const stat = readFileSync(`/proc/${server.pid()}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Of sockets: files and directories stay open for a while by design. */
function socketsOf(server: RunningServer): number {
  const directory = `/proc/${server.pid()}/fd`
  return readdirSync(directory).filter((name) => {
    try {
      return readlinkSync(join(directory, name)).startsWith('socket:')
    } catch {
      return false // It was closed since the list was read.
    }
  }).length
}

const timesOf = (phases: readonly Phase[]) => phases.flatMap(({ creationMs }) => creationMs)

function summaryOf(phases: readonly Phase[]): object {
  const times = timesOf(phases)
  const round = (value: number) => Math.round(value * 10) / 10
  return {
    creations: times.length,
    medianMs: round(percentile(times, 0.5)),
    p99Ms: round(percentile(times, 0.99)),
    landedMiB: phases.reduce((sum, { landedBytes }) => sum + landedBytes, 0) / MEBIBYTE,
    errors: phases.reduce((sum, { errors }) => sum + errors.length, 0),
    peakMiB: Math.max(...phases.map(({ peakMiB }) => peakMiB)),
    seconds: round(phases.reduce((sum, { seconds }) => sum + seconds, 0)),
    serverSeconds: round(phases.reduce((sum, { serverSeconds }) => sum + serverSeconds, 0)),
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function tally(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
