import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { AuditedUpload } from '../../ports/store.ts'
import { locationOf } from '../ground/location.ts'
import { type Finding, findBroken, instantText, type Rules } from './finding.ts'

/** Hashing the largest file takes hours. Servers finish every upload; a later receipt proves that one ran. */
const MAX_FINISHING_SECONDS = 86_400

export function checkUpload(upload: AuditedUpload, lastReceiptAt: Instant | undefined): readonly Finding[] {
  const where = { upload_id: upload.uploadId, account_id: upload.accountId }
  return findBroken(where, [...progressRules(upload), ...belongingRules(upload), ...stuckRules(upload, lastReceiptAt)])
}

function progressRules({ state, size, receivedBytes, chunkCount, chunks }: AuditedUpload): Rules {
  const isGapless = chunks.count === 0 ? receivedBytes === 0 : chunks.start === 0 && chunks.end === receivedBytes
  const needsAllBytes = state === 'finishing' || state === 'landed'
  return [
    [
      chunkCount !== chunks.count || receivedBytes !== chunks.bytes || !isGapless,
      'session_wrong',
      `${receivedBytes} bytes received in ${chunkCount} chunks; ${chunks.count} chunks hold ${chunks.bytes} from ${chunks.start} to ${chunks.end}`,
    ],
    [
      (state === 'open' && receivedBytes === size) || (needsAllBytes && receivedBytes !== size),
      'session_wrong',
      `${state} with ${receivedBytes} of ${size} bytes`,
    ],
  ]
}

function belongingRules(upload: AuditedUpload): Rules {
  const { state, size, object, receipts, link, assetId, location, ciphertextHash, uploadId } = upload
  const isUnclosed = state === 'open' || state === 'finishing'
  const isGuests = assetId === undefined
  const isOwned = isGuests ? link?.accountId === upload.accountId : upload.isAssetRight
  return [
    [location !== locationOf(ciphertextHash, uploadId), 'session_wrong', `the location of its object is ${location}`],
    [isGuests && !isOwned, 'session_wrong', 'its link is missing, or belongs to another account'],
    [
      !isGuests && isUnclosed && !isOwned,
      'session_wrong',
      'its asset is not reserved, or belongs to another account or album',
    ],
    [
      isUnclosed && (object?.state !== 'staged' || object.size !== size),
      'session_object_wrong',
      `${state} with ${size} bytes, its object is ${object === undefined ? 'unknown' : `${object.state} with ${object.size}`}`,
    ],
    [
      !hasRightReceipts(upload),
      'session_receipts_wrong',
      `${state}, with ${receipts.landings} receipts of landings and ${receipts.blobs} of blobs`,
    ],
  ]
}

/** Only landed uploads have receipts. A drop has one, and one more when an asset has adopted it. */
function hasRightReceipts({ state, assetId, receipts: { landings, blobs } }: AuditedUpload): boolean {
  if (state !== 'landed') return landings + blobs === 0
  return assetId === undefined ? landings === 1 && blobs <= 1 : landings === 0 && blobs === 1
}

function stuckRules({ state, lastChunkAt, createdAt }: AuditedUpload, lastReceiptAt = createdAt): Rules {
  const since = lastChunkAt ?? createdAt
  return [
    [
      state === 'finishing' && addSeconds(since, MAX_FINISHING_SECONDS) < lastReceiptAt,
      'session_stuck',
      `finishing since ${instantText(since)}, and the last receipt is of ${instantText(lastReceiptAt)}`,
    ],
  ]
}
