import { formatInstant } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import { openPresentData } from '../data.ts'
import { createCollector } from '../domain/custody/collect.ts'
import type { StoredObject } from '../ports/store.ts'
import type { Command, Outcome } from './command.ts'
import { sizeText } from './sizes.ts'

/** Removing what nothing owns any more. */
export const collectCommands: readonly Command[] = [
  {
    name: 'collect',
    summary: 'Marks objects that nothing owns any more, and removes those that have been marked for the grace window.',
    details: [
      'The server does the same by itself, some at a time; this does all of it now and may run beside it. What uploads have left behind is the',
      'server’s alone to remove. The settings have to be those of the server: GC_GRACE_SECONDS is how long verified bytes stay at least.',
    ],
    async run({ config }) {
      const data = await openPresentData(config)
      try {
        return outcomeOf(await collectAll(createCollector({ ...data, clock: systemClock }, config)))
      } finally {
        await data.close()
      }
    },
  },
]

/** Batch after batch, until there is nothing left to mark and nothing left that has waited. */
async function collectAll(collector: ReturnType<typeof createCollector>) {
  const [marked, removed, spared]: [StoredObject[], StoredObject[], StoredObject[]] = [[], [], []]
  for (;;) {
    const batch = await collector.mark()
    if (batch.length === 0) break
    marked.push(...batch)
  }
  for (;;) {
    const judged = await collector.judge()
    removed.push(...(await collector.remove(judged.deleting)))
    spared.push(...judged.spared)
    if (judged.deleting.length + judged.spared.length === 0)
      return { marked, removed, spared, pausedUntil: judged.pausedUntil }
  }
}

function outcomeOf({ marked, removed, spared, pausedUntil }: Awaited<ReturnType<typeof collectAll>>): Outcome {
  const amounts = { marked: amountOf(marked), removed: amountOf(removed), spared: amountOf(spared) }
  return {
    lines: [
      `Removed ${shownAmount(amounts.removed)}.`,
      `Marked ${shownAmount(amounts.marked)}, which may go when the grace window is over.`,
      ...(spared.length > 0
        ? [`Spared ${shownAmount(amounts.spared)}: on hold, or still named by a row (see fsck).`]
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
  return `${objects} ${objects === 1 ? 'object' : 'objects'}, ${sizeText(bytes)}`
}
