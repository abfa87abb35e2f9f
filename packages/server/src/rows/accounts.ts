import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { RefusedBecause } from '@blindkeep/protocol/schemas/accounts'
import type { Db } from './db.ts'
import { all, apart, changesOne, first, insertsUnless, runs } from './statements.ts'
import type {
  Account,
  AccountStanding,
  AccountUse,
  OwnLimits,
  RecoveryValues,
  SignInValues,
} from './tables/accounts.ts'
import { columnsOf } from './tables.ts'

export const STANDING = ['accounts.suspendedAt', 'accounts.deletedAt'] as const

export const QUOTA = [
  'accounts.usedBytes',
  'accounts.softLimitBytes',
  'accounts.hardLimitBytes',
  'accounts.exceededSince',
] as const

const REFUSALS = ['refusedWhy', 'refusedCount', 'refusedFirstAt', 'refusedLastAt'] as const

/** Guests' files that an account had no room for, within an hour. */
export interface Refusals {
  readonly why: RefusedBecause
  readonly count: number
  readonly firstAt: Instant
  readonly lastAt: Instant
}

const refusals = first((db, accountId: AccountId) =>
  db.selectFrom('accounts').select(REFUSALS).where('accountId', '=', accountId),
)

/** Always finds a row, the lowest id for an unknown e-mail, which would otherwise answer microseconds sooner. */
const byEmailOrAny = first((db, email: string) =>
  db
    .selectFrom('accounts')
    .select(columnsOf('accounts'))
    .where('accountId', '=', (account) =>
      account.fn.coalesce(
        account
          .selectFrom('accounts as named')
          .select('named.accountId')
          .where('named.email', '=', email)
          .where('named.deletedAt', 'is', null),
        account.selectFrom('accounts as any').select(({ fn }) => fn.min('any.accountId').as('lowest')),
      ),
    ),
)

const afterEmail = all((db, email: string, max: number) =>
  db
    .selectFrom('accounts')
    .select(columnsOf('accounts'))
    .where('email', '>', email)
    .where('deletedAt', 'is', null)
    .orderBy('email')
    .limit(max),
)

export const accountReads = {
  find: first((db, accountId: AccountId) =>
    db.selectFrom('accounts').select(columnsOf('accounts')).where('accountId', '=', accountId),
  ),
  standing: first((db, accountId: AccountId) =>
    db.selectFrom('accounts').select(STANDING).where('accountId', '=', accountId),
  ),
  /** The last ones; undefined if there were none. */
  async refusals(db: Db, accountId: AccountId) {
    return refusalsIn(await refusals(db, accountId))
  },
  /** No deleted account. Takes as long for an unknown e-mail: guessing addresses shows nothing by the time. */
  async findByEmail(db: Db, email: string): Promise<Account | undefined> {
    const account = await byEmailOrAny(db, email)
    return account?.email === email && account.deletedAt === undefined ? account : undefined
  },
  /**
   * At most `max` accounts in the order of their e-mails, from the first one after `afterEmail`. No deleted accounts.
   */
  async list(db: Db, page: { readonly afterEmail: string | undefined; readonly max: number }) {
    return afterEmail(db, page.afterEmail ?? '', page.max)
  },
}

const chargeWithinLimit = first(
  apart((db, accountId: AccountId, bytes: number, limitBytes: number) =>
    db
      .updateTable('accounts')
      .set((account) => ({ usedBytes: account('usedBytes', '+', bytes) }))
      .where('accountId', '=', accountId)
      .where('deletedAt', 'is', null)
      .where((account) =>
        account(account('usedBytes', '+', bytes), '<=', account.fn.coalesce('hardLimitBytes', account.val(limitBytes))),
      )
      .returning(['accountId', ...QUOTA]),
  ),
)

const refundWithinUse = first((db, accountId: AccountId, bytes: number) =>
  db
    .updateTable('accounts')
    .set((account) => ({ usedBytes: account('usedBytes', '-', bytes) }))
    .where('accountId', '=', accountId)
    .where('usedBytes', '>=', bytes)
    .returning(['accountId', ...QUOTA]),
)

export interface NotedRefusal {
  readonly why: RefusedBecause
  readonly at: Instant
  readonly since: Instant
}

const notingRefusal = first((db, accountId: AccountId, { why, at, since }: NotedRefusal) =>
  db
    .updateTable('accounts')
    .set((account) => {
      const continues = account.and([account('refusedWhy', '=', why), account('refusedFirstAt', '>=', since)])
      const sameRun = account.case().when(continues)
      return {
        refusedWhy: why,
        refusedCount: sameRun
          .then(account('refusedCount', '+', 1))
          .else(account.lit(1))
          .end(),
        refusedFirstAt: sameRun.then(account.ref('refusedFirstAt')).else(account.val(at)).end(),
        refusedLastAt: at,
      }
    })
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .returning(REFUSALS),
)

