/** What `save` and `watch` share: the steps that their flags mean, and the lines for each drop. */
import type { Album, DescribedDrop, InboxItem } from '@blindkeep/client/owner'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { OwnerFlags } from '../account/profile.ts'
import type { SignedIn } from '../account/session.ts'
import type { Exit } from '../ground/exits.ts'
import type { Report } from '../ground/report.ts'
import { filesText, shortId, shown } from '../ground/texts.ts'
import { type Failure, failureOf } from '../outcomes/failures.ts'
import type { FileUnderWay, Progress } from '../send/progress.ts'
import { type Adopted, type Adoptions, openAdoptions } from './adoptions.ts'
import type { LabelFlags } from './answers.ts'
import { openProgram, type ProgramFlags } from './exec.ts'
import { albumOf, type Inbox, openInbox } from './inbox.ts'
import { dropText, exitOfFault, factsOf, nameOf, titleOf } from './items.ts'
import { forgetOthers, type Step, type Steps, saveDrop } from './saveDrop.ts'
import type { SavedDrops } from './savedDrops.ts'

export interface SavingFlags extends OwnerFlags, Pick<LabelFlags, 'into'> {
  readonly link?: string
  readonly adopt?: string
  readonly discard?: boolean
  readonly notes?: boolean
}

export interface Saving {
  readonly inbox: Inbox
  readonly adoptions: Adoptions
  readonly kept: SavedDrops
  readonly steps: Steps
  /** Takes one drop through all steps, and tells each. Throws what the failed step throws. */
  save(drop: DescribedDrop, progress: Progress<FileUnderWay>): Promise<void>
  /** Goes on with an adoption that was begun, and tells it. */
  adopt(drop: DescribedDrop): Promise<void>
  /** Forgets what was kept of drops that have left the inbox. */
  forgetOthers(inInbox: ReadonlySet<string>): Promise<void>
}

interface OpenSaving {
  readonly signed: SignedIn
  readonly flags: SavingFlags
  readonly kept: SavedDrops
  readonly signal: AbortSignal
  readonly program?: ProgramFlags
  readonly again?: boolean
  /** Whether a drop that was saved before gets a line. */
  readonly tellsBefore?: boolean
  readonly onStep?: (step: Step['is']) => void
}

export async function openSaving(call: OpenSaving): Promise<Saving> {
  const { signed, flags, kept, signal, program = {}, again = false, tellsBefore = true, onStep } = call
  const { owner, report, device } = signed
  const album = await albumOf(owner, flags.adopt)
  // A device that cannot sign any more is found before the first drop is saved.
  if (album !== undefined) await device()
  const then = album === undefined ? (flags.discard === true ? 'discard' : undefined) : { adopt: album.albumId }
  const [inbox, adoptions] = [openInbox(signed), openAdoptions(signed)]
  const run = openProgram(program, { labelOf: inbox.labelOf, factsPath: kept.factsPath })
  const steps: Steps = { again, notes: flags.notes === true, into: flags.into, run, then }

  async function save(drop: DescribedDrop, progress: Progress<FileUnderWay>): Promise<void> {
    const moving = movingOf(drop)
    const onProgress = progress.of(moving)
    try {
      const label = await inbox.labelOf(drop.opaqueId)
      const onBytes = (bytes: number) => onProgress({ phase: 'saving', bytes, of: drop.file.size })
      const tell = (step: Step) => {
        if (step.is === 'adopted') tellAdopted(report, drop, { ...step, album })
        else if (step.is !== 'saved_before' || tellsBefore) tellStep(report, { drop, step, label })
        onStep?.(step.is)
      }
      await saveDrop({ owner, kept, adoptions, steps, signal, onBytes, onStep: tell }, drop)
    } finally {
      progress.end(moving)
    }
  }

  return {
    inbox,
    adoptions,
    kept,
    steps,
    save,
    async adopt(drop) {
      if (album === undefined) return
      tellAdopted(report, drop, { ...(await adoptions.adopt(drop, { albumId: () => album.albumId }, signal)), album })
      onStep?.('adopted')
    },
    forgetOthers: (inInbox) =>
      forgetOthers(kept, inInbox, (dropId, path) => {
        report.result(`A drop that has left the inbox is saved as ${shown(path)}.`, {
          event: 'saved',
          drop_id: dropId,
          path,
        })
        onStep?.('saved')
      }),
  }
}

