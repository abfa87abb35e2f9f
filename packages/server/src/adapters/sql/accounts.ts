import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { RefusedBecause } from '@blindkeep/protocol/schemas/accounts'
import type { Selectable } from 'kysely'
import type {
  Account,
  AccountReads,
  AccountSecret,
  AccountStanding,
  AccountUse,
  AccountWrites,
  NewAccount,
  OwnLimits,
  Refusals,
} from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { apart, prepared } from './prepared.ts'
import type { AccountTable } from './schema.ts'

const byId = prepared((db, given: { readonly accountId: AccountId }) =>
  db.selectFrom('accounts').select(columnsOf('accounts')).where('account_id', '=', given.accountId),
)

const standingById = prepared((db, given: { readonly accountId: AccountId }) =>
  db.selectFrom('accounts').select(['suspended_at', 'deleted_at']).where('account_id', '=', given.accountId),
)

/** Always finds a row: the one with the lowest id if no account has the e-mail. Otherwise an unknown e-mail would answer some microseconds sooner. */
const byEmailOrAny = prepared((db, given: { readonly email: string }) =>
  db
    .selectFrom('accounts')
    .select(columnsOf('accounts'))
    .where('account_id', '=', (account) =>
      account.fn.coalesce(
        account
          .selectFrom('accounts as named')
          .select('named.account_id')
          .where('named.email', '=', given.email)
          .where('named.deleted_at', 'is', null),
        account.selectFrom('accounts as any').select(({ fn }) => fn.min('any.account_id').as('lowest')),
      ),
    ),
)

const afterEmail = prepared((db, given: { readonly afterEmail: string; readonly max: number }) =>
  db
    .selectFrom('accounts')
    .select(columnsOf('accounts'))
    .where('email', '>', given.afterEmail)
    .where('deleted_at', 'is', null)
    .orderBy('email')
    .limit(given.max),
)

const insertion = prepared((db, given: NewAccount) =>
  db
    .insertInto('accounts')
    .values({
      account_id: given.accountId,
      email: given.email,
      secret_hash: given.secretHash,
      kdf_version: given.kdfVersion,
      salt: given.salt,
      sealed_account_key: given.sealedAccountKey,
      sealed_recovery_key: given.sealedRecoveryKey,
      recovery_proof_hash: given.recoveryProofHash,
      created_at: given.createdAt,
    })
    .onConflict((conflict) => conflict.column('email').doNothing()),
)

const USE = ['account_id', 'used_bytes', 'soft_limit_bytes', 'hard_limit_bytes', 'exceeded_since'] as const

const chargeWithinLimit = apart(
  prepared((db, given: { readonly accountId: AccountId; readonly bytes: number; readonly limitBytes: number }) =>
    db
      .updateTable('accounts')
      .set((account) => ({ used_bytes: account('used_bytes', '+', given.bytes) }))
      .where('account_id', '=', given.accountId)
      .where('deleted_at', 'is', null)
      .where((account) =>
        account(
          account('used_bytes', '+', given.bytes),
          '<=',
          account.fn.coalesce('hard_limit_bytes', account.val(given.limitBytes)),
        ),
      )
      .returning(USE),
  ),
)

const refundWithinUse = prepared((db, given: { readonly accountId: AccountId; readonly bytes: number }) =>
  db
    .updateTable('accounts')
    .set((account) => ({ used_bytes: account('used_bytes', '-', given.bytes) }))
    .where('account_id', '=', given.accountId)
    .where('used_bytes', '>=', given.bytes)
    .returning(USE),
)

const secretChange = prepared((db, given: AccountSecret & { readonly accountId: AccountId; readonly from: string }) =>
  db
    .updateTable('accounts')
    .set((account) => ({
      secret_hash: given.secretHash,
      kdf_version: given.kdfVersion,
      salt: given.salt,
      sealed_account_key: given.sealedAccountKey,
      totp_sealed: account
        .case()
        .when('totp_confirmed_at', 'is', null)
        .then(null)
        .else(account.ref('totp_sealed'))
        .end(),
    }))
    .where('account_id', '=', given.accountId)
    .where('secret_hash', '=', given.from),
)

const exceededSinceUpdate = prepared((db, given: { readonly accountId: AccountId; readonly since: Instant | null }) =>
  db.updateTable('accounts').set({ exceeded_since: given.since }).where('account_id', '=', given.accountId),
)

const REFUSALS = ['refused_why', 'refused_count', 'refused_first_at', 'refused_last_at'] as const

const refusalsOf = prepared((db, given: { readonly accountId: AccountId }) =>
  db.selectFrom('accounts').select(REFUSALS).where('account_id', '=', given.accountId),
)

interface NotedRefusal {
  readonly accountId: AccountId
  readonly why: RefusedBecause
  readonly at: Instant
  readonly since: Instant
}

