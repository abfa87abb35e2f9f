import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { NewShare } from '../../ports/store.ts'
import { type Filled, fill, findingsIn } from '../../testing/fsck.ts'
import { openUncommitted } from '../../testing/uncommitted.ts'
import { beginDeletion, defined, inWorld, newAccount, newOpaqueId } from '../../testing/world.ts'
import { checkAccount } from './accounts.ts'
import type { FindingKind } from './finding.ts'
import { newMemory } from './options.ts'

const ANOTHER_HASH = 'ab'.repeat(32)
const ANOTHER_ID = '00000000-0000-4000-8000-000000000009'
const ANOTHER_LOCATION = `ab/${ANOTHER_HASH}.${ANOTHER_ID}`

/** An instant in the year 2999, and a number that is no instant. */
const FAR = 32_471_971_200_000
const NO_INSTANT = 9_007_199_254_740_000

type Damages = readonly (readonly [damage: string, kind: FindingKind, place: string])[]

/** Damages of rows, and the kind and the place that a finding must name. */
function damagesOf(filled: Filled): Damages {
  return [
    ...toAccountsAndLinks(filled),
    ...toSessions(filled),
    ...toDrops(filled),
    ...toAssets(filled),
    ...toBin(filled),
    ...toObjects(filled),
  ]
}

function toAccountsAndLinks({ albumOwner, pending, open, metadata }: Filled): Damages {
  const { accountId } = albumOwner
  const ofLink = (uploadId: string) =>
    `where opaque_id = (select opaque_id from uploads where upload_id = '${uploadId}')`
  const used = `where link_seq = (select link_seq from links ${ofLink(pending.uploadId)})`
  const account = `where account_id = '${accountId}'`
  return [
    [`update accounts set used_bytes = used_bytes + 1 ${account}`, 'use_wrong', accountId],
    [`delete from asset_blobs where upload_id = '${metadata}'`, 'use_wrong', accountId],
    [`update accounts set pending_drops = 0 ${account}`, 'pending_drops_wrong', accountId],
    [`delete from drops`, 'pending_drops_wrong', accountId],
    [`update accounts set change_seq = 1 ${account}`, 'changes_wrong', accountId],
    [`update accounts set deleted_at = 1 ${account}`, 'account_deletion_wrong', accountId],
    [`update accounts set deleted_at = 1 ${account}`, 'account_deletion_stuck', accountId],
    [`update accounts set emptied_at = 1 ${account}`, 'account_deletion_wrong', accountId],
    [`update links set open_sessions = 2 ${ofLink(open)}`, 'link_open_wrong', accountId],
    [`update links set open_bytes = 99 ${ofLink(open)}`, 'link_open_wrong', accountId],
    [`update links set landed_files = 0 ${used}`, 'link_landed_wrong', accountId],
    [`update links set landed_bytes = landed_bytes + 1 ${used}`, 'link_landed_wrong', accountId],
    [`update links set max_file_count = 0 ${used}`, 'link_caps_exceeded', accountId],
    [`update links set max_total_bytes = 99 ${ofLink(open)}`, 'link_caps_exceeded', accountId],
    [`update links set single_use = 1 ${used}`, 'link_spent_wrong', accountId],
    [`update links set single_use = 1, claimed_by = '${open}' ${ofLink(open)}`, 'link_claim_wrong', accountId],
    [`update links set created_at = ${NO_INSTANT}, landed_files = 0 ${used}`, 'link_landed_wrong', accountId],
    [`update links set revoked_at = 1 ${ofLink(open)}`, 'link_open_after_end', accountId],
  ]
}