/** For a progress. */
export function movingOf(drop: DescribedDrop): FileUnderWay {
  return { shownAs: nameOf(drop), size: drop.file.size }
}

interface ToldStep {
  readonly drop: DescribedDrop
  readonly step: Exclude<Step, { readonly is: 'adopted' }>
  readonly label: string | undefined
}

function tellStep(report: Report, { drop, step, label }: ToldStep): void {
  const name = shown(nameOf(drop))
  if (step.is === 'discarded') {
    report.result(`${name} is discarded.`, { event: 'discarded', drop_id: drop.dropId, name: nameOf(drop) })
    return
  }
  const fact = { ...factsOf(drop, label), path: step.path }
  if (step.is === 'saved')
    report.result(`${dropText(drop)} is saved as ${shown(step.path)}.`, { event: 'saved', ...fact })
  else report.result(`${name} had been saved before, as ${shown(step.path)}.`, { event: 'saved_before', ...fact })
}

/** `album`: the one that was asked for. An adoption that was begun is finished where it began. */
interface ToldAdoption extends Adopted {
  readonly album: Album | undefined
  readonly retainUntil?: string | undefined
}

export function tellAdopted(
  report: Report,
  drop: DescribedDrop,
  { assetId, albumId, album, retainUntil }: ToldAdoption,
): void {
  const isOther = album?.albumId !== albumId
  const where = isOther ? `the album ${shortId(albumId)}, as it was begun` : shown(album?.name ?? shortId(albumId))
  report.result(`${shown(titleOf(drop))} is adopted into ${where}, as file ${shortId(assetId)}.`, {
    event: 'adopted',
    drop_id: drop.dropId,
    name: nameOf(drop),
    asset_id: assetId,
    album_id: albumId,
    retained_until: retainUntil,
  })
}

export function tellFailed(report: Report, item: InboxItem, { message, reason }: Omit<Failure, 'exit'>): void {
  const fact = { event: 'failed', drop_id: item.dropId, name: item.file && nameOf(item), reason, message }
  report.problem(`${shown(nameOf(item))}: ${shown(message)}`, fact)
}

/** Tells why drops do not open. Returns an exit status for each of these. */
export function tellFaults(items: readonly InboxItem[], report: Report): readonly Exit[] {
  return items.flatMap((item) => {
    if (item.fault === undefined) return []
    tellFailed(report, item, item.fault)
    return [exitOfFault(item.fault)]
  })
}

/** Small files wait for the disk and for answers most of the time. */
export const AT_ONCE = 4

interface EachDrop<Item> {
  readonly report: Report
  readonly signal: AbortSignal
  readonly work: (item: Item) => Promise<void>
}

/** Several at once. A failure is reported and stops no others. Resolves with a status for each failure. */
export async function forEachDrop<Item extends InboxItem>(
  items: readonly Item[],
  { report, signal, work }: EachDrop<Item>,
): Promise<readonly Exit[]> {
  const failed: Exit[] = []
  await mapConcurrently(items, AT_ONCE, async (item) => {
    if (signal.aborted) return
    try {
      await work(item)
    } catch (error) {
      if (signal.aborted) return
      const failure = failureOf(error)
      failed.push(failure.exit)
      tellFailed(report, item, failure)
    }
  })
  return failed
}

/** The same, with a row that says how far all are, and a line if it is stopped. */
export async function forAllDrops<Item extends InboxItem>(
  items: readonly Item[],
  { report, signal, work }: EachDrop<Item>,
): Promise<readonly Exit[]> {
  let [done, ended] = [0, 0]
  const failed = await forEachDrop(items, {
    report,
    signal,
    async work(item) {
      try {
        await work(item)
        done++
      } finally {
        ended++
        report.progress(() => [`${ended} of ${items.length} are done`])
      }
    },
  })
  report.end()
  if (signal.aborted)
    report.problem(`Stopped: ${done} of ${filesText(items.length)} are done. Call the same line again to go on.`, {
      event: 'stopped',
      done,
      of: items.length,
    })
  return failed
}