const notingRefusal = prepared((db, given: NotedRefusal) =>
  db
    .updateTable('accounts')
    .set((account) => {
      const continues = account.and([
        account('refused_why', '=', given.why),
        account('refused_first_at', '>=', given.since),
      ])
      const sameRun = account.case().when(continues)
      return {
        refused_why: given.why,
        refused_count: sameRun
          .then(account('refused_count', '+', 1))
          .else(account.lit(1))
          .end(),
        refused_first_at: sameRun.then(account.ref('refused_first_at')).else(account.val(given.at)).end(),
        refused_last_at: given.at,
      }
    })
    .where('account_id', '=', given.accountId)
    .where('deleted_at', 'is', null)
    .returning(REFUSALS),
)

const limitsUpdate = prepared((db, given: OwnLimits & { readonly accountId: AccountId }) =>
  db
    .updateTable('accounts')
    .set({ soft_limit_bytes: given.softLimitBytes, hard_limit_bytes: given.hardLimitBytes })
    .where('account_id', '=', given.accountId),
)

const suspension = prepared((db, given: { readonly accountId: AccountId; readonly since: Instant }) =>
  db
    .updateTable('accounts')
    .set({ suspended_at: given.since })
    .where('account_id', '=', given.accountId)
    .where('suspended_at', 'is', null),
)

const resumption = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .updateTable('accounts')
    .set({ suspended_at: null })
    .where('account_id', '=', given.accountId)
    .where('suspended_at', 'is not', null),
)

export function accountReads(db: Db): AccountReads {
  return {
    async find(accountId) {
      const row = await byId.first(db, { accountId })
      return row && accountOf(row)
    },
    async standing(accountId) {
      const row = await standingById.first(db, { accountId })
      return row && standingOf(row)
    },
    async refusals(accountId) {
      return refusalsIn(await refusalsOf.first(db, { accountId }))
    },
    async findByEmail(email) {
      const row = await byEmailOrAny.first(db, { email })
      const account = row && accountOf(row)
      return account?.email === email && account.deletedAt === undefined ? account : undefined
    },
    async list({ afterEmail: email = '', max }) {
      return (await afterEmail.all(db, { afterEmail: email, max })).map(accountOf)
    },
  }
}

export function accountWrites(db: Db): AccountWrites {
  return {
    async insert(account) {
      return (await insertion.changed(db, account)) === 1
    },
    async changeSecret(accountId, from, secret) {
      return (await secretChange.changed(db, { ...secret, accountId, from })) === 1
    },
    async charge(accountId, bytes, hardLimitBytes) {
      // Without a limit, the largest exact number is the limit.
      const limitBytes = hardLimitBytes ?? Number.MAX_SAFE_INTEGER
      const row = await chargeWithinLimit.first(db, { accountId, bytes, limitBytes })
      return row && useOf(row)
    },
    async refund(accountId, bytes) {
      const row = await refundWithinUse.first(db, { accountId, bytes })
      if (row === undefined) throw new Error(`A refund of ${bytes} bytes exceeds what account ${accountId} was charged`)
      return useOf(row)
    },
    async noteRefusal(accountId, refusal) {
      return refusalsIn(await notingRefusal.first(db, { ...refusal, accountId }))
    },
    async setExceededSince(accountId, since) {
      await exceededSinceUpdate.changed(db, { accountId, since: since ?? null })
    },
    async setLimits(accountId, limits) {
      await limitsUpdate.changed(db, { ...limits, accountId })
    },
    async setSuspended(accountId, since) {
      const changed =
        since === undefined ? resumption.changed(db, { accountId }) : suspension.changed(db, { accountId, since })
      return (await changed) === 1
    },
  }
}

function refusalsIn(row: Pick<Selectable<AccountTable>, (typeof REFUSALS)[number]> | undefined): Refusals | undefined {
  const { refused_why: why = null, refused_first_at: firstAt = null, refused_last_at: lastAt = null } = row ?? {}
  return why === null || firstAt === null || lastAt === null
    ? undefined
    : { why, count: row?.refused_count ?? 0, firstAt, lastAt }
}

export function standingOf(row: Pick<Selectable<AccountTable>, 'suspended_at' | 'deleted_at'>): AccountStanding {
  return { suspendedAt: row.suspended_at ?? undefined, deletedAt: row.deleted_at ?? undefined }
}

export function useOf(row: Pick<Selectable<AccountTable>, (typeof USE)[number]>): AccountUse {
  return {
    accountId: row.account_id,
    usedBytes: row.used_bytes,
    softLimitBytes: row.soft_limit_bytes ?? undefined,
    hardLimitBytes: row.hard_limit_bytes ?? undefined,
    exceededSince: row.exceeded_since ?? undefined,
  }
}

function accountOf(row: Selectable<AccountTable>): Account {
  return {
    email: row.email,
    secretHash: row.secret_hash,
    kdfVersion: row.kdf_version,
    salt: row.salt ?? undefined,
    sealedAccountKey: row.sealed_account_key ?? undefined,
    sealedRecoveryKey: row.sealed_recovery_key ?? undefined,
    recoveryProofHash: row.recovery_proof_hash ?? undefined,
    createdAt: row.created_at,
    ...standingOf(row),
    ...useOf(row),
    totpConfirmedAt: row.totp_confirmed_at ?? undefined,
  }
}
