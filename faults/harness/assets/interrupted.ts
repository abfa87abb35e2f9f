/** Interrupted adoptions after the next start: what owners see, and how each completes (specification, Adopt). */
import type { Reply } from '../api.ts'
import { type Adoption, describeAttempt } from '../ledger.ts'
import type { World } from '../load.ts'
import { readInbox } from '../owner.ts'
import { lookForAdoption, planAdoption, sendAdoption } from './adopt.ts'
import { isAdopted, newAsset } from './assetLedger.ts'
import { adoptionBody } from './author.ts'
import { compareAsset, fetchAssetReceipts } from './compare.ts'

/** How far a sent adoption had come when the kill hit it. */
export const WINDOWS = ['before the claim', 'between claim and settling', 'after'] as const
export type Window = (typeof WINDOWS)[number]

export interface Found {
  readonly adoption: Adoption
  /** Undefined when it was never sent. */
  readonly window: Window | undefined
  /** Milliseconds since 1970, by the clock of this machine; 0 when the drop is not claimed. */
  readonly leasedUntil: number
}

interface Interrupted {
  /** Drops of an adoption that is never repeated. Claims survive starts until the lease ends and another takes over. */
  readonly leased: Found[]
  readonly inLease: { refused: number; repeated: number }
}

/** A request sent this long before the end of a lease is answered before that end, except on a very slow machine. */
const MARGIN_MS = 300

export function newInterrupted(): Interrupted {
  return { leased: [], inLease: { refused: 0, repeated: 0 } }
}

/** Repeats some adoptions of each window, and adopts the drops of the others into other assets. */
export async function takeUp(world: World, found: readonly Found[], interrupted: Interrupted): Promise<void> {
  const [first] = found
  if (first === undefined) return
  const inbox = new Map((await readInbox(world, first.adoption.asset.owner)).map((entry) => [entry.drop_id, entry]))
  for (const [index, each] of found.entries()) {
    const { attempt } = each.adoption
    const entry = inbox.get(attempt.dropId ?? '')
    const isAsLeft = each.window === 'after' ? entry === undefined : entry?.adopting === each.leasedUntil > 0
    if (!isAsLeft) world.ledger.fault(`the inbox lists it as ${JSON.stringify(entry)}: ${describeAttempt(attempt)}`)
    const isRepeated = index % 2 === 0
    if (each.window === 'after') await findAdopted(world, each)
    else if (each.leasedUntil === 0) await adoptPending(world, each, isRepeated)
    else if (isRepeated) await repeat(world, each, interrupted)
    else await refuseOthers(world, each, interrupted)
  }
}

async function findAdopted(world: World, { adoption }: Found): Promise<void> {
  const { attempt, asset } = adoption
  if (!isAdopted(attempt) && !(await lookForAdoption(world, attempt)))
    return world.ledger.fault(`no asset names it: ${describeAttempt(attempt)}`)
  await compareAsset(world, asset)
  await fetchAssetReceipts(world, asset)
  await expectNoDrop(world, adoption)
}

/** An adoption that never claimed its drop leaves no trace, so any adoption succeeds. */
async function adoptPending(world: World, { adoption, window }: Found, isRepeated: boolean): Promise<void> {
  const isAnother = !isRepeated && window !== undefined
  const next = isAnother ? planAdoption(world, adoption.attempt, newAsset(adoption.asset.owner)) : adoption
  expectStatus(world, next, await sendAdoption(world, next), 200)
}

/** The same request completes its own claim, whether or not the lease is live. */
async function repeat(world: World, { adoption, leasedUntil }: Found, { inLease }: Interrupted): Promise<void> {
  expectStatus(world, adoption, await sendAdoption(world, adoption), 200)
  if (Date.now() < leasedUntil) inLease.repeated++
}

/** As long as the lease is live, all other requests are answered as if the drop did not exist. */
async function refuseOthers(world: World, found: Found, { leased, inLease }: Interrupted): Promise<void> {
  const { adoption, leasedUntil } = found
  const { attempt, asset } = adoption
  const rival = planAdoption(world, attempt, newAsset(asset.owner))
  leased.push({ ...found, adoption: rival })
  if (Date.now() > leasedUntil - MARGIN_MS) return
  const refused = await sendAdoption(world, rival)
  if (Date.now() < leasedUntil) expectStatus(world, rival, refused, 404)
  if (isAdopted(attempt) || Date.now() > leasedUntil - MARGIN_MS) return
  attempt.discarded = 'asked'
  const path = `/v1/drops/${attempt.dropId}`
  const kept = await world.api.askUntilAnswered({ method: 'DELETE', path, token: asset.owner.token })
  attempt.discarded = kept.status === 204 ? 'acknowledged' : 'no'
  if (Date.now() >= leasedUntil) return
  expectStatus(world, rival, kept, 404)
  inLease.refused++
}

/** Adopts every claimed drop whose lease has expired. From then on the first adoption is too late. */
export async function completeDue(world: World, { leased }: Interrupted): Promise<void> {
  const due = leased.filter(({ leasedUntil }) => leasedUntil <= Date.now())
  leased.splice(0, Number.POSITIVE_INFINITY, ...leased.filter((each) => !due.includes(each)))
  for (const { adoption } of due) {
    if (isAdopted(adoption.attempt) || adoption.attempt.discarded === 'acknowledged') continue
    expectStatus(world, adoption, await sendAdoption(world, adoption), 200)
    const [first] = adoption.attempt.adoptions
    if (first !== undefined) await expectNoDrop(world, first)
  }
}

/** A repeat of a completed or overtaken adoption is answered as if the drop did not exist. */
async function expectNoDrop(world: World, adoption: Adoption): Promise<void> {
  const { attempt, asset } = adoption
  const path = `/v1/drops/${attempt.dropId}/adopt`
  const { token } = asset.owner
  const json = adoptionBody(adoption)
  expectStatus(world, adoption, await world.api.askUntilAnswered({ method: 'POST', path, token, json }), 404)
}

function expectStatus({ ledger }: World, { attempt }: Adoption, reply: Reply | undefined, status: 200 | 404): void {
  if (reply?.status === status) return
  const answer = reply === undefined ? 'not at all' : `${reply.status} ${reply.body}`
  ledger.fault(`a request was answered ${answer}, and not ${status}: ${describeAttempt(attempt)}`)
}
