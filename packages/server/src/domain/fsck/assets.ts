import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { AuditedAsset, AuditedBlob, AuditedDrop } from '../../ports/store.ts'
import { locationOf } from '../ground/location.ts'
import { type Finding, findBroken, instantText } from './finding.ts'
import type { Examination } from './options.ts'

/** A lease lasts a minute; an expired one ends at the owner's next act (specification, states of a drop, Adopt). */
const MAX_CLAIM_SECONDS = 86_400
const DAY_MS = 86_400_000

export function checkDrop(drop: AuditedDrop, examination: Examination & { readonly now: Instant }): readonly Finding[] {
  const { dropId, accountId, uploadId, claimId, leasedUntil, receipt } = drop
  const isReceiptRight = receipt?.dropId === dropId && receipt.receivedAt === drop.receivedAt
  const isStuck = leasedUntil !== undefined && leasedUntil > addSeconds(examination.now, MAX_CLAIM_SECONDS)
  return findBroken({ drop_id: dropId, upload_id: uploadId, account_id: accountId }, [
    ...keptRules(drop, examination).map(([isBroken, what]) => [isBroken, 'drop_wrong', what] as const),
    [drop.linkAccountId !== accountId, 'drop_wrong', 'its link is missing, or belongs to another account'],
    [drop.adoptions > 0, 'drop_wrong', 'it is pending, and a receipt says that an asset adopted it'],
    [!isReceiptRight, 'drop_receipt_wrong', receiptText(receipt)],
    [
      isStuck,
      'drop_claim_stuck',
      `claimed until ${leasedUntil === undefined ? 'never' : instantText(leasedUntil)}`,
      claimId === undefined ? undefined : { repair: 'release_claim', accountId, dropId, claimId },
    ],
  ])
}

export function checkAsset(asset: AuditedAsset): readonly Finding[] {
  const { assetId, accountId, blobs, unclosedSessions, createdAt, deletedAt, dropId, originalDropId } = asset
  const isVisible = createdAt !== undefined && deletedAt === undefined
  return findBroken({ asset_id: assetId, account_id: accountId }, [
    [
      deletedAt === undefined && blobs === 0 && unclosedSessions === 0,
      'asset_wrong',
      'it holds no blob, and no session uploads one',
    ],
    [
      blobs > 0 !== isVisible,
      'asset_wrong',
      `${blobs} blobs, ${createdAt === undefined ? 'not created' : 'created'}, ${deletedAt === undefined ? 'not deleted' : 'deleted'}`,
    ],
    [
      (createdAt === undefined) !== (asset.changeSeq === undefined),
      'changes_wrong',
      `${createdAt === undefined ? 'not created' : 'created'}, its last change is number ${asset.changeSeq ?? 'none'}`,
    ],
    [asset.strayPending > 0, 'asset_wrong', 'metadata wait for a manifest that cannot come'],
    [asset.albumAccountId !== accountId, 'asset_wrong', 'its album is missing, or belongs to another account'],
    [
      dropId !== originalDropId,
      'asset_wrong',
      `it names ${dropId ?? 'no drop'}, its original was ${originalDropId ?? 'none'}`,
    ],
  ])
}

export function checkBlob(blob: AuditedBlob, examination: Examination & { readonly now: Instant }): readonly Finding[] {
  const { assetId, accountId, uploadId, receipt, landedAt, retainedUntil } = blob
  const { now, retentionDaysMax = Number.POSITIVE_INFINITY } = examination
  const isBeyond = retainedUntil !== undefined && retainedUntil - now > retentionDaysMax * DAY_MS
  return findBroken({ asset_id: assetId, upload_id: uploadId, account_id: accountId }, [
    ...keptRules(blob, examination).map(([isBroken, what]) => [isBroken, 'blob_wrong', what] as const),
    [blob.assetAccountId !== accountId, 'blob_wrong', 'its asset is missing, or belongs to another account'],
    [receipt?.receivedAt !== landedAt, 'blob_receipt_wrong', receiptText(receipt)],
    [!blob.isEnvelopeReadable, 'blob_wrong', 'its manifest envelope is not JSON'],
    [
      isBeyond,
      'blob_retained_long',
      `it is retained until ${retainedUntil === undefined ? 'never' : instantText(retainedUntil)}`,
    ],
  ])
}

/** For each row that keeps an object: the object is kept and whole, and agrees with the session that uploaded it. */
function keptRules(
  kept: Pick<AuditedDrop, 'object' | 'upload' | 'size' | 'location' | 'ciphertextHash' | 'uploadId'>,
  { isUnpruned = false }: Examination,
): readonly (readonly [boolean, string])[] {
  const { object, upload, size, location, ciphertextHash, uploadId } = kept
  const isOfSession = upload === undefined ? !isUnpruned : upload.state === 'landed' && upload.isSame
  return [
    [
      object?.state !== 'kept' || object.size !== size,
      `${size} bytes, its object is ${object === undefined ? 'unknown' : `${object.state} with ${object.size}`}`,
    ],
    [location !== locationOf(ciphertextHash, uploadId), `the location of its object is ${location}`],
    [!isOfSession, upload === undefined ? 'it has no session' : `its session is ${upload.state}, or differs from it`],
  ]
}

function receiptText(receipt: { readonly receivedAt: Instant } | undefined): string {
  if (receipt === undefined) return 'it has no receipt'
  return `its receipt is of another landing, or of another time: ${instantText(receipt.receivedAt)}`
}
