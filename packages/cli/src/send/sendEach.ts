/** Sends chosen files, some at once, and says what became of each. */
import { createSendTurns, type SendTurns } from '@blindkeep/client/guest'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { countText } from '@blindkeep/protocol/counts'
import { EXIT, type Exit } from '../ground/exits.ts'
import type { Report } from '../ground/report.ts'
import { filesText, namesText, shown } from '../ground/texts.ts'
import { AfterLanding, type Fate, fateText } from '../outcomes/afterLanding.ts'
import { failureOf } from '../outcomes/failures.ts'
import type { Outcomes } from '../outcomes/outcomes.ts'
import type { Choice, ChosenFile } from './files.ts'
import { createProgress, type FileProgress } from './progress.ts'

/** Small files wait for the server's disk and for answers most of the time. */
const AT_ONCE = 4

export interface Sending {
  readonly report: Report
  readonly outcomes: Outcomes
  readonly signal: AbortSignal
  /** Files that have landed before are sent, too. */
  readonly again?: boolean | undefined
}

/** What was found beside the files: wrong ones fail, others are left out. */
export function tellOthers({ others, emptyFolders, receipts }: Choice, { report, outcomes }: Sending): void {
  for (const { shownAs, why, isWrong } of others) {
    if (isWrong) outcomes.fail(shownAs, { path: shownAs }, { message: why, reason: 'unreadable', exit: EXIT.failed })
    else report.problem(`${shown(shownAs)} is left out: it ${why}.`, { event: 'left_out', path: shownAs, reason: why })
  }
  if (emptyFolders.length > 0) {
    const text = `${countText(emptyFolders.length, 'empty folder is', 'empty folders are')} not sent: ${namesText(emptyFolders)}.`
    report.problem(text, { event: 'empty_folders', paths: emptyFolders })
  }
  if (receipts.length > 0) {
    const count = countText(receipts.length, 'receipt in a folder is', 'receipts in folders are')
    report.problem(`${count} not sent: ${namesText(receipts)}. Name one itself to send it.`, {
      event: 'receipts_left_out',
      paths: receipts,
    })
  }
}

export interface Sent {
  /** An earlier call has sent it. */
  readonly isFromBefore: boolean
}

export interface SendOne {
  readonly onProgress: (progress: FileProgress) => void
  readonly turns: SendTurns
}

/** `send` resolves once a file landed and its line was printed. Returns the status of all, after the last. */
export async function sendEach(
  files: readonly ChosenFile[],
  { report, outcomes, signal, again }: Sending,
  send: (file: ChosenFile, options: SendOne) => Promise<Sent>,
): Promise<Exit> {
  const progress = createProgress(files, report)
  const turns = createSendTurns()
  const unsent = [...outcomes.failed()]
  const fates = new Map<Fate, readonly string[]>()
  const results = await mapConcurrently(files, AT_ONCE, async (file) => {
    if (signal.aborted) return undefined
    try {
      return await send(file, { onProgress: progress.of(file), turns })
    } catch (error) {
      if (error instanceof AfterLanding) fates.set(error.reason, [...(fates.get(error.reason) ?? []), file.shownAs])
      else unsent.push(file.shownAs)
      if (!signal.aborted) outcomes.fail(file.shownAs, { path: file.shownAs }, failureOf(error))
      return undefined
    } finally {
      progress.end(file)
    }
  })
  const sent = results.filter((result) => result !== undefined)
  report.end()
  return conclude(sent, { report, outcomes, signal, again }, { of: files.length, unsent, fates })
}

interface Counts {
  readonly of: number
  readonly unsent: readonly string[]
  readonly fates: ReadonlyMap<Fate, readonly string[]>
}

function conclude(sent: readonly Sent[], { report, outcomes, signal, again }: Sending, counts: Counts): Exit {
  const { of, unsent, fates } = counts
  const before = sent.filter(({ isFromBefore }) => isFromBefore).length
  const landed = sent.length - before
  if (signal.aborted) {
    const text = `Stopped: ${sent.length} of ${filesText(of)} ${sent.length === 1 || of === 1 ? 'has' : 'have'} landed. Call the same line again${again === true ? ' without --again' : ''} to go on.`
    report.problem(text, { event: 'stopped', landed, landed_before: before })
    return EXIT.interrupted
  }
  if (of === 0 && outcomes.failed().length === 0) {
    report.problem('There is no file in what was named, so nothing was sent.', { event: 'nothing_to_send' })
    return EXIT.failed
  }
  const parts = [
    `${countText(landed, 'file has', 'files have')} landed`,
    ...(before > 0 ? [`${before} had landed before`] : []),
    ...[...fates].map(([fate, names]) => `${fateText(fate, names.length)}: ${namesText(names)}`),
    ...(unsent.length > 0 ? [`${unsent.length} did not: ${namesText(unsent)}`] : []),
  ]
  report.result(`${parts.join(', ')}.`, {
    event: 'done',
    landed,
    landed_before: before,
    failed: outcomes.failed().length,
  })
  return outcomes.exit()
}
