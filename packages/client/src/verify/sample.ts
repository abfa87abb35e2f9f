/**
 * Random segments of the originals, downloaded and opened: a server that has lost them, or holds only hashes, sizes or
 * an older proof, has no answer. It finds a lost share of the segments, not a single lost file: `verifyHeld` asks about
 * each file.
 */
import { toHex } from '@blindkeep/protocol/bytes'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { type AssetId, formatInstant } from '@blindkeep/protocol/ids'
import { SEGMENT_SEALED_BYTES } from '@blindkeep/protocol/suites'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { askSegment, isStated, NOT_ASKED, openOriginal, type SampleFault, type SampleResult } from './askSegment.ts'
import { populationOf, type SegmentOf, type SignedOriginal } from './population.ts'
import { chooseSegments, SEED_BYTES } from './segmentChoice.ts'

export type { SampleFault, SampleResult } from './askSegment.ts'

/** What one sample downloads at most, beside the beginning of its file. */
export const MAX_SAMPLE_BYTES: number = SEGMENT_SEALED_BYTES
/** Each is up to 1 MiB in memory. */
const AT_ONCE = 4
/** Late or failed, one after the other: the line is down, or the server lets the owner wait. The rest is not asked. */
const MAX_UNANSWERED = 8

export interface SampleSegments {
  /** From `verifyHeld` (`onSigned`): what is drawn from. */
  readonly originals: Iterable<SignedOriginal>
  /** How many to draw, at most `MAX_SAMPLES`. One that is drawn again is not asked again. */
  readonly samples: number
  /** `of`: segments that are asked. */
  readonly onProgress?: ((asked: number, of: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Sample {
  readonly assetId: AssetId
  /** From 0. */
  readonly segment: number
  readonly result: SampleResult
}

export interface SampleRun {
  /** RFC 3339, by this machine's clock: when the choice was made. */
  readonly at: string
  /** What was drawn from. */
  readonly assets: number
  readonly segments: number
  /** SHA-256 over the members of the population, lowercase hex. */
  readonly population: string
  /** Lowercase hex. */
  readonly seed: string
  /** In the order of the draws. */
  readonly samples: readonly Sample[]
  /** Why it ended before: the signal's reason, the end of the session, a fault. What was asked until then counts. */
  readonly ended?: unknown
}

/** Draws and asks. Without a segment to draw from, nothing is drawn. Never rejects: see `ended`. */
export async function sampleSegments(ports: AssetPorts, question: SampleSegments): Promise<SampleRun> {
  const { environment } = ports
  const population = populationOf(question.originals)
  const { assets, segments, hash } = population
  // Not before the population is fixed: otherwise a server that guesses it could choose the population.
  const seed = environment.randomBytes(SEED_BYTES)
  const { samples } = question
  const drawn = segments === 0 ? [] : chooseSegments({ seed, segments, samples })
  const at = formatInstant(environment.now())
  const results = new Map<number, SampleResult>()
  const ended = await askEach(ports, { ...question, numbers: [...new Set(drawn)], at: population.at, results })
  return {
    at,
    assets,
    segments,
    population: hash,
    seed: toHex(seed),
    samples: drawn.map((number) => {
      const { original, segment } = population.at(number)
      return { assetId: original.assetId, segment, result: results.get(number) ?? NOT_ASKED }
    }),
    ...(ended !== undefined && { ended: ended.by }),
  }
}

interface Asking extends SampleSegments {
  readonly numbers: readonly number[]
  readonly at: (number: number) => SegmentOf
  readonly results: Map<number, SampleResult>
}

/** Fills `results`. Resolves with what ended it, if anything did. */
async function askEach(ports: AssetPorts, asking: Asking): Promise<{ readonly by: unknown } | undefined> {
  const { numbers, at, results, onProgress, signal: outer } = asking
  const stopping = new AbortController()
  const signal = outer === undefined ? stopping.signal : AbortSignal.any([outer, stopping.signal])
  const ask = createAsk(ports, signal)
  let unanswered = 0
  try {
    await mapConcurrently(numbers, AT_ONCE, async (number) => {
      signal.throwIfAborted()
      if (unanswered >= MAX_UNANSWERED) return
      const result = await ask(at(number))
      results.set(number, result)
      unanswered = isUnanswered(result) ? unanswered + 1 : 0
      onProgress?.(results.size, numbers.length)
    })
    return undefined
  } catch (error) {
    // The others are not waited for: their answers are not read any more.
    stopping.abort(error)
    return { by: error }
  }
}

function isUnanswered(result: SampleResult): boolean {
  return result.is === 'not_asked' || (result.is === 'bad' && result.why === 'late')
}

/** Reads the beginning of each file once, unless another client takes the file to the bin and back meanwhile. */
function createAsk(ports: AssetPorts, signal: AbortSignal): (of: SegmentOf) => Promise<SampleResult> {
  const opened = new Map<AssetId, ReturnType<typeof openOriginal>>()
  const ask = async ({ original, segment }: SegmentOf): Promise<SampleResult> => {
    const opening = opened.get(original.assetId) ?? openOriginal(ports, original, signal)
    opened.set(original.assetId, opening)
    const found = await opening
    return 'result' in found ? found.result : await askSegment(ports, found.value, { segment, signal })
  }
  return async (of) => {
    const result = await ask(of)
    if (!(result.is === 'bad' && result.why === 'missing')) return result
    opened.delete(of.original.assetId)
    const stated = await isStated(ports, of.original, signal)
    if ('result' in stated) return stated.result
    return stated.value ? await ask(of) : NOT_ASKED
  }
}

export interface SampleTally {
  readonly drawn: number
  /** Of these, at different places. */
  readonly distinct: number
  readonly good: number
  /** Of the good ones, those whose file may be an older version: its beginning is not known here. */
  readonly ofSomeVersion: number
  readonly bad: number
  readonly notAsked: number
  /** Whether what a server answered was not what was signed, so that it is no mere loss. */
  readonly isAltered: boolean
}

const ALTERED: readonly SampleFault[] = ['altered', 'other_range', 'other_version']

export function sampleTally({ samples }: Pick<SampleRun, 'samples'>): SampleTally {
  const results = samples.map(({ result }) => result)
  const good = results.filter((result) => result.is === 'good')
  const bad = results.filter((result) => result.is === 'bad')
  return {
    drawn: samples.length,
    distinct: new Set(samples.map(({ assetId, segment }) => `${assetId} ${segment}`)).size,
    good: good.length,
    ofSomeVersion: good.filter(({ ofSignedVersion }) => !ofSignedVersion).length,
    bad: bad.length,
    notAsked: samples.length - good.length - bad.length,
    isAltered: bad.some(({ why }) => ALTERED.includes(why)),
  }
}

/** What is kept of a run, as JSON: ids and numbers that the server knows, no names. `feedSeq`: position in the feed. */
export function sampleRecord({ samples, ended, ...run }: SampleRun, feedSeq: number) {
  return {
    version: 1,
    at: run.at,
    feed_seq: feedSeq,
    assets: run.assets,
    segments: run.segments,
    population: run.population,
    seed: run.seed,
    stopped: ended !== undefined,
    samples: samples.map(({ assetId, segment, result }) => [assetId, segment, wordOf(result)] as const),
  }
}

export type SampleRecord = ReturnType<typeof sampleRecord>

function wordOf(result: SampleResult): string {
  if (result.is === 'bad') return result.why
  return result.is === 'good' && !result.ofSignedVersion ? 'good_some_version' : result.is
}
