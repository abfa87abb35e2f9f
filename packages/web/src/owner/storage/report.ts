/** A dated report of a check, to save: its files, their results, and what these do not prove. */
import { sampleTally } from '@blindkeep/client/verify'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import type { Formats } from '../../common/language/format.ts'
import type { StorageText } from '../ground/texts.ts'
import type { CheckState } from './checkRun.ts'
import { type Outcome, summaryOf, type Tally, tallyOf, withheldOf } from './outcomes.ts'
import { sampleWords } from './sampleWords.ts'

interface ReportFacts {
  readonly baseUrl: string
  /** RFC 3339, by this device's clock. */
  readonly writtenAt: string
  readonly check: Pick<CheckState, 'entries' | 'inbox' | 'outcomes' | 'depth' | 'scope' | 'sampled'>
}

/** For programs. Another party can verify it with the hashes and receipt numbers. */
export function jsonReport({ baseUrl, writtenAt, check }: ReportFacts): string {
  const { entries, inbox, outcomes, depth, sampled } = check
  const tally = tallyOf(outcomes.values(), entries.length, inbox)
  const files = entries.map(({ assetId }) => {
    const outcome = outcomes.get(assetId)
    return {
      asset_id: assetId,
      name: outcome?.name ?? null,
      size: outcome?.size ?? null,
      outcome: outcome?.kind ?? 'not_asked',
      in_doubt: outcome?.parts ?? [],
      checked_at: outcome?.checkedAt ?? null,
      hashes: outcome?.hashes ?? null,
      receipt_seqs: outcome?.receiptSeqs ?? [],
      signer_revoked_at: outcome?.signerRevokedAt ?? null,
      sample_fault: outcome?.sampleFault ?? null,
    }
  })
  const summary = summaryOf(tally)
  const sample = sampled && { ...sampleTally(sampled), seed: sampled.seed, segments: sampled.segments }
  const report = { server: baseUrl, written_at: writtenAt, depth, summary, tally, ...(sample && { sample }), files }
  return `${JSON.stringify(report, undefined, 2)}\n`
}

/** For people. */
export function textReport(facts: ReportFacts, text: StorageText, format: Formats): string {
  const { baseUrl, writtenAt, check } = facts
  const { entries, inbox, outcomes, depth, scope, sampled } = check
  const tally = tallyOf(outcomes.values(), entries.length, inbox)
  const head = [
    text.report.title,
    '',
    `${text.report.server}: ${baseUrl}`,
    `${text.report.made}: ${format.instant(writtenAt)} (${writtenAt})`,
    `${text.report.depth}: ${text.report[depth]}`,
    `${text.report.scope}: ${scope}`,
    '',
    `${text.report.result}: ${summaryWords(tally, text)}`,
    ...countWords(tally, text).map((words) => `  ${words}`),
    ...(tally.inbox === undefined ? [] : [text.results.inbox(tally.inbox)]),
    ...(sampled === undefined ? [] : sampleWords(sampled, text, format)),
    '',
    text.results.checkedHeading,
    ...[...text.results.checkedDone, ...(tally.deep > 0 ? [text.results.checkedDeep] : [])].map(
      (line) => `  - ${line}`,
    ),
    '',
    text.results.uncheckedHeading,
    ...[...(sampled === undefined ? [] : text.sample.limits), ...text.results.uncheckedList].map(
      (line) => `  - ${line}`,
    ),
    '',
    text.report.list,
  ]
  const list = entries.flatMap(({ assetId }) => fileLines(assetId, outcomes.get(assetId), text))
  return `${[...head, ...list].join('\n')}\n`
}

function fileLines(assetId: string, outcome: Outcome | undefined, text: StorageText): readonly string[] {
  if (outcome === undefined) return [`  ${assetId}`, `    ${text.results.notAsked}`]
  const { kind, name, checkedAt, hashes, receiptSeqs, signerRevokedAt, sampleFault } = outcome
  return [
    `  ${oneLine(name ?? text.results.unnamed)}`,
    `    ${text.kinds[kind].title}${checkedAt === undefined ? '' : ` (${checkedAt})`}`,
    ...(sampleFault === undefined ? [] : [`    ${text.sample.faults[sampleFault]}`]),
    ...(signerRevokedAt === undefined ? [] : [`    ${text.report.signerRevoked} (${signerRevokedAt})`]),
    `    ${assetId}`,
    ...(hashes === undefined ? [] : [`    SHA-256 ${hashes.original}`]),
    ...(receiptSeqs.length === 0 ? [] : [`    ${text.results.receipts}: ${receiptSeqs.join(', ')}`]),
  ]
}

/** A name that a guest chose must not add lines to the report or turn the direction of text (Unicode TR 9). */
function oneLine(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�')
}

export function summaryWords(tally: Tally, text: StorageText): string {
  const { summaries } = text.results
  const summary = summaryOf(tally)
  if (summary === 'problems')
    return summaries.problems(tally.problems + withheldOf(tally.inbox), tally.total + (tally.inbox?.files ?? 0))
  if (summary === 'unchecked') return summaries.unchecked(tally.unchecked, tally.total)
  if (summary === 'nothing' || summary === 'inbox_only') return summaries[summary]()
  return summaries[summary](tally.total, tally.inbox !== undefined)
}

/** The counts that are not zero. */
export function countWords(tally: Tally, { results }: StorageText): readonly string[] {
  const { deep, structural, problems, unchecked } = tally
  return [
    ...(deep > 0 ? [results.counts.deep(deep)] : []),
    ...(structural > 0 ? [results.counts.structural(structural)] : []),
    ...(problems > 0 ? [results.counts.problems(problems)] : []),
    ...(unchecked > 0 ? [results.counts.unchecked(unchecked)] : []),
  ]
}

/** The first and the last time of the answers, by the server's clock; undefined without any. */
export function spanOf(outcomes: Iterable<Outcome>): { readonly from: string; readonly to: string } | undefined {
  const times = [...outcomes].flatMap(({ checkedAt }) => (checkedAt === undefined ? [] : [checkedAt]))
  const sorted = times.sort((a, b) => millisecondsOf(a) - millisecondsOf(b))
  const [from, to] = [sorted[0], sorted.at(-1)]
  return from === undefined || to === undefined ? undefined : { from, to }
}
