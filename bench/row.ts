/** A benchmark row. Each round runs every lane once and begins with another, so that other work disturbs all alike. */

/** One measurement of a lane. */
interface Sample {
  /** In the row's unit. */
  readonly value: number
  /** Share of one core that this process used to make the load; undefined when it makes none. */
  readonly loadBusy?: number
}

export interface Lane {
  readonly name: string
  /** Throws at a wrong answer. */
  measure(): Promise<Sample>
  /** Removes what `measure` has left; not measured. */
  clear?(): Promise<void>
}

interface Comparison {
  readonly id: string
  readonly lane: Lane
  /** Undefined when the figure is compared with nothing but its target. */
  readonly beside?: Lane
  /** The least acceptable ratio of `lane` to `beside`. Undefined: the comparison informs only. */
  readonly reach?: number
  /** The target: the largest acceptable figure, in the row's unit. */
  readonly most?: number
}

export interface OpenRow {
  readonly unit: 'MiB/s' | '/s' | 'MiB' | 'KiB' | 'ms'
  readonly lanes: readonly Lane[]
  readonly comparisons: readonly Comparison[]
  /** Further lines for the report; called once, after the last round. */
  readonly remarks?: () => readonly string[]
}

export interface RowOptions {
  /** Empty, for this row only, removed at the end. */
  readonly directory: string
  /** Sizes for a smoke test. */
  readonly isQuick: boolean
  /** Registers a close function for the end of the row, also of a failed one. */
  readonly atEnd: (close: () => Promise<unknown>) => void
  /** In the quick form, the options of the whole run: `shared` opens with them what rows share. */
  readonly run?: RowOptions | undefined
}

/**
 * Opens for each row. In the quick form it opens once for all rows that ask with the same settings: their figures say
 * nothing, and most of the time would go into the starts of servers.
 */
export function shared<Settings extends readonly unknown[], Value>(
  open: (options: RowOptions, ...settings: Settings) => Promise<Value>,
): (options: RowOptions, ...settings: Settings) => Promise<Value> {
  const runs = new WeakMap<RowOptions, Map<string, Promise<Value>>>()
  return (options, ...settings) => {
    const { run } = options
    if (run === undefined) return open(options, ...settings)
    const opened = runs.get(run) ?? new Map<string, Promise<Value>>()
    runs.set(run, opened)
    const key = JSON.stringify(settings)
    const value = opened.get(key) ?? open({ ...run, run }, ...settings)
    opened.set(key, value)
    return value
  }
}

export interface Row {
  readonly name: string
  /** The ids of its comparisons in documents. The name and each id select the row. */
  readonly ids: readonly string[]
  readonly what: string
  /** Takes much time and space, so it runs only if it is named. */
  readonly isLarge?: boolean
  open(options: RowOptions): Promise<OpenRow>
}

export interface Figure {
  readonly name: string
  /** The median of the rounds. */
  readonly value: number
  readonly loadBusy: number | undefined
}

export interface Result {
  readonly id: string
  readonly what: string
  readonly unit: OpenRow['unit']
  readonly figure: Figure
  readonly beside: Figure | undefined
  /** The median of the rounds' ratios; NaN without `beside`. */
  readonly ratio: number
  readonly ratios: readonly number[]
  readonly reach: number | undefined
  readonly most: number | undefined
  /** Remarks about the whole row. */
  readonly remarks: readonly string[]
  /** Of each round that was thrown away, the share of a core that other work took. */
  readonly thrownAway: readonly number[]
  /** The largest such share above the limit in a round that counts; 0 if none was above. */
  readonly otherWork: number
}

export interface Rounds {
  /** Rounds that are not counted. */
  readonly warmups: number
  readonly rounds: number
  readonly print: (text: string) => void
  /** Watches the machine; the result answers other work's share of a core. Rounds with much of it do not count. */
  readonly watch?: (() => () => number) | undefined
}

/** A share of one core that other work may take during a round that counts. */
const MAX_OTHER_WORK = 0.25

export async function measureRow(
  row: Row,
  open: OpenRow,
  { warmups, rounds, print, watch }: Rounds,
): Promise<readonly Result[]> {
  const kept: Map<Lane, Sample>[] = []
  const disturbed: number[] = []
  let disturbedKept = 0
  for (let round = 0; kept.length < rounds; round++) {
    const isWarmup = round < warmups
    print(`${row.name} ${isWarmup ? 'warm-up' : `round ${kept.length + 1} of ${rounds}`}`)
    const otherWork = watch?.()
    const samples = await measureOnce(rotated(open.lanes, round))
    const share = otherWork?.() ?? 0
    if (isWarmup) continue
    if (share > MAX_OTHER_WORK && disturbed.length < rounds) {
      print(`${row.name}: thrown away, other work took ${percent(share)} of a core`)
      disturbed.push(share)
      continue
    }
    if (share > MAX_OTHER_WORK) disturbedKept = Math.max(disturbedKept, share)
    kept.push(samples)
  }
  const remarks = [...(open.remarks?.() ?? []), ...remarksOn(disturbed, disturbedKept)]
  const measured = {
    what: row.what,
    unit: open.unit,
    remarks,
    thrownAway: disturbed,
    otherWork: disturbedKept,
    kept,
  }
  return open.comparisons.map((comparison) => resultOf(comparison, measured))
}

function remarksOn(disturbed: readonly number[], disturbedKept: number): readonly string[] {
  const rounds = disturbed.length === 1 ? 'round was' : 'rounds were'
  return [
    ...(disturbed.length > 0
      ? [
          `${disturbed.length} ${rounds} thrown away: other work took up to ${percent(Math.max(...disturbed))} of a core`,
        ]
      : []),
    ...(disturbedKept > 0
      ? [`It took up to ${percent(disturbedKept)} of a core in rounds that count, too: the figures are not reliable`]
      : []),
  ]
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

async function measureOnce(lanes: readonly Lane[]): Promise<Map<Lane, Sample>> {
  const samples = new Map<Lane, Sample>()
  for (const lane of lanes) {
    samples.set(lane, await lane.measure())
    await lane.clear?.()
  }
  return samples
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const at = by % items.length
  return [...items.slice(at), ...items.slice(0, at)]
}

interface Measured extends Pick<Result, 'what' | 'unit' | 'remarks' | 'thrownAway' | 'otherWork'> {
  readonly kept: readonly ReadonlyMap<Lane, Sample>[]
}

function resultOf({ id, lane, beside, reach, most }: Comparison, { kept, ...row }: Measured): Result {
  const own = samplesOf(lane, kept)
  const others = beside === undefined ? [] : samplesOf(beside, kept)
  const ratios = own.map(({ value }, round) => value / (others[round]?.value ?? Number.NaN))
  return {
    id,
    ...row,
    figure: figureOf(lane, own),
    beside: beside && figureOf(beside, others),
    ratio: median(ratios),
    ratios,
    reach,
    most,
  }
}

function samplesOf(lane: Lane, kept: Measured['kept']): readonly Sample[] {
  return kept.flatMap((samples) => samples.get(lane) ?? [])
}

function figureOf({ name }: Lane, samples: readonly Sample[]): Figure {
  const busy = samples.flatMap(({ loadBusy }) => loadBusy ?? [])
  return {
    name,
    value: median(samples.map(({ value }) => value)),
    loadBusy: busy.length === 0 ? undefined : median(busy),
  }
}

/** NaN for an empty list. */
function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
