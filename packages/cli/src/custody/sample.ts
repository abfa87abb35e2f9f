/** `blindkeep verify --sample`: random segments of the files, downloaded and opened here. */
import { join } from 'node:path'
import type { AssetFacts } from '@blindkeep/client/owner'
import {
  MAX_SAMPLE_BYTES,
  MAX_SAMPLES,
  type Sample,
  type SampleFault,
  type SampleRun,
  type SampleTally,
  type SignedOriginal,
  sampleRecord,
  samplesToFind,
  sampleTally,
  shareFound,
  statedSegments,
} from '@blindkeep/client/verify'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { SignedIn } from '../account/session.ts'
import { feedPosition } from '../changes/feed.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit, exitOf, UsageError } from '../ground/exits.ts'
import { filesText } from '../ground/texts.ts'
import { appendLines } from '../home/lines.ts'
import { createOutcomes, type Outcomes } from '../outcomes/outcomes.ts'

export interface SampleFlags {
  readonly sample?: { readonly count: number } | { readonly share: number }
  readonly find?: number
  readonly sure?: number
  readonly bytes?: number
  readonly deep?: boolean
  readonly yes?: boolean
}

const SURE = 0.99
const MAX_UNASKED_BYTES = 100 * 1024 ** 2
/** What the question about one file downloads, with its receipts: 26 kB were measured, without HTTP headers. */
const RECORD_BYTES = 30_000

interface SamplePlan {
  readonly samples: number
  /** Of the segments, at most. */
  readonly bytes: number
}

/** Undefined if no sample is asked for. Throws `UsageError` for flags that contradict each other. */
export function planOf(flags: SampleFlags, assets: readonly AssetFacts[]): SamplePlan | undefined {
  const { sample, find, bytes, sure, deep } = flags
  const ways = [sample, find, bytes].filter((way) => way !== undefined).length
  if (sure !== undefined && find === undefined) throw new UsageError('--sure says how surely --find finds: give both.')
  if (ways === 0) return undefined
  if (ways > 1) throw new UsageError('give one of --sample, --find and --bytes.')
  if (deep === true) throw new UsageError('choose: --deep lets the server read, a sample downloads.')
  const stated = statedSegments(assets)
  const samples = samplesOf(flags, stated.segments)
  if (samples > MAX_SAMPLES) throw tooMany()
  return { samples, bytes: Math.min(samples * MAX_SAMPLE_BYTES, stated.bytes) }
}

function samplesOf({ sample, find, bytes, sure = SURE }: SampleFlags, segments: number): number {
  if (sample !== undefined) return 'count' in sample ? sample.count : Math.max(1, Math.ceil(segments * sample.share))
  if (bytes !== undefined) {
    const samples = Math.floor(bytes / MAX_SAMPLE_BYTES)
    if (samples === 0) throw new UsageError('one sample is up to 1 MiB: give --bytes 1MiB or more.')
    return samples
  }
  try {
    return samplesToFind({ share: find ?? 0, sure })
  } catch (error) {
    throw error instanceof RangeError ? tooMany() : error
  }
}

const tooMany = () =>
  new UsageError(`that is more than ${MAX_SAMPLES} samples. To download and check everything: blindkeep get.`)

/** Says what it will cost, before anything is downloaded, and asks if that is much. False if the person says no. */
export async function agreesToCost(
  { samples, bytes }: SamplePlan,
  {
    assets,
    flags,
    report,
  }: Pick<SignedIn, 'report'> & { readonly assets: readonly AssetFacts[]; readonly flags: SampleFlags },
): Promise<boolean> {
  const { segments } = statedSegments(assets)
  const records = assets.length * RECORD_BYTES
  const drawn = `${countText(samples, 'sample')} of ${countText(segments, 'segment')} in ${filesText(assets.length)}`
  const cost = `${drawn}: at most ${sizeText(bytes)} to download, and about ${sizeText(records)} of records.`
  report.result(cost, { event: 'cost', samples, segments, files: assets.length, bytes, record_bytes: records })
  return bytes <= MAX_UNASKED_BYTES || (await agrees(`${cost} Go on?`, flags))
}

interface Sampling {
  readonly plan: SamplePlan
  readonly sure: number | undefined
  readonly originals: readonly SignedOriginal[]
  readonly names: ReadonlyMap<AssetId, string | undefined>
  readonly signal: AbortSignal
}

