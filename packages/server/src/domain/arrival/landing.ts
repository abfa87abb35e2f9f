/** Lands a finishing upload of right bytes: as a drop or as an asset's blob, with a receipt. */
import { parseDropId } from '@blindkeep/protocol/ids'
import type { Random } from '../../ports/random.ts'
import {
  type AssetUpload,
  type DropUpload,
  OutcomeUnknown,
  type Store,
  type Upload,
  type UploadFailure,
} from '../../ports/store.ts'
import { type AssetBlobs, judgeLanding, type LandRefusal, SlotLost } from '../assets/assetBlobs.ts'
import { DEVICE_GONE } from '../assets/manifest.ts'
import type { CheckProvenance } from '../assets/provenance.ts'
import type { ReceiptLog } from '../custody/receipts.ts'
import type { OpenedSessions } from '../drops/openedSessions.ts'
import { newId } from '../ground/newId.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { RowBudget } from '../quota/rowBudget.ts'
import type { DropLanding, WholeChunk } from './landDrops.ts'

interface LandingPorts {
  readonly store: Store
  readonly random: Random
  readonly receiptLog: ReceiptLog<DropLanding>
  readonly opened: Pick<OpenedSessions, 'landed'>
  readonly notifier: Pick<Notifier, 'landed'>
  readonly assetBlobs: AssetBlobs
  readonly checkProvenance: CheckProvenance
  readonly rowBudget: Pick<RowBudget, 'landed'>
}

/** Undefined when the upload has landed. Otherwise the caller fails the upload. */
export type Land = (upload: Upload) => Promise<Refuses<UploadFailure> | undefined>

/**
 * Lands an open upload of a guest with the chunk that is all of it: chunk, landing and receipt are one transaction.
 * Throws `NotWhole`, and nothing has changed, if that cannot be done.
 */
export type LandAtOnce = (upload: DropUpload, chunk: WholeChunk) => Promise<void>

/** If such a drop does not land, sending it again costs less than a state that says what is left to do. */
const MAX_SMALL_BYTES = 64 * 1024

/** Whether a chunk that is the whole of the upload lands at once. */
export function isSmallDrop(upload: Upload): upload is DropUpload {
  return upload.assetId === undefined && upload.size <= MAX_SMALL_BYTES
}

export interface Landing {
  readonly land: Land
  readonly landAtOnce: LandAtOnce
  /**
   * Resolves when no `landAtOnce` of unknown outcome can still take effect. Answers whether there may have been one.
   * Until then an upload that it has left open may still land with its present bytes, and no chunk may be written
   * over them.
   */
  settled(): Promise<boolean>
}

export function createLanding({
  store,
  random,
  receiptLog,
  opened,
  notifier,
  assetBlobs,
  checkProvenance,
  rowBudget,
}: LandingPorts): Landing {
  async function landGuests(upload: DropUpload, whole?: WholeChunk): Promise<undefined> {
    const dropId = newId(random, parseDropId)
    const { uploadId, accountId, ciphertextHash, size } = upload
    const subject = { uploadId, dropId, blobRole: 'original' as const, ciphertextHash, size }
    await receiptLog.append({ accountId, subject, landing: { upload, dropId, whole } })
    notifier.landed(accountId)
    await opened.landed(upload)
  }

  /**
   * Judges device and slot before the manifest, because the manifest is compared with the asset's present original.
   * Both are judged again in the transaction that appends the receipt: that judgement counts.
   */
  async function landOwners(upload: AssetUpload): Promise<Refuses<UploadFailure> | undefined> {
    const { uploadId, accountId, assetId, role, ciphertextHash, size } = upload
    const refused = await store.read((tx) => judgeLanding(tx, upload))
    if (refused !== undefined) return failureOf(refused)
    const checked = role === 'provenance' ? await checkProvenance(upload) : {}
    if (isRefusal(checked)) return checked
    try {
      await receiptLog.append({
        accountId,
        subject: { uploadId, assetId, blobRole: role, ciphertextHash, size, ...checked },
        commit: (tx, receivedAt) => assetBlobs.land(tx, upload, receivedAt),
      })
    } catch (error) {
      if (error instanceof SlotLost) return failureOf(error.refusal)
      throw error
    }
    await rowBudget.landed(upload)
    return undefined
  }

  /** How many landings had an unknown outcome. One may be left from an earlier process. */
  let unknown = store.mayLoseOutcome ? 1 : 0
  let ended = 0

  async function settled(): Promise<boolean> {
    const present = unknown
    if (ended >= present) return false
    // A landing holds this lock until it has ended, also one whose connection was lost.
    await store.write(['chain'], async () => undefined)
    ended = Math.max(ended, present)
    return true
  }

  return {
    settled,
    land: (upload) => (upload.assetId === undefined ? landGuests(upload) : landOwners(upload)),
    async landAtOnce(upload, chunk) {
      try {
        await landGuests(upload, chunk)
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) throw error
        unknown += 1
        const present = await settled()
          .then(() => store.ask((tx) => tx.uploads.find(upload.uploadId)))
          .catch(() => undefined)
        if (present?.state !== 'landed') throw error
      }
    },
  }
}

/** A full asset fails as a taken id, a revoked device as a manifest that does not count: they have no own reason. */
function failureOf(refusal: LandRefusal): Refuses<'asset_id_taken' | 'manifest_stale' | 'manifest_mismatch'> {
  switch (refusal.refused) {
    case 'limit_reached':
      return { refused: 'asset_id_taken' }
    case 'device_not_authorized':
      return { refused: 'manifest_mismatch', detail: DEVICE_GONE }
    // An album with an upload on its way is not deleted.
    case 'album_not_available':
      return { refused: 'manifest_stale', detail: 'the album is deleted' }
    default:
      return refusal
  }
}
