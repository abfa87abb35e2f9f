import type { AccountId, Instant, PasskeyId } from '@blindkeep/protocol/ids'
import type { Selectable } from 'kysely'
import type { NewPasskey, Passkey, PasskeyReads, PasskeyWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { PasskeyTable } from './schema.ts'

interface Given {
  readonly passkeyId: PasskeyId
}

interface Owner {
  readonly accountId: AccountId
}

const byId = prepared((db, given: Given) =>
  db.selectFrom('passkeys').select(columnsOf('passkeys')).where('passkey_id', '=', given.passkeyId),
)

const ofAccount = prepared((db, given: Owner) =>
  db
    .selectFrom('passkeys')
    .select(columnsOf('passkeys'))
    .where('account_id', '=', given.accountId)
    .orderBy('passkey_seq'),
)

const insertion = prepared((db, given: NewPasskey) =>
  db
    .insertInto('passkeys')
    .values({
      passkey_id: given.passkeyId,
      account_id: given.accountId,
      credential_id: given.credentialId,
      proof_hash: given.proofHash,
      sealed_passkey_key: given.sealedPasskeyKey,
      sealed_name: given.sealedName,
      created_at: given.createdAt,
    })
    .onConflict((conflict) => conflict.column('passkey_id').doNothing()),
)

const naming = prepared((db, given: Given & { readonly sealedName: Uint8Array | undefined }) =>
  db.updateTable('passkeys').set({ sealed_name: given.sealedName }).where('passkey_id', '=', given.passkeyId),
)

const use = prepared((db, given: Given & { readonly at: Instant }) =>
  db.updateTable('passkeys').set({ last_used_at: given.at }).where('passkey_id', '=', given.passkeyId),
)

const removal = prepared((db, given: Given & Owner) =>
  db.deleteFrom('passkeys').where('passkey_id', '=', given.passkeyId).where('account_id', '=', given.accountId),
)

const removalOfAll = prepared((db, given: Owner) => db.deleteFrom('passkeys').where('account_id', '=', given.accountId))

export function passkeyReads(db: Db): PasskeyReads {
  return {
    async find(passkeyId) {
      const row = await byId.first(db, { passkeyId })
      return row && passkeyOf(row)
    },
    async listOf(accountId) {
      return (await ofAccount.all(db, { accountId })).map(passkeyOf)
    },
  }
}

export function passkeyWrites(db: Db): PasskeyWrites {
  return {
    async insert(passkey) {
      return (await insertion.changed(db, passkey)) === 1
    },
    async setName(passkeyId, sealedName) {
      await naming.changed(db, { passkeyId, sealedName })
    },
    async noteUse(passkeyId, at) {
      await use.changed(db, { passkeyId, at })
    },
    async remove(passkeyId, accountId) {
      return (await removal.changed(db, { passkeyId, accountId })) === 1
    },
    async removeOf(accountId) {
      await removalOfAll.changed(db, { accountId })
    },
  }
}

function passkeyOf(row: Selectable<PasskeyTable>): Passkey {
  return {
    passkeyId: row.passkey_id,
    accountId: row.account_id,
    credentialId: row.credential_id,
    proofHash: row.proof_hash,
    sealedPasskeyKey: row.sealed_passkey_key,
    sealedName: row.sealed_name ?? undefined,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  }
}
