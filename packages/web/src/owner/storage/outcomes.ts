/** The client's answers as outcomes to show. A file counts as held only if the client has no doubt. */
import {
  type AssetVerdict,
  type BlobVerdict,
  BUNDLE_ROLES,
  type BundleRole,
  type Doubt,
  type DoubtReason,
  type HeldAnswer,
  type SampleFault,
  type SampleRun,
} from '@blindkeep/client/verify'
import type { AssetId, Sha256Hex } from '@blindkeep/protocol/ids'

/** Worst first: the page shows the first of these that applies. */
export const DOUBT_KINDS = [
  'damaged',
  'sample_bad',
  'tampered',
  'missing',
  'not_held',
  'withheld',
  'not_vouched',
  'unreadable',
  'unsigned',
  'device_revoked',
  'other_file',
  'incomplete',
  'not_examined',
  'not_yet',
  'no_answer',
] as const
export type DoubtKind = (typeof DOUBT_KINDS)[number]

export const OUTCOME_KINDS = [...DOUBT_KINDS, 'held_structural', 'held_deep'] as const
export type OutcomeKind = (typeof OUTCOME_KINDS)[number]

export interface Outcome {
  readonly assetId: AssetId
  readonly kind: OutcomeKind
  readonly name: string | undefined
  /** Bytes of the file; undefined when its description could not be read. */
  readonly size: number | undefined
  /** The parts that are in doubt; empty when the whole asset is, or when none is. */
  readonly parts: readonly BundleRole[]
  /** RFC 3339, by the server's clock; undefined without a verdict. */
  readonly checkedAt: string | undefined
  /** The signed hashes of a file that is held. */
  readonly hashes: Readonly<Record<BundleRole, Sha256Hex>> | undefined
  /** `receipt_seq` of each checked receipt. */
  readonly receiptSeqs: readonly number[]
  /** RFC 3339: when the signing device was revoked; undefined for a live one, and for doubts about the signature. */
  readonly signerRevokedAt: string | undefined
  readonly cause: Error | undefined
  /** What was wrong with a piece of it that a sample asked for. */
  readonly sampleFault?: SampleFault | undefined
}

const KIND_OF: Readonly<Record<Exclude<DoubtReason, 'not_durable'>, DoubtKind>> = {
  asset_missing: 'missing',
  incomplete: 'incomplete',
  unsigned: 'unsigned',
  device_revoked: 'device_revoked',
  file_differs: 'other_file',
  corrupt: 'damaged',
  rate_limited: 'not_yet',
  not_examined: 'not_examined',
  tampered: 'tampered',
  unreadable: 'unreadable',
  refused: 'no_answer',
  unreachable: 'no_answer',
  answer_broken: 'no_answer',
}

/** Without a doubt, the result is still no confirmation. */
export function kindOfDoubts(doubts: readonly Doubt[], verdict?: AssetVerdict): DoubtKind {
  const kinds = doubts.map(({ reason }) => (reason === 'not_durable' ? undurableKind(verdict) : KIND_OF[reason]))
  return DOUBT_KINDS.find((kind) => kinds.includes(kind)) ?? 'not_vouched'
}

/** Says in which way a verdict denies that the file is durable. */
function undurableKind(verdict: AssetVerdict | undefined): DoubtKind {
  if (verdict === undefined) return 'not_vouched'
  if (verdict.blobs.some(({ role, stored }) => role === 'unknown' || !stored)) return 'not_held'
  return verdict.blobs.some(({ indexed, retrievable }) => !indexed || !retrievable) ? 'withheld' : 'not_vouched'
}

export function outcomeOf(answer: HeldAnswer): Outcome {
  const { assetId, file } = answer
  const of = { assetId, name: file?.name, size: file?.size }
  if (answer.held)
    return {
      ...of,
      kind: answer.examined === 'deep' ? 'held_deep' : 'held_structural',
      parts: [],
      checkedAt: answer.checkedAt,
      hashes: answer.hashes,
      receiptSeqs: answer.receipts.receipts.map(({ receipt }) => receipt.receipt_seq),
      signerRevokedAt: answer.signed.deviceRevokedAt,
      cause: undefined,
    }
  const { doubts, verdict } = answer
  return {
    ...of,
    kind: kindOfDoubts(doubts, verdict),
    parts: partsInDoubt(verdict, doubts),
    checkedAt: verdict?.checkedAt,
    hashes: undefined,
    receiptSeqs: [],
    signerRevokedAt: undefined,
    cause: doubts.find(({ cause }) => cause !== undefined)?.cause,
  }
}

