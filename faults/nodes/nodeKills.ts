/**
 * R17: nodes are killed and frozen under load at random moments, while the others serve; often two at once. One cluster
 * lives through all of it. Every fifty moments the load rests, everything that was acknowledged is read, and the rows
 * are compared with the keys of the store.
 */
import type { RunningServer } from '../../testing/startServer.ts'
import { pause } from '../harness/api.ts'
import { unexpectedIn } from '../harness/disturbed.ts'
import type { Counts } from '../harness/ledger.ts'
import { createWorld, judgeKept, judgeServed, startLoad, type World } from '../harness/load.ts'
import { MOMENTS } from '../harness/moments.ts'
import { discard, readInbox } from '../harness/owner.ts'
import type { Random } from '../harness/random.ts'
import { loggedBy, type RunReport, type SharedOptions } from '../harness/report.ts'
import { createTrouble, type Trouble } from '../harness/trouble.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { freeze, PAST_LEASES_MS } from './nodeCauses.ts'
import { openStuckWatch } from './stuck.ts'

interface NodeKillRun extends SharedOptions {
  readonly kills: number
  readonly freezes: number
  readonly guests: number
  readonly nodes: number
}

interface NodeKillReport extends RunReport {
  readonly counts: Counts
  /** How often what happened, and how often while another node was down. */
  readonly tally: Readonly<Record<string, number>>
  /** Requests that were answered that the storage is unavailable. */
  readonly refused: number
  readonly longestWithoutLandingMs: number
}

type Blow = 'kill' | 'freeze'

interface Scene {
  readonly world: World
  readonly cluster: Cluster
  readonly trouble: Trouble
  readonly tally: Record<string, number>
  readonly print: (text: string) => void
}

const BLOWS_BETWEEN_CHECKS = 50
const LONG_SHARE = 0.35
const KILLED_WHILE_STARTING_SHARE = 0.1
const MAX_WITHOUT_LANDING_MS = 60_000
const LOOK_MS = 1_000

export async function runNodeKills(options: NodeKillRun): Promise<NodeKillReport | { readonly missing: string }> {
  const { seed, guests, print } = options
  const cluster = await openCluster({ count: options.nodes })
  if ('missing' in cluster) return cluster
  const trouble = createTrouble()
  const { server, oracle, countObjects } = cluster
  const world = await createWorld(seed, { on: { server, oracle, countObjects, seen: trouble.seen } }).catch(
    async (error: unknown) => {
      await cluster.stop()
      throw error
    },
  )
  const { ledger } = world
  const scene: Scene = { world, cluster, trouble, tally: {}, print }
  const blows = planned(options, world.random.fork('plan'))
  let longestWithoutLandingMs = 0
  try {
    for (let part = 0; blows.length > 0 && ledger.faults.length === 0; part++) {
      const random = world.random.fork(`part ${part}`)
      const load = startLoad({ ...world, random }, guests)
      const watch = startWatch(scene)
      await strike(scene, blows.splice(0, BLOWS_BETWEEN_CHECKS), random)
      longestWithoutLandingMs = Math.max(longestWithoutLandingMs, await watch.stop())
      await load.stop()
      if (ledger.faults.length === 0) await judge(scene)
      print(`${blows.length} left, ${JSON.stringify(scene.tally)}, ${JSON.stringify(ledger.counts)}`)
    }
    const exitCode = await server.terminate()
    if (exitCode !== 0) ledger.fault(`a node ended with ${exitCode}`)
    if (ledger.counts.landings === 0) ledger.fault('the kills met no load')
    const log =
      ledger.faults.length === 0 ? unexpectedIn(loggedBy(server.log())) : loggedBy(server.log()).slice(-20_000)
    const { tally } = scene
    return {
      faults: ledger.faults,
      counts: ledger.counts,
      tally,
      refused: trouble.refused,
      longestWithoutLandingMs,
      log,
    }
  } finally {
    await world.close()
  }
}

function planned({ kills, freezes }: NodeKillRun, random: Random): Blow[] {
  const all: readonly Blow[] = [...Array<Blow>(kills).fill('kill'), ...Array<Blow>(freezes).fill('freeze')]
  return all
    .map((blow) => ({ blow, order: random.fraction() }))
    .sort((one, other) => one.order - other.order)
    .map(({ blow }) => blow)
}

