/** What a benchmark is made of, and how it is measured: every lane once a round, each round beginning with another, so that whatever else the machine does meets all alike. */

/** One go of a lane. */
interface Sample {
  /** Units of the row, in a second. */
  readonly perSecond: number
  /** Share of one core that this process was busy with making the load; undefined where it makes none. */
  readonly loadBusy?: number
}

export interface Lane {
  readonly name: string
  /** Throws when anything was not answered as it should be. */
  measure(): Promise<Sample>
  /** Removes what a go has left, outside the time that is taken. */
  clear?(): Promise<void>
}

interface Comparison {
  readonly id: string
  readonly lane: Lane
  readonly beside: Lane
  /** The target: at least so many times what stands beside it. Left out where the other is there to be known. */
  readonly reach?: number
}

interface OpenRow {
  readonly unit: 'MiB/s' | '/s'
  readonly lanes: readonly Lane[]
  readonly comparisons: readonly Comparison[]
  /** What a ratio does not tell, a line each; asked once, after the last round. */
  readonly remarks?: () => readonly string[]
}

export interface RowOptions {
  /** Empty, the row's own, removed in the end. All that is measured lies in it. */
  readonly directory: string
  /** Sizes for a smoke test. */
  readonly isQuick: boolean
  /** Has something closed when the row is over, however it ended. */
  readonly atEnd: (close: () => Promise<unknown>) => void
}

export interface Row {
  /** Any of them selects the row. */
  readonly ids: readonly string[]
  readonly what: string
  open(options: RowOptions): Promise<OpenRow>
}

export interface Figure {
  readonly name: string
  /** The median of the rounds. */
  readonly perSecond: number
  readonly loadBusy: number | undefined
}

export interface Result {
  readonly id: string
  readonly what: string
  readonly unit: OpenRow['unit']
  readonly figure: Figure
  readonly beside: Figure
  /** The median of the rounds' own ratios. */
  readonly ratio: number
  readonly ratios: readonly number[]
  readonly reach: number | undefined
  /** Of the whole row. */
  readonly remarks: readonly string[]
}

export interface Rounds {
  /** Of these nothing is kept. */
  readonly warmups: number
  readonly rounds: number
  readonly tell: (text: string) => void
}

export async function measureRow(row: Row, open: OpenRow, { warmups, rounds, tell }: Rounds): Promise<Result[]> {
  const kept: Map<Lane, Sample>[] = []
  for (let round = 0; round < warmups + rounds; round++) {
    tell(`${row.ids[0]} ${round < warmups ? 'warm-up' : `round ${round - warmups + 1} of ${rounds}`}`)
    const samples = await measureOnce(rotated(open.lanes, round))
    if (round >= warmups) kept.push(samples)
  }
  const measured = { what: row.what, unit: open.unit, remarks: open.remarks?.() ?? [], kept }
  return open.comparisons.map((comparison) => resultOf(comparison, measured))
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

interface Measured extends Pick<Result, 'what' | 'unit' | 'remarks'> {
  readonly kept: readonly ReadonlyMap<Lane, Sample>[]
}

function resultOf({ id, lane, beside, reach }: Comparison, { kept, ...row }: Measured): Result {
  const own = samplesOf(lane, kept)
  const others = samplesOf(beside, kept)
  const ratios = own.map(({ perSecond }, round) => perSecond / (others[round]?.perSecond ?? Number.NaN))
  return {
    id,
    ...row,
    figure: figureOf(lane, own),
    beside: figureOf(beside, others),
    ratio: median(ratios),
    ratios,
    reach,
  }
}

function samplesOf(lane: Lane, kept: Measured['kept']): readonly Sample[] {
  return kept.flatMap((samples) => samples.get(lane) ?? [])
}

function figureOf({ name }: Lane, samples: readonly Sample[]): Figure {
  const busy = samples.flatMap(({ loadBusy }) => loadBusy ?? [])
  return {
    name,
    perSecond: median(samples.map(({ perSecond }) => perSecond)),
    loadBusy: busy.length === 0 ? undefined : median(busy),
  }
}

/** Of an even number, the mean of the two in the middle. NaN of none. */
function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
