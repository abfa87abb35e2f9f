/** Kill -9 while many adoptions are under way: before the claim, between claim and settling, and after, until each was met often enough. */
import { pause } from './api.ts'
import { planAdoption, sendAdoption } from './assets/adopt.ts'
import { type Adoption, isAdopted, newAsset } from './assets/assetLedger.ts'
import { completeDue, type Found, newInterrupted, takeUp, WINDOWS, type Window } from './assets/interrupted.ts'
import { judgeRows } from './judge.ts'
import { untilState } from './kills.ts'
import { type Counts, describeAttempt } from './ledger.ts'
import { createWorld, judgeAll, type World } from './load.ts'
import { readInbox } from './owner.ts'
import type { Random } from './random.ts'
import { rowsOf } from './rows.ts'
import { appendUpTo, newLink, openSession } from './session.ts'

interface AdoptionRun {
  readonly seed: string
  /** Kills that have to meet each window. */
  readonly hits: number
  readonly tell: (text: string) => void
}

interface AdoptionReport {
  readonly faults: readonly string[]
  readonly counts: Counts
  /** Kills that found an adoption in this window, and the adoptions that they found there. */
  readonly kills: Readonly<Record<Window, number>>
  readonly adoptions: Readonly<Record<Window, number>>
  readonly leaseSeconds: number
  /** Claimed drops that were refused to everybody else, or completed by the same request, while the lease was live. */
  readonly inLease: { readonly refused: number; readonly repeated: number }
}

const NONE: Readonly<Record<Window, number>> = { 'before the claim': 0, 'between claim and settling': 0, after: 0 }
const DROPS = 16
const MAX_DROP_BYTES = 60_000
const LEASE_SECONDS_LEAST = 2
const IN_LEASE_LEAST = 2
const MAX_RUN_MS = 150_000
/** A random moment lies within what the adoptions of a round take undisturbed, or a little later. */
const MOMENTS_SHARE = 1.2
const MAX_AFTER_CLAIM_MS = 4
const POLL_MS = 50

export async function runR2a({ seed, hits, tell }: AdoptionRun): Promise<AdoptionReport> {
  const { world, leaseSeconds } = await worldWithLease(seed)
  const { ledger, server } = world
  const interrupted = newInterrupted()
  const { inLease, leased } = interrupted
  const kills = { ...NONE }
  const adoptions = { ...NONE }
  const isMet = () =>
    WINDOWS.every((window) => kills[window] >= hits) && Math.min(inLease.refused, inLease.repeated) >= IN_LEASE_LEAST
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
      tell(`after ${index + 1} kills: ${JSON.stringify({ kills, adoptions, inLease })}`)
      if (Date.now() > giveUpAt && !isMet())
        ledger.fault(`${MAX_RUN_MS / 1000} s were too few: ${JSON.stringify({ hits, kills, inLease, leaseSeconds })}`)
    }
    for (; leased.length > 0 && ledger.faults.length === 0; await pause(POLL_MS)) await completeDue(world, interrupted)
    if (ledger.faults.length === 0) await judgeEnd(world)
    return { faults: ledger.faults, counts: ledger.counts, kills, adoptions, leaseSeconds, inLease }
  } finally {
    await world.close()
  }
}

/** A lease that is still live after a kill and a start, on a machine as busy as this one is. */
async function worldWithLease(seed: string): Promise<{ readonly world: World; readonly leaseSeconds: number }> {
  const startedAt = performance.now()
  const world = await createWorld(seed, { env: { ADOPTION_LEASE_SECONDS: String(LEASE_SECONDS_LEAST) } })
  const leaseSeconds = Math.ceil((1.5 * (performance.now() - startedAt)) / 1000)
  if (leaseSeconds <= LEASE_SECONDS_LEAST) return { world, leaseSeconds: LEASE_SECONDS_LEAST }
  await world.close()
  return { world: await createWorld(seed, { env: { ADOPTION_LEASE_SECONDS: String(leaseSeconds) } }), leaseSeconds }
}

/** What the adoptions of one round take when nothing comes between. */
async function undisturbedMs(world: World): Promise<number> {
  const planned = await landAndPlan(world, world.random.fork('undisturbed'))
  const startedAt = performance.now()
  const replies = await Promise.all(planned.map((adoption) => sendAdoption(world, adoption)))
  if (replies.some((reply) => reply?.status !== 200)) world.ledger.fault('an undisturbed adoption was not adopted')
  return performance.now() - startedAt
}

/** Drops that have just landed in the inbox, and for each an adoption that was not asked for yet. */
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
  /** Killed as soon as a claim is seen, and not at a random moment. */
  readonly isWatched: boolean
}

/** All are sent within the time that they take together, so that at any moment some are before their claim, some behind it, and some are done. */
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

/** What the dead process left, held against the ledger, and where each adoption was. */
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

/** Every drop is one asset in the end, and of everything the sums are right. */
async function judgeEnd(world: World): Promise<void> {
  const { ledger } = world
  const lost = ledger.attempts.filter((attempt) => !isAdopted(attempt) && attempt.discarded !== 'acknowledged')
  for (const attempt of lost) ledger.fault(`it has become no asset: ${describeAttempt(attempt)}`)
  await judgeAll(world)
}
