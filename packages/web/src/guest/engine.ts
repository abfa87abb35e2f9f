/** All of the guest page but its drawing: does what the page asks, and says what there is to draw. */

import type { Environment } from '@blindkeep/client/environment'
import type { LinkParts } from '@blindkeep/client/guest'
import { SourceChanged } from '@blindkeep/client/source'
import { toHex } from '@blindkeep/protocol/bytes'
import { createAdmission } from './admission.ts'
import { createEarlier } from './earlier.ts'
import { createEntries, type Entry } from './entries.ts'
import { retryOf } from './failures.ts'
import type { Keep } from './keep.ts'
import { createLinkOpening } from './linkOpening.ts'
import type { ChosenFile, Message, Snapshot } from './messages.ts'
import { createPassphrase } from './passphrase.ts'
import { rateAfter, secondsLeft, startRate } from './rate.ts'
import { type ReceiptDocument, receiptDocument } from './receiptDocument.ts'
import { createReceipts } from './receipts.ts'
import { viewOf } from './snapshot.ts'
import type { TabLocks } from './tabLocks.ts'
import { createUploads } from './uploads.ts'
import { createWakingWait } from './wakingWait.ts'

const ID_BYTES = 16

export interface GuestEngine {
  snapshot(): Snapshot
  /** Something moves by itself, so that the time left changes. */
  isBusy(): boolean
  /** `unread`: names of what was chosen with them and could not be read. */
  add(files: readonly ChosenFile[], unread?: readonly string[]): Promise<void>
  send(message: Message, passphrase: string | undefined): void
  givePassphrase(passphrase: string): void
  pause(id: string): void
  resume(id: string): void
  /** Goes on, begins again, or takes the changed file for a new one: whatever its failure asks for. */
  retry(id: string): Promise<void>
  cancel(id: string): Promise<void>
  remove(id: string): Promise<void>
  /** Of an upload of an earlier visit. */
  discard(id: string): Promise<void>
  pauseAll(): void
  resumeAll(): void
  retryAll(): Promise<void>
  removeUnfit(): void
  forgetLanded(): Promise<void>
  fetchReceipt(id: string): void
  /** Of one file or of all; nothing when none is there. */
  receiptDocument(id?: string): Promise<ReceiptDocument | undefined>
  askAgain(): Promise<void>
  /** What waits for another try need not wait longer. */
  wake(): void
}

export interface GuestEngineOptions {
  readonly parts: LinkParts
  readonly environment: Environment
  /** Sends chunks, and tells how much of one has gone. */
  readonly uploadFetch: (onSent: (bytes: number) => void) => typeof fetch
  readonly keep: Keep
  readonly locks: TabLocks
  readonly onChange: () => void
}

