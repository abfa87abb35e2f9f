/** One cause of failure after another under load, and how long until something lands again. */
import { pause } from './api.ts'
import type { World } from './load.ts'
import type { Random } from './random.ts'
import { newLink, plannedSession, type Session } from './session.ts'
import type { Trouble } from './trouble.ts'

export interface Cause<Place> {
  readonly name: string
  readonly lastsMs: readonly [least: number, most: number]
  /** It gives wrong bytes. */
  readonly lies?: boolean
  /** It leaves the database no room. */
  readonly fills?: boolean
  /** Begins it, and resolves with what ends it. */
  begin(place: Place, random: Random): Promise<() => unknown> | (() => unknown)
}

export interface Disturbance<Place> {
  readonly world: World
  readonly trouble: Trouble
  readonly place: Place
  readonly causes: readonly Cause<Place>[]
  readonly rounds: number
  /** Only causes whose name contains it. */
  readonly cause: string
  /** Seconds after the end of each cause in which something has to land again. */
  readonly within?: number
  readonly print: (text: string) => void
  /** Runs after each round. */
  readonly judge?: (cause: string, random: Random) => Promise<void>
}

/** By cause, in milliseconds: the longest time from its end to the next landing. */
export type Recoveries = Readonly<Record<string, number>>

const MAX_RECOVERY_MS = 60_000
const PROBE_BYTES = 10_007
const PROBE_PAUSE_MS = 50

/** Stops at the first fault, as later ones would be its consequences. */
export async function disturb<Place>(disturbance: Disturbance<Place>): Promise<Recoveries> {
  const { world, trouble, place, rounds, print, judge, within = MAX_RECOVERY_MS / 1000 } = disturbance
  const { ledger } = world
  const causes = disturbance.causes.filter(({ name }) => name.includes(disturbance.cause))
  if (causes.length === 0) ledger.fault(`no cause has ${disturbance.cause} in its name`)
  const recoveries: Record<string, number> = {}
  for (let index = 0; index < rounds && ledger.faults.length === 0; index++) {
    const random = world.random.fork(`round ${index}`)
    const cause = causes[index % causes.length]
    if (cause === undefined) throw new Error('there are causes')
    await pause(random.integer(300, 1_500))
    trouble.present.isNow = true
    trouble.lying.isNow = cause.lies === true
    trouble.full.isNow = cause.fills === true
    const end = await cause.begin(place, random)
    await pause(random.integer(...cause.lastsMs))
    await end()
    trouble.present.isNow = false
    const recoveredMs = await recovery(world, `${index}`)
    recoveries[cause.name] = Math.max(recoveries[cause.name] ?? 0, recoveredMs)
    if (recoveredMs > within * 1000)
      ledger.fault(`after "${cause.name}" something landed only ${recoveredMs / 1000} s after its end`)
    await judge?.(cause.name, random)
    if ((index + 1) % 10 === 0) print(`${index + 1} of ${rounds} rounds, ${JSON.stringify(ledger.counts)}`)
  }
  print(`longest recoveries in ms: ${JSON.stringify(recoveries)}`)
  return recoveries
}

/** Milliseconds until a new drop has landed. */
async function recovery(world: World, name: string): Promise<number> {
  const { server, ledger } = world
  const endedAt = performance.now()
  const elapsedMs = () => Math.round(performance.now() - endedAt)
  let probe: Session | undefined
  while (elapsedMs() < MAX_RECOVERY_MS && server.isRunning()) {
    // The load's owners sometimes revoke this link too.
    if (probe === undefined || probe.attempt.link.revoked !== 'no') {
      const link = await newLink(world, `probe ${name} ${elapsedMs()}`)
      probe = plannedSession(world, link, { name: `probe-${name}-${elapsedMs()}`, size: PROBE_BYTES })
    }
    const { attempt, upload } = probe
    if (attempt.uploadId !== undefined || (await upload.create()))
      await upload.append({ offset: 0, length: attempt.size })
    if (attempt.landed === 'acknowledged') return elapsedMs()
    await pause(PROBE_PAUSE_MS)
  }
  ledger.fault(
    server.isRunning()
      ? `nothing lands ${elapsedMs() / 1000} s after the cause has ended`
      : `a server has ended by itself: ${server.log().slice(-2000)}`,
  )
  return elapsedMs()
}
