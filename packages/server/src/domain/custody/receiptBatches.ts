/** Signs and commits one batch of receipts. The caller has locked the log. */
import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Clock } from '../../ports/clock.ts'
import { accountLock, type ReceiptRow, type Store, type WriteTx } from '../../ports/store.ts'
import { recordServerId } from '../discovery/serverId.ts'
import type { HeadWatch } from './headWatch.ts'
import type { SignerOf } from './keys.ts'
import { createReceiptSigning, type LogState, type ReceiptSubject } from './receiptSigning.ts'

export interface ReceiptDraft<Landing = unknown> {
  /** Whose file it is. */
  readonly accountId: AccountId
  readonly subject: ReceiptSubject
  /** What the receipt vouches for. */
  readonly landing: Landing
  /**
   * Writes what receipts vouch for, in the transaction that appends them, under the locks of their accounts: the
   * `landing` of each draft of the batch with this same function. May run more than once, and beside the drafts of
   * other accounts. When it throws, none of them has a receipt. With `LandingsRefused` the others are tried again
   * together, with any other error one by one.
   */
  commit(tx: WriteTx, landings: readonly Landing[], receivedAt: Instant): Promise<void>
}

export interface ReceiptPorts {
  readonly store: Store
  readonly clock: Clock
  readonly serverId: string
  readonly signerOf: SignerOf
  readonly headWatch: HeadWatch
}

type Drafts = readonly ReceiptDraft[]

/** How often a batch is signed before its transaction. A rotation takes longer; lone receipts may come between. */
const MAX_SIGNINGS = 5

/** Some drafts refused, and nothing was committed. The cause is what their `commit` threw. */
export class DraftsFailed extends Error {
  readonly drafts: Drafts
  constructor(drafts: Drafts, cause: unknown) {
    super('what receipts vouch for could not be written', { cause })
    this.drafts = drafts
  }
}

/** What a `commit` of several landings throws if only these are the reason. */
export class LandingsRefused extends Error {
  readonly landings: readonly unknown[]
  constructor(landings: readonly unknown[]) {
    super('some of what was to land cannot land')
    this.landings = landings
  }
}

/** Receipts that continue `state`. */
export interface Signed {
  readonly rows: readonly ReceiptRow[]
  readonly state: LogState
}

export function createReceiptBatches({ store, clock, serverId, signerOf, headWatch }: ReceiptPorts) {
  /** The log as this process has left it. */
  let left: LogState | undefined
  const signAll = createReceiptSigning({ clock, serverId, signerOf })

  async function signOn(drafts: Drafts, state: LogState): Promise<Signed> {
    const subjects = drafts.map(({ subject }) => subject)
    return { rows: await signAll(subjects, state), state }
  }

  /** Continues what the log has now. */
  async function sign(drafts: Drafts, { ask }: Pick<Store, 'ask'> = store): Promise<Signed> {
    const last = headWatch.last()
    const { key, hash, ...end } = await ask((tx) => tx.receipts.end(last?.receiptSeq ?? 0))
    if (key === undefined) throw new Error('no attestation key is active')
    await headWatch.beforeSigning(last === undefined || hash === last.receiptHash)
    return signOn(drafts, { ...end, key })
  }

  function noteCommitted({ rows, state: { floor, key } }: Signed): void {
    left = { head: lastOf(rows), floor, key }
    headWatch.signed(lastOf(rows))
  }

  /** Throws `DraftsFailed`. False, uncommitted: a key rotated, another process appended, or another database. */
  async function commit(drafts: Drafts, signed: Signed): Promise<boolean> {
    const locks = [...locksOf(drafts), ...(signed.state.head === undefined ? (['server'] as const) : [])]
    const done = await store.write(locks, async (tx) =>
      // Only now there is a connection, which may lead to another server.
      headWatch.isSure() && (await appendIn(tx, { drafts, signed, serverId }))
        ? ('appended' as const)
        : { refused: 'log_moved' as const },
    )
    if (done === 'appended') noteCommitted(signed)
    else left = undefined
    return done === 'appended'
  }

  /** Signs in the committing transaction: it holds the chain, so the log stands still. SQLite cannot wait for that. */
  async function commitHolding(drafts: Drafts): Promise<Signed> {
    const signed = await store.write([...locksOf(drafts), 'server'], async (tx) => {
      const fresh = await sign(drafts, { ask: (question) => question(tx) })
      if (!(await appendIn(tx, { drafts, signed: fresh, serverId })))
        throw new Error('the log moved while its chain was locked')
      return fresh
    })
    noteCommitted(signed)
    return signed
  }

  return {
    sign,
    commit,

    /** Continues what this process appended last, without asking. Undefined before that. The commit compares. */
    async signOnOwn(drafts: Drafts): Promise<Signed | undefined> {
      if (left === undefined) return undefined
      const state = left
      await headWatch.beforeSigning(true)
      return signOn(drafts, state)
    },

    /** Continues uncommitted receipts. If they fail, so do these: the commit compares the head. */
    async signAfter(drafts: Drafts, { rows, state }: Signed): Promise<Signed> {
      await headWatch.beforeSigning(true)
      return signOn(drafts, { ...state, head: rows.at(-1) })
    },

    /** Signs again what continued another log, or was signed by another key, until it is committed. */
    async commitAfresh(drafts: Drafts): Promise<Signed> {
      for (let signings = 1; signings < MAX_SIGNINGS; signings++) {
        const signed = await sign(drafts)
        if (await commit(drafts, signed)) return signed
      }
      if (store.mayLoseOutcome) return commitHolding(drafts)
      throw new Error(`the log or its key changed ${MAX_SIGNINGS} times while a batch was signed`)
    },
  }
}

