/**
 * How often a link took no file of a guest, and why. A refusal costs its guest nothing but memory, and at an ended link
 * nothing before its answer, so the time of the answer says nothing about the link. Seconds later it is written to the
 * link's row, at most once an hour for each link; what comes meanwhile waits in memory and is lost if the process dies.
 */
import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import { type AccountId, addSeconds, type Instant, type OpaqueId } from '@blindkeep/protocol/ids'
import { LINK_REFUSALS, type LinkRefusal } from '@blindkeep/protocol/schemas/links'
import type { Clock } from '../../ports/clock.ts'
import {
  accountLock,
  isStoreBroken,
  type Link,
  type LinkRefusals,
  type Store,
  type WriteTx,
} from '../../ports/store.ts'
import { noteChange, noteLinkChange } from '../changes/changes.ts'
import { requireActiveAccount } from '../ground/activeAccount.ts'
import type { Notifier } from '../notify/notifier.ts'

/** A guest who sends several files is refused several times at once. */
const QUIET_SECONDS = 5
const HOUR_SECONDS = 3600
const RETRY_SECONDS = 60
/** Links that wait on one node, a tenth at most of one account. Further ones are not counted until there is room. */
const MAX_WAITING = 1000
const MAX_COUNT = 1_000_000
/** The owner hears of these by the account's own count (`ownerNotices.ts`). */
const OF_ACCOUNT: readonly LinkRefusal[] = ['inbox_full', 'quota_exceeded']
/** Programs may visit the address of an ended link without end: the owner hears of it once. */
const OF_ENDED: readonly LinkRefusal[] = ['expired', 'revoked']

type Refused = Pick<Link, 'opaqueId' | 'accountId'>

interface Waiting extends Pick<LinkRefusals, 'firstAt' | 'lastAt'> {
  readonly accountId: AccountId
  readonly counts: LinkRefusals['counts']
  /** A guest who may send has tried to, or could have. Otherwise it is the word of any client with the address. */
  readonly isTried: boolean
  readonly dueAt: Instant
}

interface RefusalPorts {
  readonly store: Store
  readonly clock: Clock
  readonly notifier: Pick<Notifier, 'landed'>
}

export type CountedRefusals = ReturnType<typeof createLinkRefusals>

/** What waits in memory, by link. */
function createWaiting(most: number) {
  const waiting = new Map<OpaqueId, Waiting>()
  const places = new Map<AccountId, number>()
  const placesOf = (accountId: AccountId) => places.get(accountId) ?? 0
  const mostOfAccount = most / 10

  function place(opaqueId: OpaqueId, refused: Waiting): void {
    if (!waiting.has(opaqueId)) places.set(refused.accountId, placesOf(refused.accountId) + 1)
    waiting.set(opaqueId, refused)
  }

  function leave(opaqueId: OpaqueId): void {
    const refused = waiting.get(opaqueId)
    if (refused === undefined) return
    waiting.delete(opaqueId)
    const left = placesOf(refused.accountId) - 1
    if (left > 0) places.set(refused.accountId, left)
    else places.delete(refused.accountId)
  }

  /** One account with many links keeps no others out. Part of the answer to a guest: the same time for any number. */
  function hasPlace(accountId: AccountId): boolean {
    return waiting.size < most && placesOf(accountId) < mostOfAccount
  }

  /** The owners of links that wait for the end of their hour have heard within it: they keep no others out. */
  function makeRoom(at: Instant): void {
    const soon = addSeconds(at, RETRY_SECONDS)
    const isFull = waiting.size >= most
    const fullAccounts = new Set([...places].filter(([, count]) => count >= mostOfAccount).map(([id]) => id))
    for (const [opaqueId, { accountId, dueAt }] of [...waiting]) {
      const isCrowded =
        (isFull && waiting.size > most / 2) || (fullAccounts.has(accountId) && placesOf(accountId) > mostOfAccount / 2)
      if (isCrowded && dueAt > soon) leave(opaqueId)
    }
  }

  return {
    get: (opaqueId: OpaqueId) => waiting.get(opaqueId),
    all: () => [...waiting],
    ...{ place, leave, hasPlace, makeRoom },
  }
}

