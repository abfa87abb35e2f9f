/** Prepares a file: seals it for the link, or compares it with the upload that it continues. */
import { chosenDateText } from '@blindkeep/client/fileDate'
import {
  type PrepareOptions,
  requireSamePlaintext,
  type SendProgress,
  type SendState,
  type UploadLink,
} from '@blindkeep/client/guest'
import type { Source } from '@blindkeep/client/source'
import type { Entries, Entry } from '../entries/entries.ts'
import { become } from '../entries/phases.ts'
import { sealedNameOf } from '../files/sealedName.ts'
import type { Passphrase } from '../link/passphrase.ts'
import type { Requirements } from '../link/requirements.ts'
import type { LockedUploads } from '../store/lockedUploads.ts'

export interface UploadWork {
  readonly entry: Entry
  readonly source: Source
  readonly signal: AbortSignal
}

interface PrepareUploadOptions {
  readonly entries: Entries
  readonly uploads: LockedUploads
  /** Undefined while the link is not open. */
  readonly link: () => UploadLink | undefined
  readonly passphrase: Passphrase
  readonly requirements: Pick<Requirements, 'hasWrongContent'>
}

export function createPrepareUpload({ entries, uploads, link, passphrase, requirements }: PrepareUploadOptions) {
  async function seal(
    { entry, source, signal }: UploadWork,
    options: Pick<PrepareOptions, 'passphrase' | 'onProgress'>,
  ) {
    const { type, message, batch } = entry
    const opened = link()
    if (opened === undefined) throw new Error('a file is sealed only for an open link')
    return opened.prepare({
      source,
      name: sealedNameOf(entry),
      type: type === '' ? undefined : type,
      note: message.note === '' ? undefined : message.note,
      sender: message.sender === '' ? undefined : message.sender,
      modifiedAt: chosenDateText(entry),
      fields: message.answers,
      batch,
      signal,
      ...options,
    })
  }

  async function sealAndLock(work: UploadWork, onProgress: (progress: SendProgress) => void): Promise<SendState> {
    const { id } = work.entry
    const spelling = passphrase.spelling()
    const state = await seal(work, { passphrase: spelling, onProgress })
    await uploads.lock(id)
    work.signal.throwIfAborted()
    await uploads.save(work.entry, state)
    passphrase.wasUsedFor(id, spelling)
    return state
  }

  return async (work: UploadWork): Promise<void> => {
    const { id, name, state } = work.entry
    const onProgress = ({ bytes, of }: SendProgress) => entries.change(id, { preparedBytes: bytes, totalBytes: of })
    entries.change(id, become.preparing())
    if (state === undefined && (await requirements.hasWrongContent(name, work.source)))
      return entries.change(id, { ...become.heldBack('wrong_content'), looksWrong: true })
    if (state === undefined) return entries.change(id, become.prepared(await sealAndLock(work, onProgress)))
    await requireSamePlaintext({ state, source: work.source, signal: work.signal, onProgress })
    entries.change(id, become.compared())
  }
}