/** One node always stands: as many lanes as there are other nodes strike any that stands. Stops at the first fault. */
async function strike(scene: Scene, blows: Blow[], random: Random): Promise<void> {
  const { world, cluster, trouble, tally } = scene
  const standing = new Set(cluster.nodes.nodes)
  const note = (what: string) => {
    tally[what] = (tally[what] ?? 0) + 1
  }
  let number = 0
  const lane = async () => {
    for (let blow = blows.shift(); blow !== undefined && world.ledger.faults.length === 0; blow = blows.shift()) {
      const own = random.fork(`blow ${number++}`)
      await untilMoment(world, own)
      const node = own.pick([...standing])
      if (!node.isRunning()) return world.ledger.fault(`a node has ended by itself: ${node.log().slice(-2000)}`)
      note(standing.size < cluster.nodes.nodes.length ? `${blow} while another is down` : blow)
      standing.delete(node)
      trouble.present.isNow = true
      if (blow === 'kill') world.ledger.counts.kills++
      await (blow === 'kill' ? killAndStart(node, own, note) : freezeAndThaw(cluster, node, own))
      standing.add(node)
      trouble.present.isNow = standing.size < cluster.nodes.nodes.length
      if (blows.length % 10 === 0) scene.print(`${blows.length} left until the next check`)
    }
  }
  const lanes = Array.from({ length: Math.max(1, cluster.nodes.nodes.length - 1) }, lane)
  await Promise.all(lanes.map((each) => each.catch((error: unknown) => world.ledger.fault(String(error)))))
}

/** At once after a request or answer of some kind, if one comes soon; otherwise at any time. */
async function untilMoment({ moments }: World, random: Random): Promise<void> {
  await pause(random.integer(0, 1_000))
  await Promise.race([moments.next(random.pick(MOMENTS)), pause(random.integer(0, 1_500))])
  await pause(random.fraction() ** 3 * 60)
}

async function killAndStart(node: RunningServer, random: Random, note: (what: string) => void): Promise<void> {
  await node.kill9()
  await pause(random.integer(0, 1_500))
  if (random.chance(KILLED_WHILE_STARTING_SHARE)) {
    const starting = node.restart().catch(() => undefined)
    await pause(random.integer(0, 1_500))
    await node.kill9()
    note('kill of a node that starts')
    await starting
  }
  await node.restart()
}

async function freezeAndThaw({ nodes }: Cluster, node: RunningServer, random: Random): Promise<void> {
  const thaw = freeze(nodes, node, random)
  await pause(random.chance(LONG_SHARE) ? random.integer(...PAST_LEASES_MS) : random.integer(50, 2_500))
  thaw()
}

/** Looks at the rows and at the load while both go on. `stop` answers the longest time without a landing. */
function startWatch({ world: { ledger }, cluster }: Scene): { stop(): Promise<number> } {
  let isStopping = false
  let longestMs = 0
  const watching = watch().catch((error: unknown) => ledger.fault(String(error)))
  async function watch() {
    const stuck = await openStuckWatch(cluster.database.directUrl)
    let [landings, landedAt] = [ledger.counts.landings, performance.now()]
    while (!isStopping && ledger.faults.length === 0) {
      for (const fault of await stuck.look()) ledger.fault(fault)
      const withoutMs = Math.round(performance.now() - landedAt)
      longestMs = Math.max(longestMs, withoutMs)
      if (withoutMs > MAX_WITHOUT_LANDING_MS) ledger.fault(`nothing has landed for ${withoutMs} ms`)
      if (ledger.counts.landings > landings) [landings, landedAt] = [ledger.counts.landings, performance.now()]
      await pause(LOOK_MS)
    }
    await stuck.close()
  }
  return {
    async stop() {
      isStopping = true
      await watching
      return longestMs
    },
  }
}

async function judge({ world, cluster }: Scene): Promise<void> {
  await judgeServed(world)
  await discardHeld(world)
  await judgeKept(world)
  const stuck = await openStuckWatch(cluster.database.directUrl)
  for (const fault of await stuck.look()) world.ledger.fault(fault)
  await stuck.close()
}

const MAX_HELD_MS = 60_000

/** An adoption that its node did not finish holds its drop for the time of its lease. */
async function discardHeld(world: World): Promise<void> {
  const giveUpAt = Date.now() + MAX_HELD_MS
  for (const owner of world.owners) {
    const held = async () => (await readInbox(world, owner)).filter(({ adopting }) => adopting)
    for (let entries = await held(); entries.length > 0; entries = await held()) {
      for (const entry of entries) await discard(world, owner, entry)
      if (Date.now() > giveUpAt) return world.ledger.fault(`a drop is still held: ${entries[0]?.drop_id}`)
      await pause(100)
    }
  }
}