/** Has read what is kept when it resolves; the link is being asked about. */
export async function openGuestEngine(options: GuestEngineOptions): Promise<GuestEngine> {
  const { parts, keep, locks, onChange } = options
  const waking = createWakingWait(options.environment.wait)
  const environment = { ...withOneProof(options.environment), wait: waking.wait }
  const linkId = `${parts.baseUrl} ${parts.opaqueId}`
  let isPaused = false
  let message: Message = { note: '', sender: '' }
  let movedBytes = 0
  let rate = startRate(environment.elapsedMs())

  const entries = createEntries((before, after) => {
    movedBytes += movedBetween(before, after)
    onChange()
  })
  const passphrase = createPassphrase(onChange)
  const link = createLinkOpening({ parts, environment, onChange: onLink })
  const receipts = createReceipts({
    environment,
    keep,
    onStanding: (id, receipt) => entries.change(id, { receipt }),
    onReceipt(id, receipt) {
      const { landed, landedAt } = entries.get(id) ?? {}
      if (landed === undefined) return
      // When it came while nobody looked, only the signature says when that was.
      const signedAt = landedAt === undefined ? undefined : receipt.received_at
      entries.change(id, { landed: { ...landed, receipt }, landedAt: signedAt })
    },
  })
  const uploads = createUploads({
    linkId,
    entries,
    environmentFor: (onSent) => ({ ...environment, fetch: options.uploadFetch(onSent) }),
    keep,
    locks,
    link: () => (link.standing().is === 'open' ? link.opened() : undefined),
    passphrase,
    maySend: () => !isPaused && !isKeySwapped(),
    refuseWhatWaits,
    onLanded: receipts.fetch,
    onLinkChanged: () => void link.ask(),
  })
  const earlier = createEarlier({
    ...{ linkId, entries, environment, keep, locks, onChange },
    takeOver: uploads.takeOver,
    onReady: uploads.pump,
    onLandedEarlier: ({ id, custody }) => receipts.fetch(id, custody),
  })
  const admission = createAdmission({
    ...{ entries, earlier, onChange },
    standing: link.standing,
    newId: () => toHex(environment.randomBytes(ID_BYTES)),
    takeOver: uploads.takeOver,
  })

  function isKeySwapped(): boolean {
    const standing = link.standing()
    return standing.is === 'refused' && standing.fault === 'key_swapped'
  }

  function onLink(): void {
    const standing = link.standing()
    if (standing.is === 'open') {
      passphrase.require(link.opened()?.limits.passphraseRequired === true)
      // What the server says is left counts every session that it has.
      for (const { id, isReserved } of entries.all()) if (isReserved) entries.change(id, { isReserved: false })
    }
    admission.judge()
    uploads.pump()
    onChange()
  }

  /** Once nothing can be begun any more; what has a session goes on, unless the server was caught. */
  function refuseWhatWaits(): void {
    const standing = link.standing()
    if (standing.is !== 'refused' || standing.isRetrying) return
    const failure = isKeySwapped() ? 'key_swapped' : 'link_closed'
    for (const { id, phase, state } of entries.all()) {
      if (isKeySwapped() && (phase === 'preparing' || phase === 'sending')) uploads.pause(id)
      const isToBegin = phase === 'waiting' || phase === 'paused'
      const isHopeless = isToBegin && (state?.uploadId === undefined || isKeySwapped())
      if (isHopeless || phase === 'chosen' || phase === 'unfit') entries.change(id, { phase: 'failed', failure })
    }
  }

  /** Whatever it waited for: it may go now. */
  function letGo(entry: Entry | undefined): void {
    if (entry?.phase !== 'paused' && entry?.phase !== 'failed' && entry?.phase !== 'cancelled' && !entry?.isResting)
      return
    entries.change(entry.id, { phase: 'waiting', failure: undefined, isResting: false, isRetrying: false })
  }

  async function retry(id: string): Promise<void> {
    const entry = entries.get(id)
    if (entry?.failure === 'file_changed') {
      entries.change(id, { message })
      return uploads.asNewFile(id)
    }
    if (entry?.phase === 'cancelled') entries.change(id, { message })
    letGo(entry)
    // What was refused for want of room may have some now.
    if (entry?.failure === 'link_full') await link.ask()
    uploads.pump()
  }

  async function remove(id: string): Promise<void> {
    const { phase, failure } = entries.get(id) ?? {}
    if (phase === 'landed') return
    if (failure === 'other_tab') {
      // It is that tab's to give up.
      entries.remove(id)
      return earlier.refresh()
    }
    const hasBegun = phase !== 'cancelled' && phase !== 'chosen' && phase !== 'unfit'
    if (!hasBegun || (await uploads.cancel(id)) === 'done') entries.remove(id)
    admission.judge()
  }

  /** Of an upload of an earlier visit. The server may have all of it already: then it lands, and no byte of the file is asked for. */
  async function discard(id: string): Promise<void> {
    const kept = await earlier.take(id)
    if (kept === undefined) return
    const source = { size: kept.size, read: () => Promise.reject(new SourceChanged()) }
    entries.add({ ...kept, source, of: kept.state.size, phase: 'paused' })
    if ((await uploads.cancel(id)) === 'done') entries.remove(id)
  }

  function snapshot(): Snapshot {
    const { totals, ...view } = viewOf(entries)
    rate = rateAfter(rate, environment.elapsedMs(), movedBytes)
    const isMoving = view.counts.sending > 0 && !totals.isRetrying
    return {
      link: link.standing(),
      passphrase: passphrase.standing(),
      storage: keep.isLasting ? 'kept' : 'refused',
      isPaused,
      ...view,
      totals: { ...totals, secondsLeft: isMoving ? secondsLeft(rate, totals.of - totals.bytes) : undefined },
      unfinished: isKeySwapped() ? [] : earlier.unfinished(),
      remark: admission.remark(),
    }
  }

  keep.onOtherTab(oneAtATime(earlier.refresh))
  await keep.sweep(Number(environment.now()))
  await earlier.refresh()
  void link.ask()
  void earlier.ask()
  return {
    snapshot,
    isBusy: () => entries.count(({ phase }) => phase === 'sending' || phase === 'preparing') > 0,
    async add(files, unread = []) {
      await admission.add(files, unread)
      uploads.pump()
    },
    send(given, text) {
      message = given
      if (text !== undefined) passphrase.give(text)
      for (const { id, phase } of entries.all())
        if (phase === 'chosen') entries.change(id, { phase: 'waiting', message })
      rate = startRate(environment.elapsedMs(), movedBytes)
      uploads.pump()
    },
    givePassphrase(text) {
      passphrase.give(text)
      for (const entry of entries.all()) if (entry.isResting) letGo(entry)
      uploads.pump()
    },
    pause: uploads.pause,
    resume(id) {
      isPaused = false
      letGo(entries.get(id))
      uploads.pump()
    },
    retry,
    async cancel(id) {
      await uploads.cancel(id)
    },
    remove,
    discard,
    pauseAll() {
      isPaused = true
      for (const { id, phase } of entries.all())
        if (phase === 'waiting' || phase === 'preparing' || phase === 'sending') uploads.pause(id)
      onChange()
    },
    resumeAll() {
      isPaused = false
      for (const entry of entries.all()) if (entry.phase === 'paused') letGo(entry)
      rate = startRate(environment.elapsedMs(), movedBytes)
      uploads.pump()
      onChange()
    },
    async retryAll() {
      for (const { id, phase, failure } of [...entries.all()])
        if (phase === 'failed' && retryOf(failure) === 'go_on') await retry(id)
    },
    removeUnfit() {
      for (const { id, phase } of [...entries.all()]) if (phase === 'unfit') entries.remove(id)
    },
    async forgetLanded() {
      await keep.forgetLanded(linkId)
      for (const { id, phase } of [...entries.all()]) if (phase === 'landed') entries.remove(id)
    },
    fetchReceipt(id) {
      const file = entries.get(id)?.landed
      if (file !== undefined) receipts.fetch(id, file.custody)
    },
    async receiptDocument(id) {
      const files = [...entries.all()].flatMap(({ landed }) => landed ?? [])
      const wanted = id === undefined ? files : files.filter((file) => file.id === id)
      return receiptDocument(wanted, await receipts.pins(parts.baseUrl))
    },
    askAgain: link.ask,
    wake() {
      waking.wake()
      for (const entry of entries.all()) if (entry.isResting) letGo(entry)
      uploads.pump()
    },
  }
}

/** Asked for again while it is under way, it is done once more, however often that was: another tab may tell of thousands of files. */
function oneAtATime(work: () => Promise<void>): () => void {
  let isUnderWay = false
  let isAskedAgain = false
  return async () => {
    isAskedAgain = true
    if (isUnderWay) return
    isUnderWay = true
    try {
      while (isAskedAgain) {
        isAskedAgain = false
        await work()
      }
    } finally {
      isUnderWay = false
    }
  }
}

/** A batch of a hundred files has one passphrase, whose proof takes a second to make. */
function withOneProof(environment: Environment): Environment {
  const proofs = new Map<string, ReturnType<Environment['passphraseProof']>>()
  return {
    ...environment,
    passphraseProof(text, opaqueId, options) {
      const proof = proofs.get(text) ?? environment.passphraseProof(text, opaqueId, options)
      proofs.set(text, proof)
      return proof
    },
  }
}

/** Bytes that went over the line; what the server tells of an earlier visit did not. */
function movedBetween(before: Entry | undefined, after: Entry | undefined): number {
  if (before?.phase !== 'sending' || after === undefined) return 0
  return after.sent + after.inFlight - before.sent - before.inFlight
}
