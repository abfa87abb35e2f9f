/** `blindkeep inbox discard`. */
import type { InboxItem } from '@blindkeep/client/owner'
import { countText } from '@blindkeep/protocol/counts'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { tellUndo } from '../bin/undo.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit, exitOf } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { namesText, shown } from '../ground/texts.ts'
import { openAdoptions } from './adoptions.ts'
import { type ChoiceFlags, openInbox, requireChoice, select, selectionOf } from './inbox.ts'
import { nameOf } from './items.ts'
import { forAllDrops, tellFaults } from './saveSteps.ts'

interface DiscardFlags extends OwnerFlags, ChoiceFlags {}

/**
 * One by one, never the whole pile of a link: what has arrived since the question was not meant. With `--yes` there is
 * no question, so that without ids only what an earlier command has shown is meant.
 */
export async function discard(ids: readonly string[], flags: DiscardFlags): Promise<Exit> {
  requireChoice(ids, flags)
  const signed = await signedIn(flags)
  const { owner, report } = signed
  return await interruptible(async (signal) => {
    const [inbox, adoptions] = [openInbox(signed), openAdoptions(signed)]
    const selection = await selectionOf(ids, flags, { owner, items: () => inbox.read(signal) })
    const wasShown = await inbox.shown()
    const all = await inbox.read(signal)
    const meant = select(all, { ...selection, ids: await inbox.withoutLeft(ids, all) })
    const isUnseen = (item: InboxItem) => flags.yes === true && ids.length === 0 && !wasShown(item)
    const unseen = meant.filter(isUnseen).length
    const chosen = meant.filter((item) => !isUnseen(item))
    // What does not open can be discarded; what is not what was shown cannot.
    const swapped = chosen.filter(({ fault }) => fault?.reason === 'another_drop')
    const items = chosen.filter((item) => !swapped.includes(item))
    report.end()
    if (unseen > 0)
      report.problem(`Not discarded, because no command has shown or saved them before: ${unseen}.`, {
        event: 'unseen',
        count: unseen,
      })
    if (unseen > 0 && chosen.length === 0) return EXIT.failed
    if (chosen.length === 0) report.list([], [], 'There is nothing to discard.')
    if (items.length > 0 && !(await agrees(questionOf(items), flags))) return EXIT.failed
    const discarded: string[] = []
    const work = async (item: InboxItem) => {
      await adoptions.forget(item.dropId)
      await owner.discardDrop(item.dropId)
      const name = nameOf(item)
      discarded.push(item.dropId)
      report.result(`${shown(name)} is discarded.`, { event: 'discarded', drop_id: item.dropId, name })
    }
    const failed = [...tellFaults(swapped, report), ...(await forAllDrops(items, { report, signal, work }))]
    if (!signal.aborted) await tellUndo(signed, discarded)
    return signal.aborted ? EXIT.interrupted : exitOf(failed)
  })
}

function questionOf(items: readonly InboxItem[]): string {
  const which = namesText(items.map(nameOf))
  return `Discard ${countText(items.length, 'drop')}, to be restored from the bin for a time: ${which}?`
}
