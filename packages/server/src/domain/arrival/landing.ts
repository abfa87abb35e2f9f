/** Lands a finishing upload of right bytes: as a drop or as an asset's blob, with a receipt. */
import { type DropId, type Instant, parseDropId, type UploadId } from '@blindkeep/protocol/ids'
import type { Random } from '../../ports/random.ts'
import {
  type AssetUpload,
  type DropUpload,
  type Link,
  OutcomeUnknown,
  type Store,
  type StoredChunk,
  type Upload,
  type UploadFailure,
  type WriteTx,
} from '../../ports/store.ts'
import { type AssetBlobs, judgeLanding, type LandRefusal, SlotLost } from '../assets/assetBlobs.ts'
import { DEVICE_GONE } from '../assets/manifest.ts'
import type { CheckProvenance } from '../assets/provenance.ts'
import { noteChange, noteLinkChange } from '../changes/changes.ts'
import { LandingsRefused, type LandTogether } from '../custody/receiptBatches.ts'
import type { ReceiptLog } from '../custody/receipts.ts'
import type { OpenedSessions } from '../drops/openedSessions.ts'
import { isReachable } from '../ground/activeAccount.ts'
import { newId } from '../ground/newId.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { RowBudget } from '../quota/rowBudget.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'

/** The chunk that is all of an upload, with its declared checksum. */
type WholeChunk = Pick<StoredChunk, 'key'>

export interface DropLanding {
  /** Finishing; or open, with a `whole` chunk that is not recorded yet. */
  readonly upload: DropUpload
  readonly dropId: DropId
  readonly whole: WholeChunk | undefined
}

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

/** If such a drop does not land, sending it again costs less than a state that says what is left to do. */
const MAX_SMALL_BYTES = 64 * 1024

/** Whether a chunk that is the whole of the upload lands at once. */
export function isSmallDrop(upload: Upload): upload is DropUpload {
  return upload.assetId === undefined && upload.size <= MAX_SMALL_BYTES
}

export interface Landing {
  /** Undefined when the upload has landed. Otherwise the caller fails the upload. */
  land(upload: Upload): Promise<Refuses<UploadFailure> | undefined>
  /**
   * Lands an open upload of a guest with the chunk that is all of it: chunk, landing and receipt are one transaction.
   * Throws `NotWhole`, and nothing has changed, if that cannot be done.
   */
  landAtOnce(upload: DropUpload, chunk: WholeChunk): Promise<void>
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

/** Some uploads are not open and empty, or their links or owners take nothing. */
export class NotWhole extends LandingsRefused {}

/** Puts drops into inboxes in their receipts' transaction. Throws `NotWhole` if a `whole` chunk cannot be recorded. */
export function createLandDrops({ ending }: { readonly ending: UploadEnding }): LandTogether<DropLanding> {
  return async function landDrops(tx, landings, at) {
    // A refusal undoes the notes, too.
    await Promise.all([
      landUploads(tx, landings, at),
      ...landings.map(({ upload: { accountId, opaqueId }, dropId }) =>
        noteChange(tx, accountId, { name: 'drop.landed', dropId, opaqueId }, at),
      ),
      ...landings.map(({ upload }) => noteLinkChange(tx, upload, at)),
    ])
    const [spent, areKept] = await Promise.all([
      tx.links.land(byLink(landings), at),
      tx.objects.keep(
        landings.map(({ upload }) => upload.location),
        at,
      ),
      tx.drops.insert(...landings.map((landing) => dropOf(landing, at))),
    ])
    if (!areKept) throw new Error('the object of a landing drop was not staged')
    for (const opaqueId of spent) await ending.endOpenOfLink(tx, opaqueId, at)
  }
}

async function landUploads(tx: WriteTx, landings: readonly DropLanding[], at: Instant): Promise<void> {
  const whole = landings.flatMap(({ upload, whole }) => (whole === undefined ? [] : { ...upload, ...whole }))
  if (whole.length > 0) {
    const [landed, taken] = await Promise.all([tx.uploads.landWhole(whole, at), takenByLinks(tx, whole)])
    const refused = landings.filter(
      ({ whole, upload: { uploadId } }) =>
        whole !== undefined && !(landed.includes(uploadId) && taken.includes(uploadId)),
    )
    if (refused.length > 0) throw new NotWhole(refused)
  }
  const finishing = landings.filter(({ whole }) => whole === undefined)
  const moved = finishing.map(({ upload: { uploadId } }) =>
    tx.uploads.move(uploadId, { from: 'finishing', to: 'landed', at }),
  )
  if ((await Promise.all(moved)).includes(false))
    throw new Error('a session left the finishing state without a receipt')
}

/** What the owners and the links do not refuse. */
async function takenByLinks(tx: WriteTx, uploads: readonly DropUpload[]): Promise<readonly UploadId[]> {
  const ofLinks = Map.groupBy(uploads, ({ opaqueId }) => opaqueId)
  const taken: UploadId[] = []
  for (const { owner, ...link } of await tx.links.takers([...ofLinks.keys()])) {
    if (!isReachable(owner)) continue
    for (const upload of ofLinks.get(link.opaqueId) ?? [])
      if ((await claimLink(tx, { upload, link })) === undefined) taken.push(upload.uploadId)
  }
  return taken
}

function byLink(landings: readonly DropLanding[]) {
  const ofLinks = Map.groupBy(landings, ({ upload }) => upload.opaqueId)
  return [...ofLinks].map(([opaqueId, theirs]) => ({
    opaqueId,
    files: theirs.length,
    bytes: theirs.reduce((sum, { upload }) => sum + upload.size, 0),
  }))
}

function dropOf({ upload, dropId }: DropLanding, receivedAt: Instant) {
  const { accountId, opaqueId, uploadId, ciphertextHash, size, contentType, kemCt, suggestedFilename, location } =
    upload
  const file = { uploadId, ciphertextHash, size, contentType, kemCt, suggestedFilename, location }
  return { dropId, accountId, opaqueId, ...file, receivedAt, leasedUntil: undefined }
}

/** `sibling_finishing`: another upload of the same single-use link is finishing. */
export type FinishingRefusal =
  | Refuses<'upload_not_found'>
  | { readonly refused: 'sibling_finishing'; readonly uploadId: UploadId }

/**
 * Part of the transaction that moves an upload to finishing; `link` is the guest's, as this transaction reads it. Of a
 * single-use link's uploads only one may be finishing: the next one waits until that one has landed or failed, so that
 * no receipt is ever signed for a drop that then may not land.
 */
export async function claimLink(
  tx: WriteTx,
  { upload, link }: { readonly upload: Upload; readonly link: Pick<Link, 'opaqueId' | 'singleUse' | 'claimedBy'> },
): Promise<FinishingRefusal | undefined> {
  if (!link.singleUse || (await tx.links.claim(link.opaqueId, upload.uploadId))) return undefined
  return link.claimedBy === undefined
    ? { refused: 'upload_not_found' }
    : { refused: 'sibling_finishing', uploadId: link.claimedBy }
}
