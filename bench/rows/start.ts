/** P12: from process start to first answer, beside a Node process that only listens and answers. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort, type RunningServer } from '../../testing/startServer.ts'
import { startBlindkeep } from '../processes.ts'
import type { Lane, Row } from '../row.ts'

const LOOK_MS = 2
const MAX_MS = 30_000
const BARE = `require('node:http').createServer((_, answer) => answer.end('ok')).listen(process.argv[1], '127.0.0.1')`

export const start: Row = {
  name: 'start',
  ids: ['P12'],
  what: 'from the start of the process to the first answer, the database and the compile cache present',
  async open(options) {
    const server = await startBlindkeep(options)
    const own: Lane = { name: 'server', ...startLane(server) }
    const bare = processLane('a Node server of one line', ['-e', BARE])
    return {
      unit: 'ms',
      lanes: [own, bare],
      comparisons: [{ id: 'P12', lane: own, beside: bare, most: 400 }],
    }
  },
}

/** A Node process that gets its port as its last argument. */
function processLane(name: string, parameters: readonly string[]): Lane {
  return {
    name,
    async measure() {
      const port = await freePort()
      const child = spawn(process.execPath, [...parameters, String(port)], { stdio: 'ignore' })
      try {
        return { value: await untilAnswer(`http://127.0.0.1:${port}`) }
      } finally {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    },
  }
}

export function startLane(server: RunningServer): Pick<Lane, 'measure'> {
  return {
    async measure() {
      await server.terminate()
      const ready = server.restart()
      return { value: await untilAnswer(`${server.url}/readyz`).finally(() => ready) }
    },
  }
}

/** Milliseconds from now to the first answer of 200. */
async function untilAnswer(url: string): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.body?.cancel()
    const ms = performance.now() - startedAt
    if (answer?.status === 200) return ms
    if (ms > MAX_MS) throw new Error(`${url} does not answer`)
    await wait(LOOK_MS)
  }
}
