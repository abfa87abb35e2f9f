/** What happens to a database. */

import type { Cause } from '../harness/disturb.ts'
import type { Random } from '../harness/random.ts'
import type { FaultyDatabase } from './database.ts'

type Place = { readonly database: FaultyDatabase }

export const DATABASE_CAUSES: readonly Cause<Place>[] = [
  { name: 'connections cut', lastsMs: [0, 50], begin: byProxy((proxy) => proxy.cut()) },
  { name: 'unreachable', lastsMs: [200, 3_000], begin: byProxy(vanish) },
  { name: 'hanging', lastsMs: [500, 8_000], begin: byProxy((proxy) => proxy.hang()) },
  { name: 'slow', lastsMs: [500, 2_000], begin: byProxy((proxy, random) => proxy.delay(random.integer(5, 100))) },
  {
    name: 'answers of commits lost',
    lastsMs: [300, 1_500],
    begin: byProxy((proxy, random) => proxy.loseCommits('answer', random.integer(1, 20))),
  },
  {
    name: 'commits lost',
    lastsMs: [300, 1_500],
    begin: byProxy((proxy, random) => proxy.loseCommits('request', random.integer(1, 20))),
  },
  { name: 'crashed and restarted', lastsMs: [0, 0], begin: crash },
  { name: 'failed over to a standby', lastsMs: [500, 3_000], begin: failOver },
  { name: 'out of connections', lastsMs: [500, 3_000], begin: outOfConnections },
  { name: 'disk full', lastsMs: [500, 3_000], fills: true, begin: fullDisk },
]

/** A cause that the proxy makes and heals. */
function byProxy(spoil: (proxy: FaultyDatabase['proxy'], random: Random) => void): Cause<Place>['begin'] {
  return ({ database: { proxy } }, random) => {
    spoil(proxy, random)
    return proxy.heal
  }
}

function vanish(proxy: FaultyDatabase['proxy']): void {
  proxy.refuse()
  proxy.cut()
}

async function crash({ database }: Place) {
  await database.server.restart()
  return () => undefined
}

/** A synchronous standby, without which no commit is answered: what was acknowledged is there afterwards. */
async function failOver({ database: { server } }: Place) {
  await server.addStandby()
  return server.failOver
}

/** The servers' own connections are cut, so that they need new ones. */
async function outOfConnections({ database: { proxy, takeAllConnections } }: Place) {
  vanish(proxy)
  const release = await takeAllConnections()
  await proxy.heal()
  return release
}

/** PostgreSQL may end itself when it cannot write its log, so its operator starts it again. */
function fullDisk({ database: { disk, server } }: Place) {
  disk.fill()
  return () => {
    disk.free()
    return server.restart()
  }
}
