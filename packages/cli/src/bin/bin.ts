/** `blindkeep bin`: what was discarded or deleted, and the way back. */
import type { BinItem } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { countText } from '@blindkeep/protocol/counts'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit, UsageError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { pick } from '../ground/pick.ts'
import { shrinking } from '../ground/table.ts'
import { namesText, shortId, shown, timeText } from '../ground/texts.ts'
import { failureOf } from '../outcomes/failures.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'

/** Each name takes a request or two. */
const NAMES_AT_ONCE = 6

interface RestoreFlags extends OwnerFlags {
  readonly all?: boolean
}

export async function listBin(flags: OwnerFlags): Promise<Exit> {
  const session = await signedIn(flags)
  return await interruptible(async (signal) => {
    const items = await itemsIn(session, signal)
    session.report.list(
      [shrinking('NAME'), 'SIZE', 'DELETED', 'RESTORE UNTIL', 'ID'],
      items.map((item) => ({
        cells: [
          titleOf(item),
          sizeText(item.file?.size ?? item.sealedBytes),
          timeText(item.deletedAt),
          timeText(item.emptiesAt),
          shortId(item.id),
        ],
        fact: {
          ...factOf(item),
          size: item.file?.size,
          sealed_bytes: item.sealedBytes,
          deleted_at: item.deletedAt,
          empties_at: item.emptiesAt,
          message: item.fault === undefined ? undefined : failureOf(item.fault).message,
        },
      })),
      'The bin is empty.',
    )
    return EXIT.done
  })
}

export async function restore(given: readonly string[], flags: RestoreFlags): Promise<Exit> {
  if (given.length > 0 === (flags.all === true)) throw new UsageError('Name what to restore, or say --all.')
  const session = await signedIn(flags)
  const { owner, report } = session
  return await interruptible(async (signal) => {
    const items = await itemsIn(session, signal)
    const chosen = flags.all === true ? items : chosenOf(items, given)
    if (chosen.length === 0) report.list([], [], 'The bin is empty.')
    const outcomes = createOutcomes(report)
    for (const item of chosen) {
      signal.throwIfAborted()
      try {
        await owner.restore(item.id)
        const where = item.drop === undefined ? 'its album' : 'the inbox'
        report.result(`${titleOf(item)} is back in ${where}.`, { event: 'restored', ...factOf(item) })
      } catch (error) {
        outcomes.fail(titleOf(item), { bin_id: item.id }, failureOf(error))
      }
    }
    await followAlbums(session, signal)
    return outcomes.exit()
  })
}

export async function emptyBin(given: readonly string[], flags: OwnerFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { owner, report } = session
  return await interruptible(async (signal) => {
    const items = await itemsIn(session, signal)
    const chosen = given.length === 0 ? items : chosenOf(items, given)
    if (chosen.length === 0) {
      report.list([], [], 'The bin is empty.')
      return EXIT.done
    }
    const question = `Remove ${countText(chosen.length, 'file')} from the bin for good: ${namesText(chosen.map(nameOf))}?`
    if (!(await agrees(`${question} This cannot be undone.`, flags))) {
      report.problem('Nothing was removed.', { event: 'declined' })
      return EXIT.failed
    }
    // One by one: what has come into the bin since the question was not meant.
    for (const item of chosen) {
      signal.throwIfAborted()
      await owner.endBinEntry(item.id)
      report.result(`${titleOf(item)} is deleted for good.`, { event: 'removed', ...factOf(item) })
    }
    return EXIT.done
  })
}

/** Newest first. */
export async function itemsIn({ owner, report }: SignedIn, signal: AbortSignal): Promise<readonly BinItem[]> {
  const entries = []
  for await (const page of owner.bin({ order: 'newest', signal })) entries.push(...page)
  let read = 0
  const items = await mapConcurrently(entries, NAMES_AT_ONCE, async (entry) => {
    const item = await owner.describeBinEntry(entry, { signal })
    read += 1
    report.progress(() => [`${read} of ${entries.length} names are read`])
    return item
  })
  report.end()
  return items
}

function chosenOf(items: readonly BinItem[], given: readonly string[]): readonly BinItem[] {
  const of = {
    what: 'item',
    listedBy: 'bin list',
    id: ({ id }: BinItem) => id,
    name: ({ file }: BinItem) => file?.name,
  }
  return [...new Set(given.map((text) => pick(items, text, of)))]
}

const nameOf = ({ file, fault }: BinItem): string =>
  file?.name ?? (fault === undefined ? '(without a name)' : '(cannot be opened)')
const titleOf = (item: BinItem): string => shown(nameOf(item))
const factOf = ({ id, drop, asset, file }: BinItem) => ({
  bin_id: id,
  drop_id: drop?.dropId,
  asset_id: asset?.assetId,
  name: file?.name,
})
