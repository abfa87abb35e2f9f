import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { formatInstant } from '@blindkeep/protocol/ids'
import { clockOf, openPresentData } from '../assembly/data.ts'
import { createCollector } from '../domain/custody/collect.ts'
import type { StoredObject } from '../ports/store.ts'
import { type Command, type Outcome, withOpen } from './command.ts'
import { requireWholeLog } from './restored.ts'

/** Deleting orphaned objects. */
export const collectCommands: readonly Command[] = [
  {
    name: 'collect',
    summary: 'Marks orphaned objects, and deletes those that have been marked for the grace window.',
    details: [
      'The server does the same by itself, some objects at a time. This command handles all of them now; the server may run. Only the server removes',
      'leftovers of uploads. Run it with the settings of the server: verified bytes stay at least for GC_GRACE_SECONDS.',
    ],
    run: ({ config }) =>
      withOpen(openPresentData(config), async (data) => {
        await requireWholeLog(data)
        return outcomeOf(await collectAll(createCollector({ ...data, clock: await clockOf(config) }, config)))
      }),
  },
]

/** Works in batches, until nothing is left to mark or to delete. */
async function collectAll(collector: ReturnType<typeof createCollector>) {
  const [marked, removed, spared]: [StoredObject[], StoredObject[], StoredObject[]] = [[], [], []]
  for (;;) {
    const batch = await collector.mark()
    if (batch.length === 0) break
    marked.push(...batch)
  }
  for (;;) {
    const collection = await collector.startDeleting()
    removed.push(...(await collector.remove(collection.deleting)))
    spared.push(...collection.postponed)
    if (collection.deleting.length + collection.postponed.length === 0)
      return { marked, removed, spared, pausedUntil: collection.pausedUntil }
  }
}

function outcomeOf({ marked, removed, spared, pausedUntil }: Awaited<ReturnType<typeof collectAll>>): Outcome {
  const amounts = { marked: amountOf(marked), removed: amountOf(removed), spared: amountOf(spared) }
  return {
    lines: [
      `Deleted ${shownAmount(amounts.removed)}.`,
      `Marked ${shownAmount(amounts.marked)}, to be deleted after the grace window.`,
      ...(spared.length > 0
        ? [`Spared ${shownAmount(amounts.spared)}: on hold, or a row still names it (see fsck).`]
        : []),
      ...(pausedUntil === undefined ? [] : [`A backup has paused the collector until ${formatInstant(pausedUntil)}.`]),
    ],
    json: { ...amounts, ...(pausedUntil !== undefined && { paused_until: formatInstant(pausedUntil) }) },
  }
}

interface Amount {
  readonly objects: number
  readonly bytes: number
}

function amountOf(objects: readonly StoredObject[]): Amount {
  return { objects: objects.length, bytes: objects.reduce((sum, { size }) => sum + size, 0) }
}

function shownAmount({ objects, bytes }: Amount): string {
  return `${countText(objects, 'object')}, ${sizeText(bytes)}`
}
