/** `blindkeep upload`: files and folders of this machine into an album. */
import { createCalls, requireOwnName } from '@blindkeep/client/call'
import type { Owner } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { OwnerFlags } from '../account/profile.ts'
import { retentionOf } from '../account/retaining.ts'
import { signedIn } from '../account/session.ts'
import { chosenAlbum } from '../assets/chosen.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import type { Expiry } from '../ground/options.ts'
import type { Report } from '../ground/report.ts'
import { shown } from '../ground/texts.ts'
import { createOutcomes, type Outcomes } from '../outcomes/outcomes.ts'
import { type ChosenFile, chooseFiles } from '../send/files.ts'
import { sendEach, tellOthers } from '../send/sendEach.ts'
import { type UploadResult, uploadFile } from './uploadFile.ts'

interface UploadFlags extends OwnerFlags {
  readonly album: string
  readonly again?: boolean
  readonly thenDelete?: boolean
  readonly receipts?: string
  readonly retain?: Expiry
}

export async function upload(paths: readonly string[], flags: UploadFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { owner, report } = session
  const { thenDelete = false, again = false, receipts } = flags
  const { albumId: album } = chosenAlbum(await owner.albums(), flags.album)
  const choice = await chooseFiles(paths, session.profile.home)
  const { files } = choice
  if (thenDelete && files.length > 0 && !(await agrees(deletionQuestion(files), flags))) {
    report.problem('Nothing was uploaded, and nothing was deleted.', { event: 'declined' })
    return EXIT.failed
  }
  const until =
    flags.retain && files.length > 0
      ? await retentionOf(owner, { retain: flags.retain, files: files.length }, flags)
      : undefined
  if (until === 'declined') {
    report.problem('Nothing was uploaded.', { event: 'declined' })
    return EXIT.failed
  }
  // Otherwise each file would land before its receipt is refused.
  await requireOwnName(createCalls({ baseUrl: session.server }), 'receipts')
  const device = await session.device()
  return await interruptible(async (signal) => {
    const outcomes = createOutcomes(report)
    const sending = { report, outcomes, signal, again }
    tellOthers(choice, sending)
    const deleted = { count: 0, kept: 0 }
    let reading: Promise<ReadonlySet<AssetId>> | undefined
    const deletedAssets = () => (reading ??= readDeleted(owner, signal))
    const uploading = sendEach(files, sending, async (file, one) => {
      const options = {
        session,
        device,
        album,
        file,
        receipts,
        again,
        deleted: deletedAssets,
        thenDelete,
        retainUntil: until,
        signal,
        ...one,
      }
      const result = await uploadFile(options)
      tellLanded(file, { ...result, retainUntil: until }, report)
      if (result.deletion?.isDeleted === true) deleted.count += 1
      else if (result.deletion !== undefined) tellKept(file, result, outcomes)
      return result
    })
    return await uploading.finally(async () => {
      report.end()
      if (thenDelete) tellDeleted(deleted.count, files.length - deleted.count, report)
      await followAlbums(session, signal)
    })
  })
}

async function readDeleted(owner: Owner, signal: AbortSignal): Promise<ReadonlySet<AssetId>> {
  const deleted = new Set<AssetId>()
  for await (const { changes } of owner.changes({ signal }))
    for (const { assetId, asset } of changes) if (asset === undefined) deleted.add(assetId)
  return deleted
}

function deletionQuestion(files: readonly ChosenFile[]): string {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const [count, each] = files.length === 1 ? ['this file', ''] : [`these ${files.length} files`, 'each ']
  return `Delete ${count} (${sizeText(bytes)}) here, ${each}once the server has proven that it holds it?`
}

function tellLanded(
  { shownAs }: ChosenFile,
  result: UploadResult & { readonly retainUntil: string | undefined },
  report: Report,
): void {
  const { isFromBefore, wasDeleted, assetId, ciphertextHash, size, receiptFile, deletion } = result
  const fact = {
    event: isFromBefore ? 'landed_before' : 'landed',
    path: shownAs,
    asset_id: assetId,
    ciphertext_hash: ciphertextHash,
    size,
    receipt_file: deletion?.receiptFile ?? receiptFile,
    deleted: deletion?.isDeleted,
    deleted_since: wasDeleted,
    retained_until: wasDeleted === true ? undefined : result.retainUntil,
  }
  const landed = isFromBefore
    ? `${shown(shownAs)} had landed before${wasDeleted === true ? ', and was deleted from the account since' : ''}. --again sends it again.`
    : `${shown(shownAs)} has landed.`
  report.result(deletion?.isDeleted === true ? `${landed} It is deleted here.` : landed, fact)
}

function tellKept({ shownAs }: ChosenFile, { assetId, deletion }: UploadResult, outcomes: Outcomes): void {
  for (const { reason, message } of deletion?.reasons ?? []) {
    const failure = { message: `It is kept here. ${message}`, reason, exit: deletion?.exit ?? EXIT.failed }
    outcomes.fail(shownAs, { event: 'kept', path: shownAs, asset_id: assetId }, failure)
  }
}

function tellDeleted(deleted: number, kept: number, report: Report): void {
  const text = `${countText(deleted, 'file is', 'files are')} deleted here, ${countText(kept, 'is', 'are')} kept.`
  report.result(text, { event: 'deleted_here', deleted, kept })
}