/** @param maxWaiting for tests */
export function createLinkRefusals({ store, clock, notifier }: RefusalPorts, maxWaiting = MAX_WAITING) {
  const waiting = createWaiting(maxWaiting)

  /** Writes nothing within an hour of the last time, and then waits for its end. */
  async function settle(opaqueId: OpaqueId, { accountId }: Waiting): Promise<void> {
    const at = clock.now()
    const known = await store
      .ask((tx) => tx.links.findOwn(opaqueId, accountId))
      .catch((error: unknown) => {
        postpone(opaqueId, addSeconds(at, RETRY_SECONDS))
        throw error
      })
    const later = mayWriteAt(known, at)
    if (later !== undefined) return postpone(opaqueId, later)
    const refused = waiting.get(opaqueId)
    waiting.leave(opaqueId)
    // One that has left the list may be visited without end, too.
    if (refused === undefined || known === undefined) return
    try {
      const outcome = await store.write([accountLock(accountId)], (tx) => write(tx, opaqueId, refused, at))
      if (outcome === 'heard') notifier.landed(accountId)
      // Another node was first.
      if (outcome === 'later') putBack(opaqueId, refused, addSeconds(at, HOUR_SECONDS))
    } catch (error) {
      putBack(opaqueId, refused, addSeconds(at, RETRY_SECONDS))
      throw error
    }
  }

  function postpone(opaqueId: OpaqueId, dueAt: Instant): void {
    const refused = waiting.get(opaqueId)
    if (refused !== undefined) waiting.place(opaqueId, { ...refused, dueAt })
  }

  /** With what has come meanwhile. */
  function putBack(opaqueId: OpaqueId, refused: Waiting, dueAt: Instant): void {
    const { counts, lastAt, isTried } = waiting.get(opaqueId) ?? { ...refused, counts: {} }
    const both = { counts: sumOf(refused.counts, counts), isTried: isTried || refused.isTried }
    waiting.place(opaqueId, { ...refused, ...both, lastAt, dueAt })
  }

  return {
    /** A link took no file of a guest. Costs nothing but memory. */
    note({ opaqueId, accountId }: Refused, why: LinkRefusal, isTried = true): void {
      const at = clock.now()
      const present = waiting.get(opaqueId)
      if (present === undefined && !waiting.hasPlace(accountId)) return
      const { counts = {}, firstAt = at, dueAt = addSeconds(at, QUIET_SECONDS) } = present ?? {}
      const more = { ...counts, [why]: Math.min((counts[why] ?? 0) + 1, MAX_COUNT) }
      const hasTries = isTried || present?.isTried === true
      waiting.place(opaqueId, { accountId, counts: more, isTried: hasTries, firstAt, lastAt: at, dueAt })
    },

    /** The owner has seen them. */
    forget: waiting.leave,

    /** Writes what is due, also after one that cannot be read or written. Call it every few seconds. */
    async tend(signal: AbortSignal): Promise<void> {
      const at = clock.now()
      // One that waits for longer than it can is of a clock that was set back.
      const due = waiting.all().filter(([, { dueAt }]) => dueAt <= at || dueAt > addSeconds(at, HOUR_SECONDS))
      const settleOne = async ([opaqueId, refused]: (typeof due)[number]) => {
        if (!signal.aborted) await settle(opaqueId, refused)
      }
      await tryEachInTurn(due, settleOne, isStoreBroken).finally(() => waiting.makeRoom(at))
    },
  }
}

type Outcome = 'heard' | 'silent' | 'later'

/** `heard`: channels have something to say. `later`: the hour of the last writing is not over. */
async function write(tx: WriteTx, opaqueId: OpaqueId, refused: Waiting, at: Instant): Promise<Outcome> {
  const { accountId } = refused
  const link = await tx.links.findOwn(opaqueId, accountId)
  // A deleted account keeps the rows of its links, and nothing more in them.
  if (link === undefined || (await requireActiveAccount(tx, accountId)) !== undefined) return 'silent'
  const { refusals } = link
  const isDismissed = refusals !== undefined && Object.keys(refusals.counts).length === 0
  // Another node has counted them before the owner dismissed what there was.
  if (isDismissed && refused.lastAt <= refusals.lastAt && refusals.lastAt <= at) return 'silent'
  if (mayWriteAt(link, at) !== undefined) return 'later'
  await tx.links.setRefusals(opaqueId, {
    counts: sumOf(refusals?.counts ?? {}, refused.counts),
    firstAt: refusals === undefined || isDismissed ? refused.firstAt : refusals.firstAt,
    lastAt: refused.lastAt,
    notedAt: at,
  })
  await noteLinkChange(tx, { accountId, opaqueId }, at)
  if (!isNews(refused, refusals?.counts ?? {})) return 'silent'
  await noteChange(tx, accountId, { name: 'drop.refused' }, at)
  return 'heard'
}

/** Whether channels say it, after what the owner has not dismissed yet. */
function isNews({ counts, isTried }: Waiting, before: LinkRefusals['counts']): boolean {
  const isOnce = (why: LinkRefusal) => !isTried || OF_ENDED.includes(why)
  return LINK_REFUSALS.some(
    (why) => counts[why] !== undefined && !OF_ACCOUNT.includes(why) && !(isOnce(why) && why in before),
  )
}

/** Undefined: now, also after a clock was set back. */
function mayWriteAt(link: { readonly refusals: LinkRefusals | undefined } | undefined, at: Instant) {
  const notedAt = link?.refusals?.notedAt
  if (notedAt === undefined || notedAt > at) return undefined
  const from = addSeconds(notedAt, HOUR_SECONDS)
  return from > at ? from : undefined
}

function sumOf(before: LinkRefusals['counts'], more: LinkRefusals['counts']): LinkRefusals['counts'] {
  const sums = LINK_REFUSALS.map((why) => [why, Math.min((before[why] ?? 0) + (more[why] ?? 0), MAX_COUNT)] as const)
  return Object.fromEntries(sums.filter(([, count]) => count > 0))
}

/** In the transaction in which the owner edits the link. The hour of the last writing goes on. */
export async function dismissRefusals(
  tx: WriteTx,
  { opaqueId, refusals }: { readonly opaqueId: OpaqueId; readonly refusals: LinkRefusals | undefined },
  at: Instant,
): Promise<void> {
  if (refusals !== undefined)
    await tx.links.setRefusals(opaqueId, { counts: {}, firstAt: at, lastAt: at, notedAt: refusals.notedAt })
}
