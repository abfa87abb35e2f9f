import type { Instant, KeyId } from '@blindkeep/protocol/ids'
import type { Selectable } from 'kysely'
import type { AttestationKey, KeyReads, KeyWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { AttestationKeyTable } from './schema.ts'

const allKeys = prepared((db, _given: object) =>
  db
    .selectFrom('attestation_keys')
    .select(columnsOf('attestation_keys'))
    .orderBy((key) => key('active_to', 'is', null))
    .orderBy('active_from')
    .orderBy('key_seq'),
)

const active = prepared((db, _given: object) =>
  db.selectFrom('attestation_keys').select(columnsOf('attestation_keys')).where('active_to', 'is', null),
)

const insertion = prepared((db, given: AttestationKey) =>
  db.insertInto('attestation_keys').values({
    key_id: given.keyId,
    public_key: given.publicKey,
    sealed_private_key: given.sealedPrivateKey,
    active_from: given.activeFrom,
    active_to: given.activeTo,
  }),
)

/** Changes nothing if the key has an end or does not exist. */
const retirement = prepared((db, given: { readonly keyId: KeyId; readonly activeTo: Instant }) =>
  db
    .updateTable('attestation_keys')
    .set({ active_to: given.activeTo })
    .where('key_id', '=', given.keyId)
    .where('active_to', 'is', null),
)

export function keyReads(db: Db): KeyReads {
  return {
    async attestationKeys() {
      return (await allKeys.all(db, {})).map(keyOf)
    },
    async activeAttestationKey() {
      const row = await active.first(db, {})
      return row && keyOf(row)
    },
  }
}

export function keyWrites(db: Db): KeyWrites {
  return {
    async insertAttestationKey(key) {
      await insertion.changed(db, key)
    },
    async retireAttestationKey(keyId, activeTo) {
      return (await retirement.changed(db, { keyId, activeTo })) === 1
    },
  }
}

export function keyOf(row: Selectable<AttestationKeyTable>): AttestationKey {
  return {
    keyId: row.key_id,
    publicKey: row.public_key,
    sealedPrivateKey: row.sealed_private_key,
    activeFrom: row.active_from,
    activeTo: row.active_to ?? undefined,
  }
}
