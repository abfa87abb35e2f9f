/** What there is to draw, made of what the engine knows. */
import type { Entries, Entry } from './entries.ts'
import { retryOf } from './failures.ts'
import type { Phase, Row, Snapshot, Totals } from './messages.ts'

/** More rows than these nobody reads, and a page that draws ten thousand is stuck. */
export const MAX_ROWS = 200

/** Which rows are shown when not all are: what moves or needs somebody first. */
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

const NONE: Readonly<Record<Phase, number>> = {
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

/** Asked to be sent, and neither given up nor from an earlier visit. */
const COUNTED: ReadonlySet<Phase> = new Set(['waiting', 'preparing', 'sending', 'finishing', 'landed', 'paused'])

export type EntriesView = Pick<
  Snapshot,
  'counts' | 'chosenBytes' | 'checkedReceipts' | 'missingReceipts' | 'alarms' | 'rows' | 'hiddenRows'
> & { readonly totals: Omit<Totals, 'secondsLeft'> }

export function viewOf(entries: Entries): EntriesView {
  const counts: Record<Phase, number> = { ...NONE }
  const totals = { files: 0, landed: 0, bytes: 0, of: 0, isRetrying: false }
  let [chosenBytes, checkedReceipts, missingReceipts, alarms] = [0, 0, 0, 0]
  for (const entry of entries.all()) {
    counts[entry.phase]++
    if (entry.phase === 'chosen') chosenBytes += entry.size
    if (entry.receipt?.is === 'checked') checkedReceipts++
    if (entry.receipt?.is === 'missing') missingReceipts++
    if (entry.receipt?.is === 'alarm') alarms++
    if (entry.landedAt === undefined && COUNTED.has(entry.phase)) addTo(totals, entry)
  }
  const rows = rowsOf(entries)
  return { counts, chosenBytes, checkedReceipts, missingReceipts, alarms, totals, ...rows }
}

function addTo(totals: { -readonly [Name in keyof EntriesView['totals']]: EntriesView['totals'][Name] }, entry: Entry) {
  totals.files++
  totals.of += entry.of
  totals.bytes += Math.min(entry.of, entry.sent + entry.inFlight)
  if (entry.phase === 'landed') totals.landed++
  if (entry.isRetrying) totals.isRetrying = true
}

/** In the order in which they came, whichever are shown, so that no row changes its place. */
function rowsOf(entries: Entries): Pick<Snapshot, 'rows' | 'hiddenRows'> {
  const all = [...entries.all()]
  const shown = all.length <= MAX_ROWS ? all : mostWanted(all)
  return { rows: shown.map(rowOf), hiddenRows: all.length - shown.length }
}

function mostWanted(all: readonly Entry[]): readonly Entry[] {
  const wanted = new Set<Entry>()
  // No sorting: this is done ten times a second, and there may be a hundred thousand.
  for (let rank = 0; rank <= RANK_LAST; rank++)
    for (const entry of all) if (wanted.size < MAX_ROWS && RANKS[entry.phase] === rank) wanted.add(entry)
  return all.filter((entry) => wanted.has(entry))
}

function rowOf(entry: Entry): Row {
  const { id, revision, name, folder, size, phase, of, isRetrying, failure, receipt, landedAt } = entry
  return {
    id,
    revision,
    // A name of 64 KiB is drawn by nobody.
    name: shown(name),
    folder: shown(folder),
    size,
    phase,
    bytes: phase === 'preparing' ? entry.prepared : Math.min(of, entry.sent + entry.inFlight),
    of,
    isRetrying,
    isBegun: entry.sent > 0 && failure !== 'other_tab',
    failure,
    retry: retryOf(failure),
    receipt,
    landedAt,
  }
}

const MAX_SHOWN_CHARACTERS = 400

export function shown(name: string): string {
  return name.length <= MAX_SHOWN_CHARACTERS ? name : `${name.slice(0, MAX_SHOWN_CHARACTERS)}…`
}
