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
import { isRefusal, type Refuses } from '../refusals.ts'
import { giveUpPart, type WrittenChunk } from './chunkWrite.ts'
import { findUpload } from './findUpload.ts'
import { claimLink, type FinishAnswer, type Finishing, type FinishingRefusal } from './finishing.ts'
import type { Landing } from './landing.ts'
import type { StagedBytes } from './staged.ts'

export interface ChunkRecordPorts {
  readonly store: Store
  readonly clock: Clock
  readonly staged: StagedBytes
  readonly finishing: Finishing
  readonly landing: Pick<Landing, 'landAtOnce'>
}

export type RecordRefusal = Refuses<
  'chunk_misplaced' | 'upload_not_found' | 'account_suspended' | 'storage_unavailable'
>

type RecordingRefusal = Refuses<'chunk_misplaced' | 'upload_not_found' | 'account_suspended'> | FinishingRefusal

export function createChunkRecord({ store, clock, staged, finishing, landing }: ChunkRecordPorts) {
  /**
   * The session stays open until the commit. If that may still take effect after it failed, a request must not be able to write over the bytes meanwhile:
   * with keys none can.
   */
  const mayLandAtOnce = ({ key }: WrittenChunk) => key !== undefined || !store.mayLoseOutcome

  return async function record(upload: Upload, chunk: WrittenChunk): Promise<FinishAnswer | RecordRefusal> {
    const { uploadId } = upload
    const end = chunk.offset + chunk.length
    const isLast = end === upload.size
    // The bytes are durable before the row says so: a start after a power cut trusts the bytes of a finishing upload.
    if (isLast) {
      const failure = await finishing.settle(upload)
      if (failure !== undefined) return failure
    }
    if (isSmallWhole(upload, chunk) && mayLandAtOnce(chunk)) {
      const landed = await landAtOnce(upload, chunk)
      if (landed !== undefined) return landed
    }
    // The account's lock would make every chunk of an account wait for the others. One statement judges and records a chunk; the last one judges more.
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

  /** Undefined if this transaction cannot record the chunk: then the usual way finds out why. */
  async function landAtOnce(upload: DropUpload, chunk: WrittenChunk): Promise<FinishAnswer | undefined> {
    try {
      await landing.landAtOnce(upload, async (tx) => {
        if ((await recordIn(tx, upload, chunk)) !== 'recorded') throw new NotRecorded()
      })
      return { offset: upload.size }
    } catch (error) {
      if (error instanceof NotRecorded) return undefined
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
    // Checked again, because the chunk may have taken long to arrive. The guest of a suspended owner gets the answer of an unknown upload.
    const lease = offset + length === upload.size ? finishing.leaseFrom(at) : undefined
    const [{ owner, link }, isAppended] = await Promise.all([
      judgesOf(tx, upload, lease !== undefined),
      tx.uploads.append(uploadId, { offset, length, checksum, key }, at, lease),
    ])
    if (owner?.suspendedAt !== undefined)
      return { refused: upload.assetId === undefined ? 'upload_not_found' : 'account_suspended' }
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

class NotRecorded extends Error {}

/** If such a drop does not land, sending it again costs less than a state that says what is left to do. */
const MAX_SMALL_BYTES = 64 * 1024

/** Whether a chunk is the whole content of a small drop. */
function isSmallWhole(upload: Upload, { offset, checksum }: WrittenChunk): upload is DropUpload {
  const { assetId, size, ciphertextHash } = upload
  return assetId === undefined && offset === 0 && size <= MAX_SMALL_BYTES && checksum === ciphertextHash
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
