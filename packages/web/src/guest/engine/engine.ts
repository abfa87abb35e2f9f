/** The guest page without its drawing: carries out the guest's commands and gives snapshots to draw. */
import { LinkError } from '@blindkeep/client/errors'
import { type LinkParts, parseLink } from '@blindkeep/client/guest'
import { oneAtATime } from '../../common/work/oneAtATime.ts'
import type { ChosenFile, NotFiles, Snapshot } from '../ground/messages.ts'
import { whyFull } from '../ground/standing.ts'
import { type AllFilesCommands, createAllFilesCommands } from './allFilesCommands.ts'
import { createEngineParts, type EngineParts, type GuestEngineOptions } from './engineParts.ts'
import { viewOf } from './entries/snapshot.ts'
import { createFileCommands, type FileCommands } from './fileCommands.ts'
import { createSentMessages } from './files/sentMessages.ts'
import { isClosed, isOver } from './link/closedLink.ts'
import type { ReceiptDocument } from './receipts/receiptDocument.ts'
import { createMemoryStore } from './store/guestStore.ts'

export interface GuestEngine extends FileCommands, AllFilesCommands {
  snapshot(): Snapshot
  /** Files are being prepared or sent, so the time left changes. */
  isBusy(): boolean
  add(files: readonly ChosenFile[], others?: NotFiles): Promise<void>
  addAnyway(): Promise<void>
  askAgain(): Promise<void>
  /** About one file, or about all that landed in this visit. Resolves when each is checked with its file. */
  makeProofs(id?: string): Promise<void>
  /** What was made last. Undefined when there is none. */
  takeProofs(): ReceiptDocument | undefined
  dropProofs(): void
}

/** Resolves when the store is read; the server's answer about the link may still be missing. */
export async function openGuestEngine(options: GuestEngineOptions): Promise<GuestEngine> {
  // What is kept for a link is for those who have it whole.
  const parts = createEngineParts(isWhole(options.parts) ? options : { ...options, store: createMemoryStore() })
  const { store, entries, earlier, link, admission, uploads, draft } = parts
  store.onOtherTab(oneAtATime(earlier.refresh))
  await store.sweep(parts.nowMs())
  await earlier.refresh()
  await draft.load()
  // The link comes first: nothing waits for what the operator says.
  void link.ask().then(() => {
    noteFull(parts)
    return parts.site.ask()
  })
  void earlier.checkStatus()
  const fileCommands = createFileCommands(parts)
  return {
    ...fileCommands,
    ...createAllFilesCommands(parts, fileCommands),
    snapshot: () => snapshotOf(parts),
    isBusy: () => entries.count(({ phase }) => phase === 'sending' || phase === 'preparing') > 0,
    async add(files, others) {
      await admission.add(files, others)
      uploads.pump()
    },
    addAnyway: admission.addAnyway,
    askAgain: link.ask,
    makeProofs: parts.proofs.make,
    takeProofs: parts.proofs.take,
    dropProofs: parts.proofs.drop,
  }
}

function isWhole(parts: LinkParts): boolean {
  try {
    parseLink(parts)
    return true
  } catch (error) {
    if (error instanceof LinkError) return false
    throw error
  }
}

/** The page of a full link has nothing to choose with, so no file is held back. */
function noteFull(parts: EngineParts): void {
  const { link, counts, totals, unfinished, neverBegun } = snapshotOf(parts)
  const isOwn = counts.landed + totals.files + unfinished.length + neverBegun.files > 0
  const why = link.is === 'open' && !isOwn ? whyFull(link.limits) : undefined
  if (why !== undefined) parts.ownerHears.meetFull(why)
}

function snapshotOf(parts: EngineParts): Snapshot {
  const { entries, rate, link, passphrase, store, visit, admission, remarks, draft } = parts
  const { totals, ...view } = viewOf(entries)
  rate.measure()
  const isMoving = view.counts.sending > 0 && totals.trouble === undefined
  return {
    link: link.status(),
    site: parts.site.now(),
    passphrase: passphrase.status(),
    storage: store.isPersistent ? 'kept' : 'refused',
    isPaused: visit.isPaused,
    message: draft.message(),
    messageTurn: draft.turn(),
    isFilled: admission.isFilled(),
    ...view,
    proofs: parts.proofs.status(),
    totals: { ...totals, secondsLeft: isMoving ? rate.secondsLeft(totals.totalBytes - totals.doneBytes) : undefined },
    ...unfinishedIn(parts),
    remarks: remarks.now(),
    ownerHears: parts.ownerHears.now(),
  }
}

type UnfinishedFacts = Pick<Snapshot, 'unfinished' | 'unfinishedMessages' | 'neverBegun'>

function unfinishedIn({ link, earlier, planned }: EngineParts): UnfinishedFacts {
  const status = link.status()
  if (isOver(status)) return { unfinished: [], unfinishedMessages: [], neverBegun: { files: 0, hasFolders: false } }
  const { shown, ...neverBegun } = planned.neverBegun()
  const sealed = createSentMessages()
  for (const message of earlier.messages()) sealed.add(message)
  const unfinished = [...earlier.unfinished(isClosed(status)), ...shown]
  return { unfinished, unfinishedMessages: sealed.all(), neverBegun }
}
