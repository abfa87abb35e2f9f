/** Kills the server at moments of which half are chosen for being awkward, looks at what the dead process left, and starts it again. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RunningServer } from '../testing/startServer.ts'
import { type Api, pause } from './api.ts'
import { byWeight } from './guest.ts'
import { judgeRows } from './judge.ts'
import { describeAttempt, isOver, type Ledger } from './ledger.ts'
import type { Moment, Moments } from './moments.ts'
import { rowsOf } from './oracle/rows.ts'
import type { Oracle } from './oracle.ts'
import type { Dice } from './random.ts'

type Occasion = Moment | 'any time' | 'a session is finishing'

/** How many of a hundred kills wait for it. */
const OCCASIONS: readonly (readonly [share: number, Occasion])[] = [
  [20, 'any time'],
  [20, 'last chunk sent'],
  [20, 'a session is finishing'],
  [8, 'chunk sent'],
  [6, 'create sent'],
  [4, 'created'],
  [4, 'landed'],
  [10, 'discard sent'],
  [5, 'cancel sent'],
  [3, 'revoke sent'],
]
const WAIT_FOR_OCCASION_MS = 1_500
const AFTER_OCCASION_MS_MOST = 40
const START_MS_MOST = 700
const BREATH_SHARE = 0.1
const BREATH_MS = 3_000
const KILLED_WHILE_STARTING_SHARE = 0.1

export interface KillPorts {
  readonly server: RunningServer
  readonly api: Api
  readonly ledger: Ledger
  readonly moments: Moments
  readonly oracle: Oracle
  readonly tell: (text: string) => void
}

/** What the kills met: how many waited for which occasion, and the states in which they left sessions. */
export interface Met {
  readonly occasions: Record<string, number>
  readonly states: Record<string, number>
}

/** Stops early when something is found wrong: what comes after would be its consequences. */
export async function runKills(ports: KillPorts, kills: number, dice: Dice): Promise<Met> {
  const met: Met = { occasions: {}, states: {} }
  for (let index = 1; index <= kills && ports.ledger.faults.length === 0; index++) {
    const own = dice.fork(String(index))
    const [, occasion] = byWeight(OCCASIONS, ([share]) => share, own)
    // At times long enough for the largest files to get on, whatever else the machine has to do.
    await pause(own.chance(BREATH_SHARE) ? BREATH_MS : own.integer(50, 700))
    await waitFor(ports, occasion, own)
    await killOnce(ports, met)
    met.occasions[occasion] = (met.occasions[occasion] ?? 0) + 1
    if (own.chance(KILLED_WHILE_STARTING_SHARE)) await killWhileStarting(ports, own, met)
    await ports.server.restart()
    await judgeOpenSessions(ports)
    if (index % 10 === 0) ports.tell(`${index} of ${kills} kills, ${JSON.stringify(ports.ledger.counts)}`)
  }
  return met
}

async function waitFor({ server, moments }: KillPorts, occasion: Occasion, dice: Dice): Promise<void> {
  if (occasion === 'any time') return pause(dice.integer(0, 500))
  if (occasion === 'a session is finishing') return untilFinishing(server.dataDir)
  await Promise.race([moments.next(occasion), pause(WAIT_FOR_OCCASION_MS)])
  // More often at once than late: what an operation does first takes the least time.
  await pause(dice.fraction() ** 3 * AFTER_OCCASION_MS_MOST)
}

/** Looks at the database beside the running server. The state lasts for milliseconds, so it looks all the time. */
export async function untilFinishing(dataDirectory: string, waitMs = WAIT_FOR_OCCASION_MS): Promise<void> {
  const database = new DatabaseSync(join(dataDirectory, 'blindkeep.sqlite'), { readOnly: true })
  try {
    const statement = database.prepare(`select 1 from uploads where state = 'finishing' limit 1`)
    const giveUpAt = Date.now() + waitMs
    while (Date.now() < giveUpAt && statement.get() === undefined) await new Promise(setImmediate)
  } finally {
    database.close()
  }
}

/** A server that has ended by itself is a fault, and not a kill. */
async function killOnce({ server, ledger, oracle }: KillPorts, met: Met): Promise<void> {
  if (!server.isRunning()) ledger.fault(`the server had ended by itself: ${server.log().slice(-2000)}`)
  await server.kill9()
  ledger.counts.kills++
  for (const fault of await oracle.examine({
    also(database) {
      for (const row of rowsOf(database, 'select state, count(*) as sessions from uploads group by state')) {
        const state = row.text('state')
        if (state === 'open' || state === 'finishing')
          met.states[state] = (met.states[state] ?? 0) + row.number('sessions')
      }
      return judgeRows(database, ledger)
    },
  }))
    ledger.fault(`after kill ${ledger.counts.kills}: ${fault}`)
}

async function killWhileStarting(ports: KillPorts, dice: Dice, met: Met): Promise<void> {
  const starting = ports.server.restart().catch(() => undefined)
  await pause(dice.integer(0, START_MS_MOST))
  await killOnce(ports, met)
  met.occasions['it starts'] = (met.occasions['it starts'] ?? 0) + 1
  await starting
}

/** A killed process is no power cut: no session stands before a byte that was acknowledged. */
export async function judgeOpenSessions({ api, ledger }: Pick<KillPorts, 'api' | 'ledger'>): Promise<void> {
  for (const attempt of ledger.attempts) {
    if (attempt.uploadId === undefined || isOver(attempt)) continue
    const acknowledged = attempt.acknowledgedOffset
    const path = `/d/${attempt.link.opaqueId}/${attempt.uploadId}`
    const reply = await api.askUntilAnswered({ method: 'HEAD', path })
    // Its guest goes on meanwhile, and judges a 404.
    if (reply.status === 200 && !(reply.offset >= acknowledged))
      ledger.fault(`${reply.offset} bytes after a restart: ${describeAttempt(attempt)}`)
  }
}
