/** `blindkeep inbox save`: drops become files in a folder. */
import type { DescribedDrop } from '@blindkeep/client/owner'
import { countText } from '@blindkeep/protocol/counts'
import { signedIn } from '../account/session.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { EXIT, type Exit, exitOf } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import type { Report } from '../ground/report.ts'
import { createProgress } from '../send/progress.ts'
import { type ChoiceFlags, requireChoice, type Selection, select, selectionOf } from './inbox.ts'
import type { Step } from './saveDrop.ts'
import { withSavedDrops } from './savedDrops.ts'
import { forEachDrop, movingOf, openSaving, type Saving, type SavingFlags, tellFaults } from './saveSteps.ts'

interface SaveFlags extends SavingFlags, ChoiceFlags {
  readonly to: string
  readonly again?: boolean
}

export async function save(ids: readonly string[], flags: SaveFlags): Promise<Exit> {
  requireChoice(ids, flags)
  const signed = await signedIn(flags)
  return await interruptible((signal) =>
    withSavedDrops(signed, flags.to, async (kept) => {
      const { owner, report } = signed
      const done: Step['is'][] = []
      const { again = false } = flags
      try {
        const saving = await openSaving({ signed, flags, kept, signal, again, onStep: (step) => done.push(step) })
        const selection = await selectionOf(ids, flags, { owner, items: () => saving.inbox.read(signal) })
        const failed = await saveChosen({ saving, selection, report, signal })
        if (done.includes('adopted')) await followAlbums(signed, signal)
        return conclude({ done, failed, report, signal })
      } finally {
        report.end()
      }
    }),
  )
}

interface SaveChosen {
  readonly saving: Saving
  readonly selection: Selection
  readonly report: Report
  readonly signal: AbortSignal
}

async function saveChosen({ saving, selection, report, signal }: SaveChosen): Promise<readonly Exit[]> {
  const items = await saving.inbox.read(signal)
  const inInbox = new Set<string>(items.map(({ dropId }) => dropId))
  const begun = saving.steps.then instanceof Object ? await saving.adoptions.begun() : []
  const all = [...items, ...begun.filter(({ dropId }) => !inInbox.has(dropId))]
  const ids = await saving.inbox.withoutLeft(selection.ids ?? [], all)
  const chosen = select(all, { ...selection, ids })
  await saving.forgetOthers(inInbox)
  const drops = chosen.filter((item) => item.file !== undefined)
  const toSave = drops.filter(({ dropId }) => inInbox.has(dropId))
  const progress = createProgress(toSave.map(movingOf), report)
  const work = (drop: DescribedDrop) => (inInbox.has(drop.dropId) ? saving.save(drop, progress) : saving.adopt(drop))
  return [...tellFaults(chosen, report), ...(await forEachDrop(drops, { report, signal, work }))]
}

interface Conclusion {
  readonly done: readonly Step['is'][]
  readonly failed: readonly Exit[]
  readonly report: Report
  readonly signal: AbortSignal
}

function conclude({ done, failed, report, signal }: Conclusion): Exit {
  const count = (step: Step['is']) => done.filter((each) => each === step).length
  const [saved, before] = [count('saved'), count('saved_before')]
  const [adopted, discarded] = [count('adopted'), count('discarded')]
  const fact = { saved, saved_before: before, adopted, discarded, failed: failed.length }
  report.end()
  if (signal.aborted) {
    const text = `Stopped: ${files(saved)} saved. Call the same line again to go on.`
    report.problem(text, { event: 'stopped', ...fact })
    return EXIT.interrupted
  }
  const parts = [
    done.length + failed.length === 0 ? 'There is nothing to save' : `${files(saved)} saved`,
    ...(before > 0 ? [`${before} had been before`] : []),
    ...(adopted > 0 ? [`${adopted} adopted`] : []),
    ...(discarded > 0 ? [`${discarded} discarded`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ]
  report.result(`${parts.join(', ')}.`, { event: 'done', ...fact })
  return exitOf(failed)
}

const files = (count: number) => countText(count, 'file is', 'files are')
