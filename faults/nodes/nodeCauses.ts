/** What happens to one of several nodes. */
import { pause } from '../api.ts'
import type { Random } from '../random.ts'
import type { Cluster } from './cluster.ts'
import type { Cause } from './disturb.ts'

type Place = Pick<Cluster, 'nodes'>

/** Longer than the lease of an adoption (2 s in these runs) and the time after which PostgreSQL ends an idle transaction (5 s). */
const PAST_LEASES_MS = [6_000, 9_000] as const

export const NODE_CAUSES: readonly Cause<Place>[] = [
  { name: 'a node killed', lastsMs: [0, 1_500], begin: killed },
  { name: 'a node frozen for a moment', lastsMs: [100, 2_000], begin: frozen },
  { name: 'a node frozen past all leases', lastsMs: PAST_LEASES_MS, begin: frozen },
  { name: 'all nodes killed but one', lastsMs: [0, 500], begin: killedButOne },
]

function killed({ nodes: { nodes } }: Place, random: Random) {
  const node = random.pick(nodes)
  const killing = node.kill9()
  return async () => {
    await killing
    await node.restart()
  }
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

/** Most load balancers stop asking a node that does not answer; this one goes on half of the time. */
function frozen({ nodes: { nodes, proxy } }: Place, random: Random) {
  const node = random.pick(nodes)
  process.kill(node.pid(), 'SIGSTOP')
  const isAvoided = random.chance(0.5)
  if (isAvoided) proxy.forwardTo(nodes.filter((each) => each !== node).map(({ url }) => url))
  return () => {
    process.kill(node.pid(), 'SIGCONT')
    proxy.forwardTo(nodes.map(({ url }) => url))
  }
}
