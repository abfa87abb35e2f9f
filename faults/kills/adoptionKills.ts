/** R2a: kill -9 during many adoptions, in each window: before the claim, before settling, and after. */
import { pause } from '../harness/api.ts'
import { planAdoption, sendAdoption } from '../harness/assets/adopt.ts'
import { isAdopted, newAsset } from '../harness/assets/assetLedger.ts'
import { completeDue, type Found, newInterrupted, takeUp, WINDOWS, type Window } from '../harness/assets/interrupted.ts'
import { judgeRows } from '../harness/judge.ts'
import { type Adoption, type Counts, describeAttempt } from '../harness/ledger.ts'
import { createWorld, judgeAll, type World } from '../harness/load.ts'
import { readInbox } from '../harness/owner.ts'
import type { Random } from '../harness/random.ts'
import { rowsOf } from '../harness/rows.ts'
import { appendUpTo, newLink, openSession } from '../harness/session.ts'
import { untilState } from './kills.ts'

interface AdoptionRun {
  readonly seed: string
  /** Kills that must hit each window. */
  readonly hits: number
  readonly print: (text: string) => void
}

interface AdoptionReport {
  readonly faults: readonly string[]
  readonly counts: Counts
  /** By window: kills that hit an adoption in it, and the adoptions that they hit. */
  readonly kills: Readonly<Record<Window, number>>
  readonly adoptions: Readonly<Record<Window, number>>
  readonly leaseSeconds: number
  /** Claimed drops, refused to others during the lease, or completed for the same request. */
  readonly inLease: { readonly refused: number; readonly repeated: number }
}

const NONE: Readonly<Record<Window, number>> = { 'before the claim': 0, 'between claim and settling': 0, after: 0 }
const DROPS = 16
const MAX_DROP_BYTES = 60_000
const MIN_LEASE_SECONDS = 2
const LEASE_STARTS = 5
const MIN_IN_LEASE = 2
/** A run takes 13 s. On a busy machine starts took 20 s, and it needs a dozen or two. */
const MAX_RUN_MS = 600_000
/** A random kill comes within the usual time of a round's adoptions, or a little later. */
const MOMENTS_SHARE = 1.2
const MAX_AFTER_CLAIM_MS = 4
const POLL_MS = 50

export async function runAdoptionKills({ seed, hits, print }: AdoptionRun): Promise<AdoptionReport> {
  const { world, leaseSeconds } = await worldWithLease(seed)
  const { ledger, server } = world
  const interrupted = newInterrupted()
  const { inLease, leased } = interrupted
  const kills = { ...NONE }
  const adoptions = { ...NONE }
  const isMet = () =>
    WINDOWS.every((window) => kills[window] >= hits) && Math.min(inLease.refused, inLease.repeated) >= MIN_IN_LEASE
  try {
    const usualMs = await undisturbedMs(world)
    const giveUpAt = Date.now() + MAX_RUN_MS
    for (let index = 0; !isMet() && ledger.faults.length === 0; index++) {
      const random = world.random.fork(`round ${index}`)
      const found = await killAmong(world, { random, usualMs, leaseSeconds, isWatched: index % 2 === 0 })
      for (const window of WINDOWS) {
        const there = found.filter((each) => each.window === window).length
        kills[window] += there > 0 ? 1 : 0
        adoptions[window] += there
      }
      await server.restart()
      await takeUp(world, found, interrupted)
      await completeDue(world, interrupted)
      print(`after ${index + 1} kills: ${JSON.stringify({ kills, adoptions, inLease })}`)
      if (Date.now() > giveUpAt && !isMet())
        ledger.fault(`${MAX_RUN_MS / 1000} s were too short: ${JSON.stringify({ hits, kills, inLease, leaseSeconds })}`)
    }
    for (; leased.length > 0 && ledger.faults.length === 0; await pause(POLL_MS)) await completeDue(world, interrupted)
    if (ledger.faults.length === 0) await judgeEnd(world)
    return { faults: ledger.faults, counts: ledger.counts, kills, adoptions, leaseSeconds, inLease }
  } finally {
    await world.close()
  }
}

/** The lease must still be live after a kill and a start, also when other runs begin beside this one. */
async function worldWithLease(seed: string): Promise<{ readonly world: World; readonly leaseSeconds: number }> {
  const startedAt = performance.now()
  const world = await createWorld(seed, { env: { ADOPTION_LEASE_SECONDS: String(MIN_LEASE_SECONDS) } })
  const leaseSeconds = Math.ceil((LEASE_STARTS * (performance.now() - startedAt)) / 1000)
  if (leaseSeconds <= MIN_LEASE_SECONDS) return { world, leaseSeconds: MIN_LEASE_SECONDS }
  await world.close()
  return { world: await createWorld(seed, { env: { ADOPTION_LEASE_SECONDS: String(leaseSeconds) } }), leaseSeconds }
}