/** A file with a bad sample has a problem, whatever the server says of it. */
export function withBadSamples(
  outcomes: ReadonlyMap<AssetId, Outcome>,
  { samples }: Pick<SampleRun, 'samples'>,
): ReadonlyMap<AssetId, Outcome> {
  const changed = new Map(outcomes)
  for (const { assetId, result } of samples) {
    const outcome = changed.get(assetId)
    if (outcome === undefined || result.is !== 'bad') continue
    const kind = TONES[outcome.kind] === 'bad' ? outcome.kind : 'sample_bad'
    changed.set(assetId, { ...outcome, kind, sampleFault: outcome.sampleFault ?? result.why })
  }
  return changed
}

function partsInDoubt(verdict: AssetVerdict | undefined, doubts: readonly Doubt[]): readonly BundleRole[] {
  if (verdict === undefined) return []
  const isAboutReading = doubts.every(({ reason }) => reason === 'rate_limited' || reason === 'not_examined')
  const isFine = (blob: BlobVerdict | undefined, role: BundleRole) =>
    blob?.role === role &&
    blob.stored &&
    blob.indexed &&
    blob.retrievable &&
    blob.deep !== 'corrupt' &&
    (!isAboutReading || blob.deep === 'intact')
  return BUNDLE_ROLES.filter((role, index) => !isFine(verdict.blobs[index], role))
}

/** `good` is only for files that were read byte by byte. */
export type Tone = 'good' | 'info' | 'warn' | 'bad'

export const TONES: Readonly<Record<OutcomeKind, Tone>> = {
  tampered: 'bad',
  damaged: 'bad',
  sample_bad: 'bad',
  missing: 'bad',
  not_held: 'bad',
  withheld: 'bad',
  not_vouched: 'bad',
  unreadable: 'bad',
  unsigned: 'bad',
  device_revoked: 'bad',
  other_file: 'bad',
  incomplete: 'bad',
  not_examined: 'warn',
  not_yet: 'warn',
  no_answer: 'warn',
  held_structural: 'info',
  held_deep: 'good',
}

/** Files in the inbox. The server says what it withholds; no signature and no reading says more. */
export interface InboxTally {
  readonly files: number
  readonly damaged: number
  readonly held: number
}

export interface Tally {
  readonly total: number
  readonly deep: number
  readonly structural: number
  readonly problems: number
  /** Files without a result, also those that were never asked about. */
  readonly unchecked: number
  /** Undefined when the check was not about the inbox. */
  readonly inbox?: InboxTally | undefined
}

/** `total`: all files, also those without an outcome. */
export function tallyOf(
  outcomes: Iterable<Pick<Outcome, 'kind'>>,
  total: number,
  inbox?: InboxTally | undefined,
): Tally {
  const count = { good: 0, info: 0, warn: 0, bad: 0 }
  for (const { kind } of outcomes) count[TONES[kind]]++
  return {
    total,
    deep: count.good,
    structural: count.info,
    problems: count.bad,
    unchecked: total - count.good - count.info - count.bad,
    ...(inbox !== undefined && inbox.files > 0 && { inbox }),
  }
}

/** The result for all files together. Only `all_read` is a full yes, and only for files in albums. */
export type Summary = 'nothing' | 'problems' | 'unchecked' | 'inbox_only' | 'structural' | 'all_read'

export function summaryOf({ total, problems, unchecked, structural, inbox }: Tally): Summary {
  if (problems + withheldOf(inbox) > 0) return 'problems'
  if (total === 0) return inbox === undefined ? 'nothing' : 'inbox_only'
  if (unchecked > 0) return 'unchecked'
  return structural > 0 ? 'structural' : 'all_read'
}

/** How many files of the inbox have a problem. */
export function withheldOf(inbox: InboxTally | undefined): number {
  return inbox === undefined ? 0 : inbox.damaged + inbox.held
}

export const SUMMARY_TONES: Readonly<Record<Summary, Tone>> = {
  nothing: 'info',
  problems: 'bad',
  unchecked: 'warn',
  inbox_only: 'info',
  structural: 'info',
  all_read: 'good',
}
