/** Builds the stored record of a landed file, and adds landed files of earlier visits and other tabs to the entries. */
import { addressOf } from '@blindkeep/client/call'
import type { Landed, SendState } from '@blindkeep/client/guest'
import type { Entries } from '../entries/entries.ts'
import type { FileIdentity } from '../files/fileIdentity.ts'
import type { LandedFile } from '../store/guestStore.ts'
import { signedFactsOf } from './receipts.ts'

interface Landing {
  readonly linkId: string
  readonly upload: FileIdentity & { readonly id: string }
  readonly state: SendState
  readonly landed: Landed
  /** Milliseconds since 1970. */
  readonly landedAt: number
  /** The link takes one file. Absent where its last answer is of an earlier visit. */
  readonly isSingleUse?: boolean | undefined
}

export function landedFileOf({ linkId, upload, state, landed, landedAt, isSingleUse }: Landing): LandedFile {
  const { id, name, folder, size, lastModified } = upload
  const custody = { ...landed, ...addressOf(state), opaqueId: state.opaqueId }
  return {
    id,
    linkId,
    name,
    folder,
    size,
    lastModified,
    landedAt,
    custody,
    ...(isSingleUse === true && { usedUpLink: true }),
  }
}

interface Adding {
  /** Another tab has sent it since this page was opened: to the guest, it belongs to what is being sent now. */
  readonly isOfThisVisit: boolean
  /** Called when the receipt is not stored. */
  readonly onMissingReceipt: (file: LandedFile) => void
}

/** A file that this tab sends stays as it is, unless another tab was sending it. */
export function addLandedFile(entries: Entries, file: LandedFile, { isOfThisVisit, onMissingReceipt }: Adding): void {
  const { id, name, folder, size, lastModified, custody, receipt } = file
  const before = entries.get(id)
  if (before !== undefined && before.failure !== 'other_tab') return
  if (before !== undefined) entries.remove(id)
  entries.add({
    ...{ id, name, folder, size, lastModified, phase: 'landed', landed: file },
    ...{ totalBytes: custody.size, sentBytes: custody.size },
    ...(!isOfThisVisit && { landedAt: receipt?.received_at ?? new Date(file.landedAt).toISOString() }),
    receipt: receipt === undefined ? { is: 'fetching' } : { is: 'checked', signed: signedFactsOf(receipt) },
  })
  if (receipt === undefined) onMissingReceipt(file)
}
