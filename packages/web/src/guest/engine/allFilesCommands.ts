/** The guest's commands for all files together. */
import type { Message } from '../ground/messages.ts'
import type { EngineParts } from './engineParts.ts'
import type { Entry } from './entries/entries.ts'
import { retryOf } from './entries/failures.ts'
import { become, resumeEntry } from './entries/phases.ts'
import type { FileCommands } from './fileCommands.ts'
import { type ReceiptDocument, receiptDocument } from './receipts/receiptDocument.ts'

export interface AllFilesCommands {
  /** Sends the chosen files that fit. */
  send(message: Message, passphrase: string | undefined): void
  /** What the guest has typed for the owner so far. */
  write(message: Message): void
  givePassphrase(passphrase: string): void
  pauseAll(): void
  resumeAll(): void
  retryAll(): Promise<void>
  removeUnfit(): void
  forgetLanded(): Promise<void>
  /** The guest does not want to send what was not begun in earlier visits. */
  discardNeverBegun(): void
  /** The receipts of one file, or of all files. Undefined when there is no receipt. */
  receiptDocument(id?: string): Promise<ReceiptDocument | undefined>
  /** The browser is online again, or the guest is back: ends all back-offs and retries now. */
  wake(): void
}

export function createAllFilesCommands(parts: EngineParts, { retry }: FileCommands): AllFilesCommands {
  const {
    linkId,
    serverUrl,
    store,
    entries,
    uploads,
    passphrase,
    receipts,
    proofs,
    planned,
    rate,
    batches,
    visit,
    draft,
    remarks,
  } = parts
  const { onChange, endWaits } = parts

  function resumeWhere(isMeant: (entry: Entry) => boolean): void {
    for (const entry of entries.all()) if (isMeant(entry)) resumeEntry(entries, entry)
  }

  return {
    send(message, text) {
      const chosen = [...entries.all()].filter(({ phase }) => phase === 'chosen')
      // A file of an earlier go that is chosen again keeps its place there.
      const newBatch = batches.begin(chosen.filter(({ batch }) => batch === undefined).length)
      let place = 0
      draft.write(message)
      // The remark was about the choice that the guest has now sent.
      remarks.takeFiles()
      if (text !== undefined) passphrase.set(text)
      for (const { id, batch } of chosen)
        entries.change(id, become.submitted(message, batch ?? newBatch.batchAt(place++)))
      rate.restart()
      uploads.pump()
    },
    write: draft.write,
    givePassphrase(text) {
      passphrase.set(text)
      resumeWhere(({ isBackingOff }) => isBackingOff)
      uploads.pump()
    },
    pauseAll() {
      visit.isPaused = true
      for (const { id, phase } of entries.all())
        if (phase === 'waiting' || phase === 'preparing' || phase === 'sending') uploads.pause(id)
      onChange()
    },
    resumeAll() {
      visit.isPaused = false
      resumeWhere(({ phase }) => phase === 'paused')
      rate.restart()
      uploads.pump()
      onChange()
    },
    async retryAll() {
      for (const { id, phase, failure } of [...entries.all()])
        if (phase === 'failed' && retryOf(failure) === 'resume') await retry(id)
    },
    removeUnfit() {
      for (const { id, phase } of [...entries.all()]) if (phase === 'unfit') entries.remove(id)
    },
    async forgetLanded() {
      draft.forget()
      proofs.forget()
      await store.forgetLanded(linkId)
      for (const { id, phase } of [...entries.all()]) if (phase === 'landed') entries.remove(id)
    },
    discardNeverBegun: planned.removeAll,
    async receiptDocument(id) {
      const files = [...entries.all()].flatMap(({ landed }) => landed ?? [])
      const wanted = id === undefined ? files : files.filter((file) => file.id === id)
      return receiptDocument(wanted, await receipts.pins(serverUrl))
    },
    wake() {
      endWaits()
      resumeWhere(({ isBackingOff }) => isBackingOff)
      uploads.pump()
    },
  }
}