/** Asks, records and tells. Throws what ended it before, once that is recorded. */
export async function sampleFiles(session: SignedIn, { plan, originals, signal, ...words }: Sampling): Promise<Exit> {
  const { owner, report } = session
  const onProgress = (asked: number, of: number) => report.progress(() => [`${asked} of ${of} segments opened`])
  const run = await owner.sampleSegments({ originals, samples: plan.samples, onProgress, signal })
  report.end()
  const record = await recorded(session, run)
  const outcomes = createOutcomes(report)
  const tally = sampleTally(run)
  tellBad(run, words.names, outcomes)
  tellNotAsked(tally, outcomes)
  const { sure = SURE } = words
  report.result(summaryOf(run, tally, sure), {
    event: 'sampled',
    samples: tally.drawn,
    distinct: tally.distinct,
    segments: run.segments,
    good: tally.good,
    some_version: tally.ofSomeVersion,
    bad: tally.bad,
    not_asked: tally.notAsked,
    ...(isWhole(tally) && { found_share: shareFound(tally.drawn, sure), sure }),
    seed: run.seed,
    record,
  })
  if (run.ended !== undefined) throw run.ended
  return exitOf(outcomes.failed().length === 0 ? [] : [outcomes.exit()])
}

async function recorded({ owner, profile }: SignedIn, run: SampleRun): Promise<string> {
  const path = join(profile.directory, 'samples', `${owner.accountId}.jsonl`)
  const line = JSON.stringify(sampleRecord(run, await feedPosition({ owner, profile })))
  await appendLines({ home: profile.home, path, doing: 'records a sample' }, [line])
  return path
}

const FAULTS: Readonly<Record<SampleFault, string>> = {
  missing: 'the server says that it does not have the file’s bytes',
  refused: 'the server refuses them',
  late: 'the server did not send them in time',
  other_range: 'the server sent other bytes than those that were asked for',
  altered: 'they do not open: they are not these bytes of this file, or its sender has sent it so',
  other_version: 'the file begins otherwise than when this profile sealed or read it: it may be an older version',
}

/** One line for each file and fault. */
function tellBad({ samples }: SampleRun, names: Sampling['names'], outcomes: Outcomes): void {
  const groups = new Map<string, { readonly why: SampleFault; readonly found: Sample[] }>()
  for (const sample of samples) {
    if (sample.result.is !== 'bad') continue
    const { why } = sample.result
    const key = `${sample.assetId} ${why}`
    const group = groups.get(key) ?? { why, found: [] }
    groups.set(key, group)
    if (!group.found.some(({ segment }) => segment === sample.segment)) group.found.push(sample)
  }
  for (const { why, found } of groups.values()) {
    const [first] = found
    if (first === undefined) continue
    const name = names.get(first.assetId)
    const fact = { event: 'sample_bad', asset_id: first.assetId, name, segments: found.map(({ segment }) => segment) }
    const exit = why === 'altered' || why === 'other_range' || why === 'other_version' ? EXIT.untrusted : EXIT.failed
    const message = `${countText(found.length, 'segment')}: ${FAULTS[why]}. Keep your copy.`
    outcomes.fail(name ?? first.assetId, fact, { reason: why, message, exit })
  }
}

function tellNotAsked({ notAsked }: SampleTally, outcomes: Outcomes): void {
  if (notAsked === 0) return
  const message = `${countText(notAsked, 'sample was', 'samples were')} not asked, because the line failed, the sample was stopped, or their file was deleted meanwhile. A server can bring that about for what it lacks, so this proves nothing: call it again.`
  outcomes.fail(
    'sample',
    { event: 'sample_not_asked', samples: notAsked },
    { reason: 'not_asked', message, exit: EXIT.failed },
  )
}

const isWhole = ({ drawn, good }: SampleTally) => drawn > 0 && good === drawn

function summaryOf({ segments }: SampleRun, tally: SampleTally, sure: number): string {
  const { drawn, distinct, good, ofSomeVersion } = tally
  if (drawn === 0) return 'No signed file to draw samples from.'
  const opened = `${good} of ${countText(drawn, 'sample')} opened (${distinct} of ${countText(segments, 'segment')}).`
  if (!isWhole(tally)) return opened
  const share = percentText(shareFound(drawn, sure))
  const version =
    ofSomeVersion === 0
      ? ''
      : ` ${countText(ofSomeVersion, 'is', 'are')} of some version of the file: this profile has neither sealed nor read it to its end.`
  return `${opened} If ${share} of the segments were lost, they would have found it with ${percentText(sure)} probability.${version} They do not find a single lost file among many: the question about each file is for that.`
}

/** Rounded up, so that it does not promise too much. */
function percentText(share: number): string {
  return `${Number((Math.ceil(share * 10_000) / 100).toFixed(2))} %`
}
