/** Lands a finishing upload whose bytes are right: a guest's as a drop, an owner's as a blob of its asset, either with its receipt. */
import { parseDropId } from '@blindkeep/protocol/ids'
import type { Random } from '../../ports/random.ts'
import {
  type AssetUpload,
  type DropUpload,
  OutcomeUnknown,
  type Store,
  type Upload,
  type UploadFailure,
  type WriteTx,
} from '../../ports/store.ts'
import { type AssetBlobs, judgeLanding, type LandRefusal, SlotLost } from '../assets/assetBlobs.ts'
import { DEVICE_GONE } from '../assets/manifest.ts'
import type { CheckProvenance } from '../assets/provenance.ts'
import type { ReceiptLog } from '../custody/receipts.ts'
import type { LandDrop } from '../drops/landDrop.ts'
import type { OpenedSessions } from '../drops/openedSessions.ts'
import { newId } from '../newId.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import type { UploadEnding } from './uploadEnding.ts'

interface LandingPorts {
  readonly store: Store
  readonly random: Random
  readonly receiptLog: ReceiptLog
  readonly ending: UploadEnding
  readonly landDrop: LandDrop
  readonly opened: Pick<OpenedSessions, 'landed'>
  readonly assetBlobs: AssetBlobs
  readonly checkProvenance: CheckProvenance
}

/** Undefined when the upload has landed. Otherwise the caller fails the upload. */
export type Land = (upload: Upload) => Promise<Refuses<UploadFailure> | undefined>

/**
 * Lands an open upload of a guest, without a state in between: `enter` moves it to finishing in the transaction that appends the receipt. What `enter` throws is
 * thrown, and nothing has changed then.
 */
export type LandAtOnce = (upload: DropUpload, enter: (tx: WriteTx) => Promise<void>) => Promise<void>

export interface Landing {
  readonly land: Land
  readonly landAtOnce: LandAtOnce
}

export function createLanding({
  store,
  random,
  receiptLog,
  ending,
  landDrop,
  opened,
  assetBlobs,
  checkProvenance,
}: LandingPorts): Landing {
  async function landGuests(upload: DropUpload, enter?: (tx: WriteTx) => Promise<void>): Promise<undefined> {
    const dropId = newId(random, parseDropId)
    const { uploadId, accountId, ciphertextHash, size } = upload
    let ended: readonly Upload[] = []
    await receiptLog.append({
      accountId,
      subject: { uploadId, dropId, blobRole: 'original', ciphertextHash, size },
      async commit(tx, receipt) {
        await enter?.(tx)
        ended = await landDrop(tx, { upload, dropId, receivedAt: receipt.receivedAt })
      },
    })
    ending.afterCommit(ended)
    await opened.landed(upload)
  }

  /**
   * Judges device and slot before the manifest, because the manifest is compared with the asset's present original. Both are judged again
   * in the transaction that appends the receipt: that judgement counts.
   */
  async function landOwners(upload: AssetUpload): Promise<Refuses<UploadFailure> | undefined> {
    const { uploadId, accountId, assetId, role, ciphertextHash, size } = upload
    const refused = await store.read((tx) => judgeLanding(tx, upload))
    if (refused !== undefined) return failureOf(refused)
    const checked = role === 'provenance' ? await checkProvenance(upload) : {}
    if (isRefusal(checked)) return checked
    let ended: readonly Upload[] = []
    try {
      await receiptLog.append({
        accountId,
        subject: { uploadId, assetId, blobRole: role, ciphertextHash, size, ...checked },
        async commit(tx, receipt) {
          ended = await assetBlobs.land(tx, upload, receipt.receivedAt)
        },
      })
    } catch (error) {
      if (error instanceof SlotLost) return failureOf(error.refusal)
      throw error
    }
    ending.afterCommit(ended)
    return undefined
  }

  return {
    land: (upload) => (upload.assetId === undefined ? landGuests(upload) : landOwners(upload)),
    async landAtOnce(upload, enter) {
      try {
        await landGuests(upload, enter)
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) throw error
        const present = await store.read((tx) => tx.uploads.find(upload.uploadId)).catch(() => undefined)
        if (present?.state !== 'landed') throw error
      }
    },
  }
}

/** A failed upload has no reason of its own for a full asset, which counts as a taken id, nor for a revoked device: its manifest does not count. */
function failureOf(refusal: LandRefusal): Refuses<'asset_id_taken' | 'manifest_stale' | 'manifest_mismatch'> {
  switch (refusal.refused) {
    case 'limit_reached':
      return { refused: 'asset_id_taken' }
    case 'device_not_authorized':
      return { refused: 'manifest_mismatch', detail: DEVICE_GONE }
    default:
      return refusal
  }
}