function toSessions({ pending, metadata, open, coming, cancelled }: Filled): Damages {
  const of = (uploadId: string) => `where upload_id = '${uploadId}'`
  const finishing = `update uploads set state = 'finishing', received_bytes = size, last_chunk_at = 1`
  return [
    [`update uploads set received_bytes = 51 ${of(open)}`, 'session_wrong', open],
    [`update uploads set chunk_count = 2 ${of(open)}`, 'session_wrong', open],
    [`delete from chunks ${of(open)}`, 'session_wrong', open],
    [`update chunks set "offset" = 1 ${of(open)}`, 'session_wrong', open],
    [`update uploads set received_bytes = 99 ${of(pending.uploadId)}`, 'session_wrong', pending.uploadId],
    [`update uploads set size = 50 ${of(open)}`, 'session_wrong', open],
    [`update uploads set location = '${ANOTHER_LOCATION}' ${of(open)}`, 'session_wrong', open],
    [`update uploads set ciphertext_hash = '${ANOTHER_HASH}' ${of(open)}`, 'session_wrong', open],
    [`update uploads set account_id = '${ANOTHER_ID}' ${of(open)}`, 'session_wrong', open],
    [`delete from links where open_sessions > 0`, 'session_wrong', open],
    [`delete from assets where created_at is null`, 'session_wrong', coming],
    [`update assets set account_id = '${ANOTHER_ID}' where created_at is null`, 'session_wrong', coming],
    [`${finishing} ${of(open)}`, 'session_stuck', open],
    [`update objects set state = 'deleting' where location like '%${open}'`, 'session_object_wrong', open],
    [`delete from objects where location like '%${coming}'`, 'session_object_wrong', coming],
    [`delete from receipts ${of(metadata)}`, 'session_receipts_wrong', metadata],
    [`delete from receipts ${of(pending.uploadId)}`, 'session_receipts_wrong', pending.uploadId],
    [`update uploads set state = 'landed' ${of(cancelled)}`, 'session_receipts_wrong', cancelled],
    [`update receipts set upload_id = '${open}' ${of(metadata)}`, 'session_receipts_wrong', open],
  ]
}

function toDrops({ pending, adopted, locations }: Filled): Damages {
  const { dropId, uploadId } = pending
  const elsewhere = defined(locations.get(adopted.uploadId))
  const ofSession = `where upload_id = '${uploadId}'`
  return [
    ...[
      `update drops set ciphertext_hash = '${ANOTHER_HASH}'`,
      `update drops set size = 99`,
      `update drops set location = '${elsewhere}'`,
      `update drops set account_id = '${ANOTHER_ID}'`,
      `update drops set opaque_id = '${'0'.repeat(32)}'`,
      `update drops set upload_id = '${adopted.uploadId}'`,
      `delete from uploads ${ofSession}`,
      `update uploads set state = 'ended' ${ofSession}`,
      `update objects set state = 'orphaned' where location = '${pending.location}'`,
      `update objects set size = 99 where location = '${pending.location}'`,
      `delete from objects where location = '${pending.location}'`,
      `update receipts set asset_id = '${ANOTHER_ID}' ${ofSession}`,
    ].map((damage) => [damage, 'drop_wrong', dropId] as const),
    [`update drops set received_at = 1`, 'drop_receipt_wrong', dropId],
    [`update drops set drop_id = '${ANOTHER_ID}'`, 'drop_receipt_wrong', ANOTHER_ID],
    [`delete from receipts ${ofSession}`, 'drop_receipt_wrong', dropId],
    [`update drops set claim_id = 'x', claim_hash = 'y', leased_until = ${FAR}`, 'drop_claim_stuck', dropId],
    [`update drops set leased_until = ${FAR}`, 'drop_claim_stuck', dropId],
    [`update drops set leased_until = ${NO_INSTANT}`, 'drop_claim_stuck', dropId],
  ]
}

