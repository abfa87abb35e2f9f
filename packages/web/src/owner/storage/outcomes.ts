/** From what the client found to what the page says. Nothing is held here that the client doubts: only its own yes is one. */
import {
  type AssetVerdict,
  type BlobVerdict,
  BUNDLE_ROLES,
  type BundleRole,
  type Doubt,
  type DoubtReason,
  type HeldAnswer,
} from '@blindkeep/client/verify'
import type { AssetId, Sha256Hex } from '@blindkeep/protocol/ids'

/** Worst first: of several doubts about one file the first that is here is said. */
export const DOUBT_KINDS = [
  'damaged',
  'tampered',
  'missing',
  'not_held',
  'withheld',
  'not_vouched',
  'unreadable',
  'other_file',
  'incomplete',
  'not_examined',
  'not_yet',
  'unanswered',
] as const
export type DoubtKind = (typeof DOUBT_KINDS)[number]

export const OUTCOME_KINDS = [...DOUBT_KINDS, 'held_structural', 'held_deep'] as const
export type OutcomeKind = (typeof OUTCOME_KINDS)[number]

export interface Outcome {
  readonly assetId: AssetId
  readonly kind: OutcomeKind
  readonly name: string | undefined
  /** Of the file, as it was sealed; undefined where that could not be read. */
  readonly size: number | undefined
  /** The parts that are in doubt; none when it is the asset as a whole, or nothing is. */
  readonly parts: readonly BundleRole[]
  /** RFC 3339, by the server's clock, where it gave a verdict. */
  readonly checkedAt: string | undefined
  /** What was signed, and is held. */
  readonly hashes: Readonly<Record<BundleRole, Sha256Hex>> | undefined
  /** `receipt_seq` of each, checked. */
  readonly receiptSeqs: readonly number[]
  /** What went wrong, where something did. */
  readonly cause: Error | undefined
}

const KIND_OF: Readonly<Record<Exclude<DoubtReason, 'not_durable'>, DoubtKind>> = {
  asset_missing: 'missing',
  incomplete: 'incomplete',
  file_differs: 'other_file',
  corrupt: 'damaged',
  rate_limited: 'not_yet',
  not_examined: 'not_examined',
  tampered: 'tampered',
  unreadable: 'unreadable',
  refused: 'unanswered',
  unreachable: 'unanswered',
  answer_broken: 'unanswered',
}

/** Of at least one doubt; without any it is still no yes. */
export function kindOfDoubts(doubts: readonly Doubt[], verdict?: AssetVerdict): DoubtKind {
  const kinds = doubts.map(({ reason }) => (reason === 'not_durable' ? missingKind(verdict) : KIND_OF[reason]))
  return DOUBT_KINDS.find((kind) => kinds.includes(kind)) ?? 'not_vouched'
}

/** A verdict that is no yes says in which way. */
function missingKind(verdict: AssetVerdict | undefined): DoubtKind {
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
    cause: doubts.find(({ cause }) => cause !== undefined)?.cause,
  }
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

/** `good` is kept for what was read byte by byte. */
export type Tone = 'good' | 'info' | 'warn' | 'bad'

export const TONES: Readonly<Record<OutcomeKind, Tone>> = {
  tampered: 'bad',
  damaged: 'bad',
  missing: 'bad',
  not_held: 'bad',
  withheld: 'bad',
  not_vouched: 'bad',
  unreadable: 'bad',
  other_file: 'bad',
  incomplete: 'bad',
  not_examined: 'warn',
  not_yet: 'warn',
  unanswered: 'warn',
  held_structural: 'info',
  held_deep: 'good',
}

export interface Tally {
  readonly total: number
  readonly deep: number
  readonly structural: number
  readonly problems: number
  /** Of which nobody can say yet, those that were never asked about too. */
  readonly unchecked: number
}

/** Of `total` files, of which some may have no outcome yet. */
export function tallyOf(outcomes: Iterable<Pick<Outcome, 'kind'>>, total: number): Tally {
  const count = { good: 0, info: 0, warn: 0, bad: 0 }
  for (const { kind } of outcomes) count[TONES[kind]]++
  return {
    total,
    deep: count.good,
    structural: count.info,
    problems: count.bad,
    unchecked: total - count.good - count.info - count.bad,
  }
}

/** What is said of all of them together. `all_read` alone is a yes without a but. */
export type Summary = 'nothing' | 'problems' | 'unchecked' | 'structural' | 'all_read'

export function summaryOf({ total, problems, unchecked, structural }: Tally): Summary {
  if (total === 0) return 'nothing'
  if (problems > 0) return 'problems'
  if (unchecked > 0) return 'unchecked'
  return structural > 0 ? 'structural' : 'all_read'
}

export const SUMMARY_TONES: Readonly<Record<Summary, Tone>> = {
  nothing: 'info',
  problems: 'bad',
  unchecked: 'warn',
  structural: 'info',
  all_read: 'good',
}