/** The time that the adoptions of one round take without a kill. */
async function undisturbedMs(world: World): Promise<number> {
  const planned = await landAndPlan(world, world.random.fork('undisturbed'))
  const startedAt = performance.now()
  const replies = await Promise.all(planned.map((adoption) => sendAdoption(world, adoption)))
  if (replies.some((reply) => reply?.status !== 200)) world.ledger.fault('an undisturbed adoption was not adopted')
  return performance.now() - startedAt
}

/** Lands drops, and plans an adoption of each without sending it. */
async function landAndPlan(world: World, random: Random): Promise<readonly Adoption[]> {
  const link = await newLink(world, random.hex(8))
  const attempts = await Promise.all(
    Array.from({ length: DROPS }, async () => {
      const session = await openSession(world, link, { name: random.hex(8), size: random.integer(17, MAX_DROP_BYTES) })
      await appendUpTo(session, session.attempt.size, MAX_DROP_BYTES)
      return session.attempt
    }),
  )
  const inbox = new Map((await readInbox(world, link.owner)).map((entry) => [entry.ciphertext_hash, entry.drop_id]))
  return attempts.map((attempt) => {
    attempt.dropId = inbox.get(attempt.hash)
    return planAdoption(world, attempt, newAsset(link.owner))
  })
}

interface Round {
  readonly random: Random
  readonly usualMs: number
  readonly leaseSeconds: number
  /** Kills as soon as a claim is seen, and not at a random moment. */
  readonly isWatched: boolean
}

/** Adoptions spread over their usual time: at any moment some are before, within and after their claims. */
async function killAmong(world: World, round: Round): Promise<readonly Found[]> {
  const { server, ledger } = world
  const { random, usualMs, leaseSeconds, isWatched } = round
  const planned = await landAndPlan(world, random)
  const startedAt = Date.now()
  let isKilled = false
  const sending = planned.map(async (adoption) => {
    await pause(random.fraction() * usualMs)
    if (!isKilled) await sendAdoption(world, adoption)
  })
  if (isWatched) {
    await untilState(server.dataDir, 'a drop is claimed')
    await pause(random.fraction() * MAX_AFTER_CLAIM_MS)
  } else await pause(random.fraction() * usualMs * MOMENTS_SHARE)
  isKilled = true
  await server.kill9()
  ledger.counts.kills++
  const killedAt = Date.now()
  await Promise.all(sending)
  const found = await examine(world, planned)
  for (const { adoption, leasedUntil } of found) {
    const claimedAt = leasedUntil - leaseSeconds * 1000
    if (leasedUntil > 0 && !(startedAt <= claimedAt && claimedAt <= killedAt))
      ledger.fault(`its lease ends at ${leasedUntil}, killed at ${killedAt}: ${describeAttempt(adoption.attempt)}`)
  }
  return found
}

/** Compares what the dead process left with the ledger, and finds how far each adoption had come. */
async function examine({ oracle, ledger }: World, planned: readonly Adoption[]): Promise<readonly Found[]> {
  let found: readonly Found[] = []
  const faults = await oracle.examine({
    also(database) {
      const rows = rowsOf(database, 'select drop_id, coalesce(leased_until, 0) as leased_until from drops')
      const leases = new Map(rows.map((row) => [row.text('drop_id'), row.number('leased_until')]))
      found = planned.map((adoption) => ({ adoption, ...windowOf(adoption, leases) }))
      return judgeRows(database, ledger)
    },
  })
  for (const fault of faults) ledger.fault(`after kill ${ledger.counts.kills}: ${fault}`)
  return found
}

function windowOf({ attempt, bundle }: Adoption, leases: ReadonlyMap<string, number>): Omit<Found, 'adoption'> {
  const leasedUntil = leases.get(attempt.dropId ?? '')
  if (bundle.original.landed === 'no') return { window: undefined, leasedUntil: 0 }
  if (leasedUntil === undefined) return { window: 'after', leasedUntil: 0 }
  return { window: leasedUntil === 0 ? 'before the claim' : 'between claim and settling', leasedUntil }
}

/** In the end every drop is exactly one asset. */
async function judgeEnd(world: World): Promise<void> {
  const { ledger } = world
  const unadopted = ledger.attempts.filter((attempt) => !isAdopted(attempt) && attempt.discarded !== 'acknowledged')
  for (const attempt of unadopted) ledger.fault(`it was never adopted: ${describeAttempt(attempt)}`)
  await judgeAll(world)
}
