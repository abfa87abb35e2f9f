/** Records a chunk whose bytes are written. The last chunk moves its upload to finishing. */
import type { Clock } from '../../ports/clock.ts'
import {
  type AccountStanding,
  accountLock,
  type DropUpload,
  type Link,
  type Store,
  type Upload,
  type WriteTx,
} from '../../ports/store.ts'
import { isReachable } from '../ground/activeAccount.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { claimLink, type FinishingRefusal } from '../uploads/claimLink.ts'
import { findUpload } from '../uploads/findUpload.ts'
import { giveUpPart, type WrittenChunk } from './chunkWrite.ts'
import type { FinishAnswer, Finishing } from './finishing.ts'
import { NotWhole } from './landDrops.ts'
import { isSmallDrop, type Landing } from './landing.ts'
import type { StagedBytes } from './stagedBytes.ts'

export interface ChunkRecordPorts {
  readonly store: Store
  readonly clock: Clock
  readonly staged: StagedBytes
  readonly finishing: Finishing
  readonly landing: Pick<Landing, 'landAtOnce' | 'settled'>
}

export type RecordRefusal = Refuses<
  'chunk_misplaced' | 'upload_not_found' | 'account_suspended' | 'storage_unavailable' | 'storage_full'
>

type RecordingRefusal = Refuses<'chunk_misplaced' | 'upload_not_found' | 'account_suspended'> | FinishingRefusal

export function createChunkRecord({ store, clock, staged, finishing, landing }: ChunkRecordPorts) {
  return async function record(upload: Upload, chunk: WrittenChunk): Promise<FinishAnswer | RecordRefusal> {
    const { uploadId } = upload
    const end = chunk.offset + chunk.length
    const isLast = end === upload.size
    // The bytes are durable before the row says so: a start after a power cut trusts the bytes of a finishing upload.
    if (isLast) {
      const failure = await finishing.settle(upload)
      if (failure !== undefined) return failure
    }
    if (isSmallWhole(upload, chunk)) {
      const landed = await landAtOnce(upload, chunk)
      if (landed !== undefined) return landed
    }
    // The account's lock would make every chunk of an account wait for the others. One statement judges and records a
    // chunk; the last one judges more.
    const done = await store.write(isLast ? [accountLock(upload.accountId)] : [], (tx) => recordIn(tx, upload, chunk))
    if (typeof done !== 'string' && done.refused === 'sibling_finishing') {
      await finishing.finish(done.uploadId)
      return record(upload, chunk)
    }
    if (done !== 'recorded' && chunk.key !== undefined) await giveUpPart({ store, clock }, chunk.key)
    if (typeof done !== 'string') return done
    if (chunk.hash !== undefined) staged.advance(uploadId, end, chunk.hash)
    if (!isLast) return { offset: end }
    const entered = { ...upload, state: 'finishing' as const, receivedBytes: end }
    return finishing.finish(uploadId, done === 'recorded' ? entered : undefined)
  }

  /** Undefined if it cannot land so: then the usual way finds out why. */
  async function landAtOnce(upload: DropUpload, chunk: WrittenChunk): Promise<FinishAnswer | undefined> {
    try {
      await landing.landAtOnce(upload, chunk)
      return { offset: upload.size }
    } catch (error) {
      if (error instanceof NotWhole) return undefined
      throw error
    }
  }

  async function recordIn(
    tx: WriteTx,
    upload: Upload,
    { offset, length, checksum, key }: WrittenChunk,
  ): Promise<'recorded' | 'repeat' | RecordingRefusal> {
    const { uploadId } = upload
    const at = clock.now()
    // Checked again, because the chunk may have taken long to arrive. The guest of a suspended owner, and everyone's
    // upload for a deleted one, gets the answer of an unknown upload.
    const lease = offset + length === upload.size ? finishing.leaseFrom(at) : undefined
    const [{ owner, link }, isAppended] = await Promise.all([
      judgesOf(tx, upload, lease !== undefined),
      tx.uploads.append(uploadId, { offset, length, checksum, key }, at, lease),
    ])
    const isSuspended = owner?.suspendedAt !== undefined
    if (!isReachable(owner))
      return { refused: isSuspended && upload.assetId !== undefined ? 'account_suspended' : 'upload_not_found' }
    if (!isAppended) {
      // Another process may have recorded the same chunk first.
      if ((await tx.uploads.chunkAt(uploadId, offset))?.checksum === checksum) return 'repeat'
      const present = await findUpload(uploadId)(tx)
      return isRefusal(present) ? present : { refused: 'chunk_misplaced', offset: present.upload.receivedBytes }
    }
    const refused = lease && link && (await claimLink(tx, { upload, link }))
    return refused ?? 'recorded'
  }
}

/** Whether a chunk is the whole content of a small drop. */
function isSmallWhole(upload: Upload, { offset, checksum }: WrittenChunk): upload is DropUpload {
  return isSmallDrop(upload) && offset === 0 && checksum === upload.ciphertextHash
}

/** What can refuse a chunk: the owner, and for the last chunk of a guest its link. */
async function judgesOf(
  tx: WriteTx,
  upload: Upload,
  isLast: boolean,
): Promise<{ readonly owner: AccountStanding | undefined; readonly link?: Link }> {
  if (!isLast || upload.assetId !== undefined) return { owner: await tx.accounts.standing(upload.accountId) }
  return (await tx.links.findWithOwner(upload.opaqueId)) ?? { owner: undefined }
}
