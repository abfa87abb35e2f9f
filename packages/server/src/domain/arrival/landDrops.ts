import type { DropId, Instant, UploadId } from '@blindkeep/protocol/ids'
import type { DropUpload, StoredChunk, WriteTx } from '../../ports/store.ts'
import { noteChange, noteLinkChange } from '../changes/changes.ts'
import { LandingsRefused, type LandTogether } from '../custody/receiptBatches.ts'
import { isReachable } from '../ground/activeAccount.ts'
import { claimLink } from '../uploads/claimLink.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'

/** The chunk that is all of an upload, with its declared checksum. */
export type WholeChunk = Pick<StoredChunk, 'key'>

export interface DropLanding {
  /** Finishing; or open, with a `whole` chunk that is not recorded yet. */
  readonly upload: DropUpload
  readonly dropId: DropId
  readonly whole: WholeChunk | undefined
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