const locksOf = (drafts: Drafts) => ['chain' as const, ...drafts.map(({ accountId }) => accountLock(accountId))]

function lastOf(rows: readonly ReceiptRow[]): ReceiptRow {
  const last = rows.at(-1)
  if (last === undefined) throw new RangeError('no receipts to commit')
  return last
}

interface Appending {
  readonly drafts: Drafts
  readonly signed: Signed
  readonly serverId: string
}

/** False if the log has grown, or its key or floor is another one: no receipt is dated after the end of its key. */
async function appendIn(tx: WriteTx, { drafts, signed: { rows, state }, serverId }: Appending): Promise<boolean> {
  const { head, floor, key } = state
  const { receivedAt } = lastOf(rows)
  const [isAppended] = await Promise.all([
    tx.receipts.append(head, rows, { keyId: key.keyId, floor, beside: () => commitAll(tx, drafts, receivedAt) }),
    head === undefined ? recordServerId(tx, serverId) : undefined,
  ])
  return isAppended
}

/** Drafts of one account change the same rows: they are committed together or in turn. A batch has one date. */
async function commitAll(tx: WriteTx, drafts: Drafts, receivedAt: Instant): Promise<void> {
  const groups = [...Map.groupBy(drafts, ({ commit }) => commit).values()]
  for (const group of groups) if (group.length > 1) await commitGroup(tx, group, receivedAt)
  const alone = groups.filter(({ length }) => length === 1).flat()
  await Promise.all(
    [...Map.groupBy(alone, ({ accountId }) => accountId).values()].map(async (theirs) => {
      for (const draft of theirs) await commitGroup(tx, [draft], receivedAt)
    }),
  )
}

/** Commits drafts that have the same `commit`. */
async function commitGroup(tx: WriteTx, group: Drafts, receivedAt: Instant): Promise<void> {
  const landings = group.map(({ landing }) => landing)
  try {
    await group[0]?.commit(tx, landings, receivedAt)
  } catch (error) {
    // No draft is the reason if the store does not answer.
    if (error instanceof StorageUnavailable) throw error
    const failed =
      error instanceof LandingsRefused ? group.filter(({ landing }) => error.landings.includes(landing)) : group
    // One of several is the reason, and it is unknown which.
    if (failed.length === 0 || (failed === group && group.length > 1)) throw error
    throw new DraftsFailed(failed, error)
  }
}