const suspension = changesOne((db, accountId: AccountId, since: Instant) =>
  db
    .updateTable('accounts')
    .set({ suspendedAt: since })
    .where('accountId', '=', accountId)
    .where('suspendedAt', 'is', null),
)

const resumption = changesOne((db, accountId: AccountId) =>
  db
    .updateTable('accounts')
    .set({ suspendedAt: null })
    .where('accountId', '=', accountId)
    .where('suspendedAt', 'is not', null),
)

export const accountWrites = {
  /** False if the e-mail is taken. */
  insert: insertsUnless('accounts', 'email'),
  /**
   * Replaces the sign-in key and removes a second factor that is not confirmed: it may have been enrolled with the old
   * one. False, and nothing changed, if the hash of the present key is not `from`. One conditional statement.
   */
  changeSignInKey: changesOne((db, accountId: AccountId, from: Uint8Array, values: SignInValues) =>
    db
      .updateTable('accounts')
      .set((account) => ({
        signInKeyHash: values.signInKeyHash,
        kdfVersion: values.kdfVersion,
        salt: values.salt,
        sealedAccountKey: values.sealedAccountKey,
        totpSealed: account.case().when('totpConfirmedAt', 'is', null).then(null).else(account.ref('totpSealed')).end(),
      }))
      .where('accountId', '=', accountId)
      .where('signInKeyHash', '=', from),
  ),
  /** Replaces the recovery words; no owner has confirmed the new ones. */
  changeRecoveryKey: runs((db, accountId: AccountId, { sealedRecoveryKey, recoveryKeyHash }: RecoveryValues) =>
    db
      .updateTable('accounts')
      .set({ sealedRecoveryKey, recoveryKeyHash, recoveryConfirmedAt: null })
      .where('accountId', '=', accountId),
  ),
  /** Keeps the first time. Changes nothing if the words are others. One conditional statement. */
  confirmRecoveryKey: runs((db, accountId: AccountId, recoveryKeyHash: Uint8Array, at: Instant) =>
    db
      .updateTable('accounts')
      .set({ recoveryConfirmedAt: at })
      .where('accountId', '=', accountId)
      .where('recoveryKeyHash', '=', recoveryKeyHash)
      .where('recoveryConfirmedAt', 'is', null),
  ),
  /**
   * Adds `bytes` to the use. Undefined, and nothing changed, if the use would exceed the account's own hard limit, or
   * `hardLimitBytes` if it has none (undefined: no limit), or if the account was deleted. One conditional statement.
   */
  charge(db: Db, accountId: AccountId, bytes: number, hardLimitBytes: number | undefined) {
    // Without a limit, the largest exact number is the limit.
    return chargeWithinLimit(db, accountId, bytes, hardLimitBytes ?? Number.MAX_SAFE_INTEGER)
  },
  /** Subtracts `bytes` from the use. Throws if the use would fall below zero: then the rows contradict each other. */
  async refund(db: Db, accountId: AccountId, bytes: number): Promise<AccountUse> {
    const use = await refundWithinUse(db, accountId, bytes)
    if (use === undefined) throw new Error(`A refund of ${bytes} bytes exceeds what account ${accountId} was charged`)
    return use
  },
  /**
   * Counts a refusal with the last ones, or as the first if they are of another reason, or their first was before
   * `since`. Answers what it counts now; undefined if there is no such account, or it was deleted.
   */
  async noteRefusal(db: Db, accountId: AccountId, refusal: NotedRefusal) {
    return refusalsIn(await notingRefusal(db, accountId, refusal))
  },
  setExceededSince: runs((db, accountId: AccountId, since: Instant | undefined) =>
    db.updateTable('accounts').set({ exceededSince: since }).where('accountId', '=', accountId),
  ),
  /** Sets both limits; undefined removes one. */
  setLimits: runs((db, accountId: AccountId, { softLimitBytes, hardLimitBytes }: OwnLimits) =>
    db.updateTable('accounts').set({ softLimitBytes, hardLimitBytes }).where('accountId', '=', accountId),
  ),
  /** Suspends the account since `since`, or ends that if undefined. False, and nothing changed, if it is so. */
  setSuspended(db: Db, accountId: AccountId, since: Instant | undefined) {
    return since === undefined ? resumption(db, accountId) : suspension(db, accountId, since)
  },
}

function refusalsIn(row: Awaited<ReturnType<typeof refusals>>): Refusals | undefined {
  const { refusedWhy: why, refusedCount: count = 0, refusedFirstAt: firstAt, refusedLastAt: lastAt } = row ?? {}
  return why === undefined || firstAt === undefined || lastAt === undefined
    ? undefined
    : { why, count, firstAt, lastAt }
}

/** Of a row that an account is joined to. */
export function standingOf({ suspendedAt, deletedAt }: AccountStanding): AccountStanding {
  return { suspendedAt, deletedAt }
}

export function useOf({ accountId, usedBytes, softLimitBytes, hardLimitBytes, exceededSince }: AccountUse): AccountUse {
  return { accountId, usedBytes, softLimitBytes, hardLimitBytes, exceededSince }
}
