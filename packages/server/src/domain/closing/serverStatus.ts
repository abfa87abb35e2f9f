/** A server at a glance, from its rows. It is read in pages: no transaction takes long, and others run in between. */
import { setImmediate as turn } from 'node:timers/promises'
import { type AccountId, addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { QuotaState } from '@blindkeep/protocol/schemas/quota'
import type { Clock } from '../../ports/clock.ts'
import type { Census, Deprecation, ReadTx, Store } from '../../ports/store.ts'
import { lastBackupAt } from '../ground/lastBackup.ts'
import type { Quota } from '../quota/quota.ts'

interface StatusPorts {
  readonly store: Pick<Store, 'read' | 'ask'>
  readonly clock: Clock
  readonly quota: Pick<Quota, 'snapshot'>
}

/** What the rows do not say. */
export interface Surroundings {
  /** Why /readyz is 503, in words or sentences. Empty if it is 200, or for a command. */
  readonly unready: readonly string[]
  /** Of the store of bytes. Undefined if it does not answer, infinite if it has no bound. */
  readonly freeBytes: number | undefined
  readonly floorBytes: number
}

/** One account, as an operator may list it. */
export interface AccountLine {
  readonly accountId: AccountId
  readonly email: string
  readonly createdAt: Instant
  readonly isSuspended: boolean
  readonly usedBytes: number
  readonly quota: QuotaState
  readonly pendingDrops: number
  readonly liveLinks: number
  /** Of the sessions that have not ended. */
  readonly lastSignInAt: Instant | undefined
}

/** All accounts that are not deleted. */
export interface AccountTotals {
  readonly count: number
  readonly suspended: number
  readonly byQuota: Readonly<Record<QuotaState, number>>
  readonly usedBytes: number
  readonly pendingDrops: number
  readonly liveLinks: number
  /** When the oldest of them was made. */
  readonly firstAt: Instant | undefined
  readonly lastSignInAt: Instant | undefined
}

/** What was kept since a time, and is still kept. */
interface Arrived {
  readonly objects: number
  readonly bytes: number
}

/** What alarms are judged by. */
export interface Standing extends Surroundings {
  readonly at: Instant
  readonly accounts: AccountTotals
  readonly channels: { readonly count: number; readonly failing: number; readonly givenUp: number }
  readonly census: Census
  /** When the last complete backup began. */
  readonly lastBackupAt: Instant | undefined
  /** Since when the present key signs receipts. */
  readonly keyActiveFrom: Instant | undefined
  /** How far the clock is behind the last receipt. */
  readonly behindSeconds: number
  /** The next announced end of protocol versions. */
  readonly cutoff: Deprecation | undefined
}

export interface ServerStatus extends Standing {
  /** Files that owners keep in albums. */
  readonly albumFiles: number
  readonly arrived: { readonly day: Arrived; readonly week: Arrived }
}

const ACCOUNTS_AT_A_TIME = 100
const OBJECTS_AT_A_TIME = 1000
const CHANNELS_AT_A_TIME = 1000
/** Of these only an index is read. */
const FILES_AT_A_TIME = 10_000
const DAY_SECONDS = 86_400

/** Calls `onAccount` with each account, in the order of their e-mails. */
export async function readServerStatus(
  ports: StatusPorts,
  around: Surroundings,
  onAccount?: (line: AccountLine) => void,
): Promise<ServerStatus> {
  const standing = await readStanding(ports, around, onAccount)
  const arrived = await readArrived(ports, standing.at)
  return { ...standing, albumFiles: await countAlbumFiles(ports), arrived }
}

/** Calls `onAccount` with each account, in the order of their e-mails. */
export async function readStanding(
  ports: StatusPorts,
  around: Surroundings,
  onAccount?: (line: AccountLine) => void,
): Promise<Standing> {
  const at = ports.clock.now()
  const accounts = await readAccounts(ports, onAccount)
  const channels = await readChannels(ports)
  return { ...around, at, accounts, channels, ...(await ports.store.read((tx) => readFacts(tx, at))) }
}

/** Calls `onAccount` with each account, in the order of their e-mails. */
export async function readAccounts(
  { store, clock, quota }: StatusPorts,
  onAccount: (line: AccountLine) => void = () => undefined,
): Promise<AccountTotals> {
  const now = clock.now()
  const byQuota = { ok: 0, soft_warning: 0, hard_exceeded: 0, grace_expired: 0 }
  const totals = { count: 0, suspended: 0, usedBytes: 0, pendingDrops: 0, liveLinks: 0 }
  let firstAt: Instant | undefined
  let lastSignInAt: Instant | undefined
  const read = (after: string) => store.ask((tx) => tx.status.accounts(after, now, ACCOUNTS_AT_A_TIME))
  for await (const page of pagesOf({ first: '', read, placeOf: ({ email }) => email, max: ACCOUNTS_AT_A_TIME }))
    for (const { deletedAt, suspendedAt, liveLinks, ...account } of page) {
      if (deletedAt !== undefined) continue
      const { state } = quota.snapshot(account, now)
      const line = { ...account, liveLinks: liveLinks ?? 0, isSuspended: suspendedAt !== undefined, quota: state }
      totals.count += 1
      totals.suspended += line.isSuspended ? 1 : 0
      totals.usedBytes += line.usedBytes
      totals.pendingDrops += line.pendingDrops
      totals.liveLinks += line.liveLinks
      byQuota[state] += 1
      if (firstAt === undefined || line.createdAt < firstAt) firstAt = line.createdAt
      if (lastSignInAt === undefined || (line.lastSignInAt ?? 0) > lastSignInAt) lastSignInAt = line.lastSignInAt
      onAccount(line)
    }
  return { ...totals, byQuota, firstAt, lastSignInAt }
}

async function readArrived({ store }: StatusPorts, at: Instant): Promise<ServerStatus['arrived']> {
  const dayAgo = addSeconds(at, -DAY_SECONDS)
  const day = { objects: 0, bytes: 0 }
  const week = { objects: 0, bytes: 0 }
  const first = { since: addSeconds(at, -7 * DAY_SECONDS), location: '' }
  const read = (after: typeof first) => store.ask((tx) => tx.status.arrived(after, OBJECTS_AT_A_TIME))
  for await (const page of pagesOf({ first, read, placeOf: (object) => object, max: OBJECTS_AT_A_TIME }))
    for (const { since, size } of page)
      for (const span of since >= dayAgo ? [day, week] : [week]) {
        span.objects += 1
        span.bytes += size
      }
  return { day, week }
}

async function countAlbumFiles({ store }: StatusPorts): Promise<number> {
  let files = 0
  let after: string | undefined = ''
  while (after !== undefined) {
    const from: string = after
    const { count, next } = await store.read((tx) => tx.status.originals(from, FILES_AT_A_TIME))
    files += count
    after = next
    await turn()
  }
  return files
}

async function readChannels({ store }: StatusPorts): Promise<ServerStatus['channels']> {
  const channels = { count: 0, failing: 0, givenUp: 0 }
  const read = (after: number) => store.ask((tx) => tx.status.channels(after, CHANNELS_AT_A_TIME))
  for await (const page of pagesOf({
    first: 0,
    read,
    placeOf: ({ channelSeq }) => channelSeq,
    max: CHANNELS_AT_A_TIME,
  }))
    for (const { state, attempts } of page) {
      channels.count += 1
      if (state === 'given_up') channels.givenUp += 1
      else if (attempts > 0) channels.failing += 1
    }
  return channels
}

async function readFacts(tx: ReadTx, at: Instant) {
  const [census, head, backedUpAt, key, announced] = await Promise.all([
    tx.census.take(),
    tx.receipts.head(),
    lastBackupAt(tx),
    tx.keys.activeAttestationKey(),
    tx.deprecations.list(),
  ])
  return {
    census,
    lastBackupAt: backedUpAt,
    keyActiveFrom: key?.activeFrom,
    behindSeconds: Math.max(0, Math.round(((head?.receivedAt ?? 0) - at) / 1000)),
    cutoff: announced.find(({ cutoff }) => cutoff > at),
  }
}

interface Reading<Row, Place> {
  /** Before the first row. */
  readonly first: Place
  readonly read: (after: Place) => Promise<readonly Row[]>
  readonly placeOf: (row: Row) => Place
  readonly max: number
}

async function* pagesOf<Row, Place>({ first, read, placeOf, max }: Reading<Row, Place>) {
  let after = first
  for (;;) {
    const page = await read(after)
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < max) return
    after = placeOf(last)
    await turn()
  }
}
