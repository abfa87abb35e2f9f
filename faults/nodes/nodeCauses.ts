/** What happens to one of several nodes. */

import type { RunningServer } from '../../testing/startServer.ts'
import { pause } from '../harness/api.ts'
import type { Cause } from '../harness/disturb.ts'
import type { Random } from '../harness/random.ts'
import type { Cluster } from './cluster.ts'

type Place = Pick<Cluster, 'nodes'>

/**
 * Longer than the lease of an adoption (2 s in these runs) and the time after which PostgreSQL ends an idle transaction
 * (5 s); often also than the time after which it ends the connection that holds a node's turns (10 s).
 */
export const PAST_LEASES_MS = [6_000, 14_000] as const

export const NODE_CAUSES: readonly Cause<Place>[] = [
  { name: 'a node killed', lastsMs: [0, 1_500], begin: killed },
  { name: 'a node frozen for a moment', lastsMs: [100, 2_000], begin: frozen },
  { name: 'a node frozen past all leases', lastsMs: PAST_LEASES_MS, begin: frozen },
  { name: 'all nodes killed but one', lastsMs: [0, 500], begin: killedButOne },
]

async function killed({ nodes: { nodes } }: Place, random: Random) {
  const node = random.pick(nodes)
  await node.kill9()
  return () => node.restart()
}

async function killedButOne({ nodes: { nodes } }: Place, random: Random) {
  const survivor = random.pick(nodes)
  const others = nodes.filter((node) => node !== survivor)
  for (const node of others) {
    await pause(random.integer(0, 50))
    await node.kill9()
  }
  return () => Promise.all(others.map((node) => node.restart()))
}

function frozen({ nodes }: Place, random: Random) {
  return freeze(nodes, random.pick(nodes.nodes), random)
}

/** Most balancers stop asking a silent node; this one goes on half of the time. Returns what thaws it. */
export function freeze({ proxy }: Pick<Cluster['nodes'], 'proxy'>, node: RunningServer, random: Random): () => void {
  process.kill(node.pid(), 'SIGSTOP')
  const takeIn = random.chance(0.5) ? proxy.leaveOut(node.url) : () => undefined
  return () => {
    process.kill(node.pid(), 'SIGCONT')
    takeIn()
  }
}