function toAssets({ asset, deletedAsset, deletedBlob, metadata, adopted, coming, locations }: Filled): Damages {
  const own = `where asset_id = '${asset}'`
  const blob = (uploadId: string) => `where upload_id = '${uploadId}'`
  const location = defined(locations.get(metadata))
  return [
    ...[
      [`update assets set created_at = null ${own}`, asset],
      [`update assets set created_at = 1 where asset_id = '${deletedAsset}' or created_at is null`, ''],
      [`update assets set deleted_at = null where asset_id = '${deletedAsset}'`, deletedAsset],
      [`update asset_blobs set asset_id = '${deletedAsset}' ${blob(metadata)}`, deletedAsset],
      [`update assets set album_id = '${ANOTHER_ID}' ${own}`, asset],
      [`update assets set drop_id = '${ANOTHER_ID}' ${own}`, asset],
      [`update assets set drop_id = null ${own}`, asset],
      [`update asset_blobs set pending_after = '${ANOTHER_HASH}' ${blob(metadata)}`, asset],
      [`update uploads set state = 'ended', closed_at = 1 ${blob(coming)}`, ''],
    ].map(([damage = '', place = '']) => [damage, 'asset_wrong', place] as const),
    [`update assets set change_seq = null ${own}`, 'changes_wrong', asset],
    ...[
      `update uploads set state = 'ended' ${blob(metadata)}`,
      `update uploads set ciphertext_hash = '${ANOTHER_HASH}' ${blob(metadata)}`,
      `update uploads set size = 101 ${blob(metadata)}`,
      `update uploads set account_id = '${ANOTHER_ID}' ${blob(metadata)}`,
      `update uploads set asset_id = '${deletedAsset}' ${blob(metadata)}`,
      `update uploads set role = 'original' ${blob(metadata)}`,
      `delete from uploads ${blob(metadata)}`,
      `update asset_blobs set account_id = '${ANOTHER_ID}' ${blob(metadata)}`,
      `update asset_blobs set role = 'derivative' ${blob(metadata)}`,
      `update asset_blobs set location = '${ANOTHER_LOCATION}' ${blob(metadata)}`,
      `update objects set state = 'orphaned' where location = '${location}'`,
    ].map((damage) => [damage, 'blob_wrong', metadata] as const),
    [`update asset_blobs set role = 'derivative' ${blob(adopted.uploadId)}`, 'blob_wrong', adopted.uploadId],
    [`update asset_blobs set envelope = '{' ${blob(metadata)}`, 'blob_wrong', metadata],
    // Its receipt attests a blob without a row: only a later original or manifest removes one from a live asset.
    [`delete from asset_blobs ${blob(metadata)}`, 'receipt_subject_wrong', metadata],
    [`delete from assets where asset_id = '${deletedAsset}'`, 'receipt_subject_wrong', deletedBlob],
    [`update asset_blobs set landed_at = 1 ${blob(metadata)}`, 'blob_receipt_wrong', metadata],
    [`delete from receipts ${blob(metadata)}`, 'blob_receipt_wrong', metadata],
  ]
}

function toBin({ deletedAsset, deletedBlob, locations }: Filled): Damages {
  const object = `where location = '${defined(locations.get(deletedBlob))}'`
  return [
    `update bin set size = 1`,
    `update assets set deleted_at = null where asset_id = '${deletedAsset}'`,
    `update objects set state = 'kept' ${object}`,
    `update objects set size = 99 ${object}`,
  ].map((damage) => [damage, 'bin_wrong', deletedAsset] as const)
}

function toObjects({ pending, metadata, open, cancelled, deletedBlob, locations }: Filled): Damages {
  const at = (uploadId: string) => defined(locations.get(uploadId))
  const moved = (uploadId: string, state: string) =>
    [`update objects set state = '${state}' where location = '${at(uploadId)}'`, 'object_wrong', at(uploadId)] as const
  const stray = `insert into objects (location, size, state, since, checked_at)`
  return [
    moved(deletedBlob, 'kept'),
    moved(deletedBlob, 'staged'),
    moved(pending.uploadId, 'orphaned'),
    moved(pending.uploadId, 'marked'),
    moved(open, 'deleting'),
    moved(open, 'kept'),
    moved(metadata, 'staged'),
    moved(cancelled, 'orphaned'),
    [`${stray} values ('${ANOTHER_LOCATION}', 1, 'kept', 0, 0)`, 'object_wrong', ANOTHER_LOCATION],
    [`${stray} values ('ab/cd', 1, 'deleting', 0, 0)`, 'object_wrong', 'ab/cd'],
    [`delete from objects where location = '${at(metadata)}'`, 'file_unlisted', at(metadata)],
    [`delete from objects where location = '${at(open)}'`, 'file_unlisted', at(open)],
    [`update objects set size = 99 where location = '${at(metadata)}'`, 'file_size_wrong', at(metadata)],
    [`update objects set damaged_at = 1 where location = '${at(metadata)}'`, 'object_damaged', at(metadata)],
    [`${stray} values ('zz/../../x', 1, 'kept', 0, 0)`, 'object_wrong', 'zz/../../x'],
    [`update objects set checked_at = ${FAR} where location = '${at(metadata)}'`, 'object_time_wrong', at(metadata)],
    [
      `update objects set state = 'marked', since = ${FAR} where location = '${at(deletedBlob)}'`,
      'object_time_wrong',
      at(deletedBlob),
    ],
    [
      `update objects set damaged_at = ${NO_INSTANT} where location = '${at(metadata)}'`,
      'object_damaged',
      at(metadata),
    ],
    // A number that JavaScript cannot hold: the finding names the row before it, and the other tables are examined.
    [
      `update objects set since = 9223372036854775807 where location = (select max(location) from objects)`,
      'database_damaged',
      'objects',
    ],
    [`update receipts set received_at = 9223372036854775807 where receipt_seq = 3`, 'database_damaged', 'receipts'],
    [`insert into server_facts values ('receipt_seq_floor', cast('abc' as blob))`, 'fact_wrong', ''],
    [`delete from server_facts where name = 'server_id'`, 'fact_wrong', ''],
    [`update server_facts set value = cast('keep.example' as blob) where name = 'server_id'`, 'fact_wrong', ''],
    [`insert into pauses values ('a backup', ${Date.UTC(2999, 0)})`, 'fact_wrong', ''],
    [`update attestation_keys set active_to = 1`, 'key_wrong', ''],
    [`update attestation_keys set public_key = zeroblob(1984)`, 'key_wrong', ''],
    [`update albums set account_id = '${ANOTHER_ID}'`, 'database_damaged', ''],
  ]
}

