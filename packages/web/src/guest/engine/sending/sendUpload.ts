/** Sends a prepared file until it lands. */
import type { Environment } from '@blindkeep/client/environment'
import {
  createSendTurns,
  type LinkParts,
  type SendProgress,
  type SendState,
  send,
  type UploadLink,
  withPassphrase,
} from '@blindkeep/client/guest'
import type { DropCustody } from '@blindkeep/client/receipts'
import type { Entries, Entry } from '../entries/entries.ts'
import { become } from '../entries/phases.ts'
import type { Passphrase } from '../link/passphrase.ts'
import type { Requirements } from '../link/requirements.ts'
import { landedFileOf } from '../receipts/landedFiles.ts'
import type { SentFiles } from '../receipts/sentFiles.ts'
import type { GuestStore } from '../store/guestStore.ts'
import type { LockedUploads } from '../store/lockedUploads.ts'
import type { UploadWork } from './prepareUpload.ts'

export interface SendUploadOptions {
  readonly linkId: string
  readonly parts: LinkParts
  readonly entries: Entries
  readonly uploads: LockedUploads
  readonly store: GuestStore
  readonly passphrase: Passphrase
  readonly sent: SentFiles
  readonly requirements: Pick<Requirements, 'hasWrongContent'>
  /** `onSent` is called with the bytes of the current chunk that are sent so far. */
  readonly environmentFor: (onSent: (bytes: number) => void) => Environment
  /** Undefined while the link is not open. */
  readonly link: () => UploadLink | undefined
  readonly onLanded: (id: string, custody: DropCustody) => void
}

export function createSendUpload(options: SendUploadOptions) {
  const { linkId, parts, entries, uploads, store, passphrase, sent, environmentFor, link, onLanded } = options
  const environment = environmentFor(() => undefined)
  const turns = createSendTurns()

  /** The state with the newest passphrase, unless a session exists already. */
  async function stateToSend({ id, state }: Entry): Promise<SendState> {
    if (state === undefined) throw new Error('a file is sent only after it has been sealed')
    const spelling = passphrase.spellingUnlessUsedFor(id)
    if (state.uploadId !== undefined || spelling === undefined) return state
    const changed = await withPassphrase(state, { link: parts, passphrase: spelling }, environment)
    passphrase.wasUsedFor(id, spelling)
    return changed
  }

  /** `before`: the most that the server ever had of the file. */
  function report(id: string, { phase, bytes, trouble }: SendProgress, before: number): void {
    const entry = entries.get(id)
    if (phase === 'landed' || entry === undefined) return
    const { sentBytes, troubledSince = Number(environment.now()) } = entry
    const hasGrown = bytes > sentBytes
    // Without a connection the client does not know what an earlier try has sent.
    entries.change(id, become.progressed(phase, trouble === undefined ? bytes : sentBytes, entry))
    if (trouble !== undefined) entries.change(id, become.troubled({ reason: trouble, since: troubledSince }))
    else if (bytes > before || phase === 'finishing') entries.change(id, become.untroubled())
    if (hasGrown) void store.putSentBytes(id, bytes)
  }

  /** Bytes that are on their way prove a connection, and no more. */
  function reportInFlight(id: string, bytes: number): void {
    const { inFlightBytes = 0, failure } = entries.get(id) ?? {}
    if (bytes > inFlightBytes) entries.change(id, { inFlightBytes: bytes })
    if (bytes > 0 && failure === 'no_connection') entries.change(id, become.untroubled())
  }

  return async ({ entry, source, signal }: UploadWork): Promise<void> => {
    const { id } = entry
    let mostBytes = entry.sentBytes
    let isAnswered = false
    entries.change(id, become.sending())
    const state = await stateToSend(entry)
    await uploads.save(entry, state)
    entries.change(id, { state })
    const landed = await send({
      state,
      source,
      signal,
      turns,
      environment: environmentFor((bytes) => reportInFlight(id, bytes)),
      onProgress: (progress) => {
        // A file that waits for its turn begins again. The first report comes before the server has said what it has.
        if (progress.trouble === 'little_room') mostBytes = 0
        if (isAnswered || progress.trouble !== undefined) report(id, progress, mostBytes)
        isAnswered = true
        mostBytes = Math.max(mostBytes, progress.bytes)
      },
      onState: async (changed) => {
        const isReserved = changed.uploadId !== undefined
        if (isReserved) passphrase.wasAccepted()
        entries.change(id, { state: changed, isReserved })
        await uploads.save(entry, changed)
      },
    })
    const isSingleUse = link()?.limits.singleUse
    const file = landedFileOf({
      linkId,
      upload: entry,
      state,
      landed,
      landedAt: Number(environment.now()),
      isSingleUse,
    })
    await uploads.land(file)
    entries.change(id, { ...become.landed(file), hasKey: sent.keep(id, { state, source }) })
    onLanded(id, file.custody)
  }
}
