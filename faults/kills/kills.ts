/** Kills the server, most often at an awkward moment, checks what the dead process left, and starts it again. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RunningServer } from '../../testing/startServer.ts'
import { type Api, pause } from '../harness/api.ts'
import { byWeight } from '../harness/guest.ts'
import { judgeRows } from '../harness/judge.ts'
import { describeAttempt, isOver, type Ledger } from '../harness/ledger.ts'
import type { Moment, Moments } from '../harness/moments.ts'
import type { Oracle } from '../harness/oracle.ts'
import type { Random } from '../harness/random.ts'
import { rowsOf } from '../harness/rows.ts'
import { createUptimeDeadline } from '../harness/uptimeDeadline.ts'

type Occasion = Moment | State | 'any time'
/** States that rows show for milliseconds. */
type State = 'a session is finishing' | 'a drop is claimed'

/** The query finds the ids in that state. `stays`: some may have been in it since the last kill. */
const STATES: Readonly<Record<State, { readonly query: string; readonly stays: boolean }>> = {
  'a session is finishing': { query: `select upload_id as id from uploads where state = 'finishing'`, stays: false },
  'a drop is claimed': { query: 'select claim_id as id from drops where claim_id is not null', stays: true },
}

/** How many percent of the kills wait for which occasion. */
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
const MAX_WAIT_FOR_OCCASION_MS = 1_500
const MAX_AFTER_OCCASION_MS = 40
const MAX_START_MS = 700
/** Between two kills a fast machine does not do more than a slow one, which would show nothing else. */
const MAX_STEPS = 40
const REST_SHARE = 0.1
const REST_MS = 3_000
const REST_STEPS = 80
const MAX_REST_MS = 60_000
const PROGRESS_POLL_MS = 20
const KILLED_WHILE_STARTING_SHARE = 0.1
/** An idle machine's start. When starts take longer, waits between kills grow: slow machines progress too. */
const USUAL_START_MS = 1_000
const MAX_PACE = 3

interface KillPorts {
  readonly server: RunningServer
  readonly api: Api
  readonly ledger: Ledger
  readonly moments: Moments
  readonly oracle: Oracle
  readonly print: (text: string) => void
}

/** How many kills waited for which occasion, and in which states they left sessions and drops. */
export interface KillTally {
  readonly occasions: Record<string, number>
  readonly states: Record<string, number>
}

/** Stops at the first fault, as later ones would be its consequences. */
export async function runKills(ports: KillPorts, kills: number, random: Random): Promise<KillTally> {
  const tally: KillTally = { occasions: {}, states: {} }
  let pace = 1
  for (let index = 1; index <= kills && ports.ledger.faults.length === 0; index++) {
    const own = random.fork(String(index))
    const [, occasion] = byWeight(OCCASIONS, ([share]) => share, own)
    if (own.chance(REST_SHARE)) await rest(ports, pace)
    else await untilSteps(ports.ledger, own.integer(1, MAX_STEPS), own.integer(50, 700) * pace)
    await waitFor(ports, { occasion, random: own, pace })
    await killOnce(ports, tally)
    tally.occasions[occasion] = (tally.occasions[occasion] ?? 0) + 1
    if (own.chance(KILLED_WHILE_STARTING_SHARE))
      await killWhileStarting(ports, { tally, afterMs: own.integer(0, MAX_START_MS) * pace })
    const startedAt = performance.now()
    await ports.server.restart()
    pace = Math.min(MAX_PACE, Math.max(1, (performance.now() - startedAt) / USUAL_START_MS))
    await judgeOpenSessions(ports)
    if (index % 10 === 0) ports.print(`${index} of ${kills} kills, ${JSON.stringify(ports.ledger.counts)}`)
  }
  return tally
}

/** What the server has acknowledged. */
const stepsOf = ({ counts }: Ledger) => counts.chunks + counts.landings + counts.discards

