/** Turns the entries into what the page draws. */

import type { Phase, Row, Snapshot, Totals, Trouble } from '../../ground/messages.ts'
import { createSentMessages, type SentMessages } from '../files/sentMessages.ts'
import type { Entries, Entry } from './entries.ts'
import { isTrouble, retryOf } from './failures.ts'

/** A page that draws ten thousand rows freezes. */
export const MAX_ROWS = 200

/** Which rows are shown first when there are too many: the ones that move or need the guest. */
const RANKS: Readonly<Record<Phase, number>> = {
  preparing: 0,
  sending: 0,
  finishing: 0,
  failed: 1,
  unfit: 1,
  paused: 2,
  chosen: 3,
  waiting: 3,
  cancelled: 4,
  landed: 4,
}

const RANK_LAST = Math.max(...Object.values(RANKS))

const NO_FILES: Readonly<Record<Phase, number>> = {
  chosen: 0,
  unfit: 0,
  waiting: 0,
  preparing: 0,
  sending: 0,
  finishing: 0,
  landed: 0,
  paused: 0,
  failed: 0,
  cancelled: 0,
}

/** Phases of the files that the totals count. */
const COUNTED: ReadonlySet<Phase> = new Set(['waiting', 'preparing', 'sending', 'finishing', 'landed', 'paused'])

type EntriesView = Pick<
  Snapshot,
  | 'counts'
  | 'inOtherTab'
  | 'hasUsedUpLink'
  | 'chosenBytes'
  | 'checkedReceipts'
  | 'provable'
  | 'missingReceipts'
  | 'alarms'
  | 'messages'
  | 'rows'
  | 'hiddenRows'
> & { readonly totals: Omit<Totals, 'secondsLeft'> }

export function viewOf(entries: Entries): EntriesView {
  const counts: Record<Phase, number> = { ...NO_FILES }
  const totals: Sum = { files: 0, landed: 0, arrived: 0, doneBytes: 0, totalBytes: 0, trouble: undefined }
  const sent = createSentMessages()
  let hasUsedUpLink = false
  let [inOtherTab, chosenBytes, checkedReceipts, provable, missingReceipts, alarms] = [0, 0, 0, 0, 0, 0]
  for (const entry of entries.all()) {
    counts[entry.phase]++
    if (entry.landed?.usedUpLink === true) hasUsedUpLink = true
    if (entry.failure === 'other_tab') inOtherTab++
    if (entry.phase === 'chosen') chosenBytes += entry.size
    if (entry.receipt?.is === 'checked') checkedReceipts++
    if (isProvable(entry)) provable++
    if (entry.receipt?.is === 'missing') missingReceipts++
    if (entry.receipt?.is === 'alarm') alarms++
    if (!isCounted(entry)) continue
    addTo(totals, entry)
    sent.add(entry.message)
  }
  const rows = rowsOf(entries, sent)
  const receipts = { checkedReceipts, provable, missingReceipts, alarms }
  return { counts, hasUsedUpLink, inOtherTab, chosenBytes, ...receipts, totals, messages: sent.all(), ...rows }
}

function isCounted({ phase, landedAt }: Entry): boolean {
  return landedAt === undefined && COUNTED.has(phase)
}

/** The receipt is checked, and the file was sent in this visit. */
export function isProvable({ hasKey, receipt }: Pick<Entry, 'hasKey' | 'receipt'>): boolean {
  return hasKey === true && receipt?.is === 'checked'
}

type Sum = { -readonly [Name in keyof EntriesView['totals']]: EntriesView['totals'][Name] }

function addTo(totals: Sum, entry: Entry): void {
  totals.files++
  totals.totalBytes += entry.totalBytes
  totals.doneBytes += doneBytesOf(entry)
  if (entry.phase === 'landed') totals.landed++
  if (entry.receipt?.is === 'checked') totals.arrived++
  const trouble = troubleOf(entry)
  if (trouble !== undefined && trouble.since < (totals.trouble?.since ?? Infinity)) totals.trouble = trouble
}

function troubleOf({ isRetrying, failure, troubledSince, triesAt }: Entry): Trouble | undefined {
  if (!isRetrying || failure === undefined || troubledSince === undefined || !isTrouble(failure)) return undefined
  return { reason: failure, since: troubledSince, until: triesAt }
}

/** Always in the order of the entries, so that no row moves. */
function rowsOf(entries: Entries, sent: SentMessages): Pick<Snapshot, 'rows' | 'hiddenRows'> {
  const all = [...entries.all()]
  const shown = all.length <= MAX_ROWS ? all : mostImportant(all)
  return { rows: shown.map((entry) => rowOf(entry, sent)), hiddenRows: all.length - shown.length }
}

function mostImportant(all: readonly Entry[]): readonly Entry[] {
  const important = new Set<Entry>()
  // Not sorted: this runs ten times a second, with up to a hundred thousand entries.
  for (let rank = 0; rank <= RANK_LAST; rank++)
    for (const entry of all) if (important.size < MAX_ROWS && RANKS[entry.phase] === rank) important.add(entry)
  return all.filter((entry) => important.has(entry))
}

function rowOf(entry: Entry, sent: SentMessages): Row {
  const { id, revision, name, folder, size, phase, totalBytes, isRetrying, failure, receipt, landedAt } = entry
  return {
    id,
    revision,
    name: shortened(name),
    folder: shortened(folder),
    size,
    phase,
    doneBytes: phase === 'preparing' ? entry.preparedBytes : doneBytesOf(entry),
    arrivedBytes: entry.sentBytes,
    totalBytes,
    message: isCounted(entry) ? sent.known(entry.message) : undefined,
    isRetrying,
    isBegun: entry.sentBytes > 0 && failure !== 'other_tab',
    failure,
    retry: retryOf(failure),
    receipt,
    isProvable: isProvable(entry),
    proofFile: entry.proofFile,
    landedAt,
  }
}

function doneBytesOf({ totalBytes, sentBytes, inFlightBytes }: Entry): number {
  return Math.min(totalBytes, sentBytes + inFlightBytes)
}

const MAX_SHOWN_CHARACTERS = 400

/** A name with its folders can have thousands of characters. */
export function shortened(name: string): string {
  return name.length <= MAX_SHOWN_CHARACTERS ? name : `${name.slice(0, MAX_SHOWN_CHARACTERS)}…`
}