function newShare(accountId: AccountId, createdAt: Instant): NewShare {
  const notes = { sealedName: undefined, sealedRecord: undefined, verifierHash: undefined }
  const contents = { sealedIndex: new Uint8Array(9), blobHashes: [] }
  return { ...contents, ...notes, opaqueId: newOpaqueId(), accountId, createdAt, expiresAt: undefined }
}

describe('fsck', () => {
  it(
    'finds a share that an emptied account still has',
    inWorld(async (world) => {
      const accountId = await newAccount(world)
      const at = world.clock.now()
      await beginDeletion(world, accountId)
      assert.ok(await world.store.write([], (tx) => tx.accountDeletions.finish(accountId, at)))
      const kinds = async () => {
        const [account] = await world.store.read((tx) => tx.audit.accounts('', 1))
        return checkAccount(defined(account), at).map(({ kind }) => kind)
      }
      assert.deepEqual(await kinds(), [])
      await world.store.write([], (tx) => tx.shares.insert(newShare(accountId, at)))
      assert.deepEqual(await kinds(), ['account_deletion_wrong'])
    }),
  )

  it(
    'finds a share whose counts of visits are lost, and none that has ended',
    inWorld(
      async (world) => {
        const [accountId, at] = [await newAccount(world), world.clock.now()]
        const [live, ended] = [newShare(accountId, at), newShare(accountId, at)]
        await world.store.write([], async (tx) => {
          for (const share of [live, ended]) await tx.shares.insert(share)
          await tx.shares.end(ended.opaqueId, accountId, at)
        })
        const filled = { world, locations: new Map() }
        assert.deepEqual(await findingsIn(world.store, { filled }), [])
        const rows = openUncommitted(world)
        try {
          const found = await rows.with('delete from share_visits', (store) => findingsIn(store, { filled }))
          assert.deepEqual(
            found.map(({ kind, where }) => [kind, where]),
            [['share_wrong', { account_id: accountId }]],
          )
        } finally {
          rows.close()
        }
      },
      { isOnDisk: true },
    ),
  )

  it(
    'finds nothing wrong in any state of sessions, drops and assets, and reports each damage of a row by kind and place',
    inWorld(
      async (world) => {
        const filled = await fill(world)
        const memory = newMemory()
        const { rows: links } = await world.store.read((tx) => tx.links.page(filled.albumOwner.accountId, { max: 10 }))
        const opaqueIds = links.map(({ opaqueId }) => opaqueId)
        assert.equal(opaqueIds.length, 3)
        assert.deepEqual(await findingsIn(world.store, { filled, memory, deep: true }), [])
        const rows = openUncommitted(world)
        try {
          for (const [damage, kind, place] of damagesOf(filled)) {
            const findings = await rows.with(damage, (store) =>
              findingsIn(store, { filled, memory: { ...memory, log: undefined } }),
            )
            const isNamed = findings.some(
              (finding) => finding.kind === kind && (place === '' || Object.values(finding.where).includes(place)),
            )
            const text = JSON.stringify(findings, undefined, 2)
            assert.ok(isNamed, `${damage}: ${text}`)
            // The ids of links are credentials.
            for (const opaqueId of opaqueIds) assert.ok(!text.includes(opaqueId), damage)
          }
        } finally {
          rows.close()
        }
      },
      { isOnDisk: true },
    ),
  )
})