/** Until the server has acknowledged so much, or the time is over. */
async function untilSteps(ledger: Ledger, steps: number, maxMs: number): Promise<void> {
  const [wanted, giveUpAt] = [stepsOf(ledger) + steps, performance.now() + maxMs]
  while (stepsOf(ledger) < wanted && performance.now() < giveUpAt) await pause(PROGRESS_POLL_MS)
}

/** A pause without kills: long enough for large files to progress, and until the server has acknowledged a request. */
async function rest({ ledger, server }: KillPorts, pace: number): Promise<void> {
  const [before, deadline] = [stepsOf(ledger), createUptimeDeadline(server.uptimeMs, MAX_REST_MS)]
  await untilSteps(ledger, REST_STEPS, REST_MS * pace)
  while (stepsOf(ledger) === before && ledger.faults.length === 0) {
    if (deadline.isOver()) ledger.fault(`nothing is acknowledged for ${MAX_REST_MS / 1000} s without a kill`)
    await pause(PROGRESS_POLL_MS)
  }
}

async function waitFor(
  { server, moments }: KillPorts,
  { occasion, random, pace }: { readonly occasion: Occasion; readonly random: Random; readonly pace: number },
): Promise<void> {
  const waitMs = MAX_WAIT_FOR_OCCASION_MS * pace
  if (occasion === 'any time') return pause(random.integer(0, 500) * pace)
  if (isState(occasion)) return untilState(server.dataDir, occasion, waitMs)
  await Promise.race([moments.next(occasion), pause(waitMs)])
  // Short waits more often than long ones, as the first steps of an operation are the shortest.
  await pause(random.fraction() ** 3 * MAX_AFTER_OCCASION_MS * pace)
}

function isState(occasion: Occasion): occasion is State {
  return occasion in STATES
}

/** Polls the database of the running server until a session or drop has newly entered that state. */
export async function untilState(
  dataDirectory: string,
  state: State,
  waitMs = MAX_WAIT_FOR_OCCASION_MS,
): Promise<void> {
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

/** A server that has already ended by itself is a fault. */
async function killOnce({ server, ledger, oracle }: KillPorts, tally: KillTally): Promise<void> {
  if (!server.isRunning()) ledger.fault(`the server had ended by itself: ${server.log().slice(-2000)}`)
  await server.kill9()
  ledger.counts.kills++
  for (const fault of await oracle.examine({
    also(database) {
      for (const row of rowsOf(database, FOUND)) {
        const state = row.text('state')
        tally.states[state] = (tally.states[state] ?? 0) + row.number('found')
      }
      return judgeRows(database, ledger)
    },
  }))
    ledger.fault(`after kill ${ledger.counts.kills}: ${fault}`)
}

async function killWhileStarting(
  ports: KillPorts,
  { tally, afterMs }: { readonly tally: KillTally; readonly afterMs: number },
): Promise<void> {
  const starting = ports.server.restart().catch(() => undefined)
  await pause(afterMs)
  await killOnce(ports, tally)
  tally.occasions['it starts'] = (tally.occasions['it starts'] ?? 0) + 1
  await starting
}

/** A kill is not a power cut: no session may be behind its acknowledged offset. */
export async function judgeOpenSessions({ api, ledger }: Pick<KillPorts, 'api' | 'ledger'>): Promise<void> {
  for (const attempt of ledger.attempts) {
    if (attempt.uploadId === undefined || isOver(attempt)) continue
    const acknowledged = attempt.acknowledgedOffset
    const path = `/d/${attempt.link.opaqueId}/${attempt.uploadId}`
    const reply = await api.askUntilAnswered({ method: 'HEAD', path })
    // Its guest continues meanwhile, and judges a 404.
    if (reply.status === 200 && !(reply.offset >= acknowledged))
      ledger.fault(`${reply.offset} bytes after a restart: ${describeAttempt(attempt)}`)
  }
}
