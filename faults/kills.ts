/** Kills the server at moments of which half are chosen for being awkward, looks at what the dead process left, and starts it again. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RunningServer } from '../testing/startServer.ts'
import { type Api, pause } from './api.ts'
import { byWeight } from './guest.ts'
import { judgeRows } from './judge.ts'
import { describeAttempt, isOver, type Ledger } from './ledger.ts'
import type { Moment, Moments } from './moments.ts'
import type { Oracle } from './oracle.ts'
import { createPatience } from './patience.ts'
import type { Random } from './random.ts'
import { rowsOf } from './rows.ts'

type Occasion = Moment | State | 'any time'
/** What a look at the rows shows, for milliseconds. */
type State = 'a session is finishing' | 'a drop is claimed'

/** Who is in it; `stays` when it may have been since the last kill. */
const STATES: Readonly<Record<State, { readonly query: string; readonly stays: boolean }>> = {
  'a session is finishing': { query: `select upload_id as id from uploads where state = 'finishing'`, stays: false },
  'a drop is claimed': { query: 'select claim_id as id from drops where claim_id is not null', stays: true },
}

/** How many of a hundred kills wait for it. */
const OCCASIONS: readonly (readonly [share: number, Occasion])[] = [
  [13, 'any time'],
  [15, 'last chunk sent'],
  [15, 'a session is finishing'],
  [6, 'chunk sent'],
  [5, 'create sent'],
  [3, 'created'],
  [4, 'landed'],
  [8, 'discard sent'],
  [4, 'cancel sent'],
  [2, 'revoke sent'],
  [8, 'adopt sent'],
  [7, 'a drop is claimed'],
  [3, 'adopted'],
  [4, 'delete sent'],
  [3, 'deleted'],
]
const WAIT_FOR_OCCASION_MS = 1_500
const MAX_AFTER_OCCASION_MS = 40
const MAX_START_MS = 700
const BREATH_SHARE = 0.1
const BREATH_MS = 3_000
const MAX_BREATH_MS = 60_000
const PROGRESS_POLL_MS = 20
const KILLED_WHILE_STARTING_SHARE = 0.1
/** What a start takes where little else runs. All waits between kills grow with it, so that a slow machine gets somewhere between two kills, too. */
const USUAL_START_MS = 1_000
const MAX_PACE = 3

interface KillPorts {
  readonly server: RunningServer
  readonly api: Api
  readonly ledger: Ledger
  readonly moments: Moments
  readonly oracle: Oracle
  readonly tell: (text: string) => void
}

/** What the kills met: how many waited for which occasion, and the states in which they left sessions and drops. */
export interface Met {
  readonly occasions: Record<string, number>
  readonly states: Record<string, number>
}

/** Stops early when something is found wrong: what comes after would be its consequences. */
export async function runKills(ports: KillPorts, kills: number, random: Random): Promise<Met> {
  const met: Met = { occasions: {}, states: {} }
  let pace = 1
  for (let index = 1; index <= kills && ports.ledger.faults.length === 0; index++) {
    const own = random.fork(String(index))
    const [, occasion] = byWeight(OCCASIONS, ([share]) => share, own)
    if (own.chance(BREATH_SHARE)) await breathe(ports, pace)
    else await pause(own.integer(50, 700) * pace)
    await waitFor(ports, { occasion, random: own, pace })
    await killOnce(ports, met)
    met.occasions[occasion] = (met.occasions[occasion] ?? 0) + 1
    if (own.chance(KILLED_WHILE_STARTING_SHARE))
      await killWhileStarting(ports, { met, afterMs: own.integer(0, MAX_START_MS) * pace })
    const startedAt = performance.now()
    await ports.server.restart()
    pace = Math.min(MAX_PACE, Math.max(1, (performance.now() - startedAt) / USUAL_START_MS))
    await judgeOpenSessions(ports)
    if (index % 10 === 0) ports.tell(`${index} of ${kills} kills, ${JSON.stringify(ports.ledger.counts)}`)
  }
  return met
}

/** Long enough for the largest files to get on, and for something to be acknowledged, whatever else the machine has to do. */
async function breathe({ ledger, server }: KillPorts, pace: number): Promise<void> {
  const progress = () => ledger.counts.chunks + ledger.counts.landings + ledger.counts.discards
  const [before, patience] = [progress(), createPatience(server.uptimeMs, MAX_BREATH_MS)]
  await pause(BREATH_MS * pace)
  while (progress() === before && ledger.faults.length === 0) {
    if (patience.isOver()) ledger.fault(`nothing is acknowledged for ${MAX_BREATH_MS / 1000} s, and nobody kills`)
    await pause(PROGRESS_POLL_MS)
  }
}

async function waitFor(
  { server, moments }: KillPorts,
  { occasion, random, pace }: { readonly occasion: Occasion; readonly random: Random; readonly pace: number },
): Promise<void> {
  const waitMs = WAIT_FOR_OCCASION_MS * pace
  if (occasion === 'any time') return pause(random.integer(0, 500) * pace)
  if (isState(occasion)) return untilState(server.dataDir, occasion, waitMs)
  await Promise.race([moments.next(occasion), pause(waitMs)])
  // More often at once than late: what an operation does first takes the least time.
  await pause(random.fraction() ** 3 * MAX_AFTER_OCCASION_MS * pace)
}

function isState(occasion: Occasion): occasion is State {
  return occasion in STATES
}

/** Looks at the database beside the running server, all the time, for somebody who has just come into that state. */
export async function untilState(dataDirectory: string, state: State, waitMs = WAIT_FOR_OCCASION_MS): Promise<void> {
  const database = new DatabaseSync(join(dataDirectory, 'blindkeep.sqlite'), { readOnly: true })
  try {
    const { query, stays } = STATES[state]
    const present = () => rowsOf(database, query).map((row) => row.text('id'))
    const before = new Set(stays ? present() : [])
    const giveUpAt = Date.now() + waitMs
    while (Date.now() < giveUpAt && present().every((id) => before.has(id))) await new Promise(setImmediate)
  } finally {
    database.close()
  }
}

const FOUND = `select state, count(*) as found from uploads where closed_at is null group by state
  union all select 'claimed' as state, count(*) as found from drops where claim_id is not null`

/** A server that has ended by itself is a fault, and not a kill. */
async function killOnce({ server, ledger, oracle }: KillPorts, met: Met): Promise<void> {
  if (!server.isRunning()) ledger.fault(`the server had ended by itself: ${server.log().slice(-2000)}`)
  await server.kill9()
  ledger.counts.kills++
  for (const fault of await oracle.examine({
    also(database) {
      for (const row of rowsOf(database, FOUND)) {
        const state = row.text('state')
        met.states[state] = (met.states[state] ?? 0) + row.number('found')
      }
      return judgeRows(database, ledger)
    },
  }))
    ledger.fault(`after kill ${ledger.counts.kills}: ${fault}`)
}

async function killWhileStarting(
  ports: KillPorts,
  { met, afterMs }: { readonly met: Met; readonly afterMs: number },
): Promise<void> {
  const starting = ports.server.restart().catch(() => undefined)
  await pause(afterMs)
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
