/** One drop, step by step. Each is done once noted, so a call after a kill continues with the next. */
import { open, stat } from 'node:fs/promises'
import { type FolderTemplate, foldersFor } from '@blindkeep/client/folderTemplate'
import type { Album, DescribedDrop, Owner } from '@blindkeep/client/owner'
import { ifDiskHas } from '../ground/disk.ts'
import { LocalError } from '../ground/exits.ts'
import { shown } from '../ground/texts.ts'
import { finishPlan, isAsWritten, type SavePlan, saveFile } from '../save/saveFile.ts'
import type { Adopted, Adoptions } from './adoptions.ts'
import { saveNote } from './notes.ts'
import type { SavedDrop, SavedDrops } from './savedDrops.ts'

export interface Steps {
  /** Saves also what was saved before. */
  readonly again: boolean
  readonly notes: boolean
  /** Folders by what guests say. */
  readonly into?: FolderTemplate | undefined
  /** Runs for the saved file; rejects if that has to be repeated at the next start. */
  readonly run?: ((path: string, drop: DescribedDrop, signal: AbortSignal) => Promise<void>) | undefined
  /** What becomes of the drop once its bytes are on the disk. */
  readonly then?: { readonly adopt: Album['albumId'] } | 'discard' | undefined
}

export type Step =
  | { readonly is: 'saved' | 'saved_before'; readonly path: string }
  | ({ readonly is: 'adopted' } & Adopted)
  | { readonly is: 'discarded' }

interface SaveDrop {
  readonly owner: Owner
  readonly kept: SavedDrops
  readonly adoptions: Adoptions
  readonly steps: Steps
  readonly signal: AbortSignal
  /** Called with all bytes that are written. */
  readonly onBytes: (bytes: number) => void
  /** Called after each step. */
  readonly onStep: (step: Step) => void
}

/** Throws what the failed step throws. */
export async function saveDrop(call: SaveDrop, drop: DescribedDrop): Promise<void> {
  const { owner, adoptions, kept, steps, signal, onStep } = call
  const { isFromBefore, path } = await pathOf(call, drop)
  onStep({ is: isFromBefore ? 'saved_before' : 'saved', path })
  if (steps.run !== undefined && kept.of(drop.dropId)?.hasRun !== true) {
    await steps.run(path, drop, signal)
    await change(kept, drop, { hasRun: true })
  }
  if (steps.then === undefined) return
  signal.throwIfAborted()
  if (steps.then !== 'discard') {
    const { adopt: albumId } = steps.then
    return onStep({ is: 'adopted', ...(await adoptions.adopt(drop, { albumId: () => albumId }, signal)) })
  }
  // The program may have moved the file on; it has taken it over by ending with 0.
  const known = kept.of(drop.dropId)
  if (known?.hasRun !== true) await requireOnDisk(path, drop, isFromBefore ? known?.plan : undefined)
  await adoptions.forget(drop.dropId)
  await owner.discardDrop(drop.dropId)
  onStep({ is: 'discarded' })
}

/** Whether nothing is left to do for a drop that is still in the inbox. */
export function isDone(kept: SavedDrop | undefined, { run, then }: Steps): boolean {
  return kept?.path !== undefined && then === undefined && (run === undefined || kept.hasRun === true)
}

/** Names files that a killed process wrote whole, if their drops have left the inbox, and forgets these drops. */
export async function forgetOthers(
  kept: SavedDrops,
  inInbox: ReadonlySet<string>,
  onSaved: (dropId: string, path: string) => void,
): Promise<void> {
  for (const [dropId, { plan, path }] of kept.all()) {
    if (inInbox.has(dropId)) continue
    const finished =
      path === undefined ? await finishPlan(plan, (next) => kept.keep(dropId, { plan: next })) : undefined
    if (finished !== undefined) onSaved(dropId, finished)
    await kept.forget(dropId)
  }
}

async function pathOf(
  call: SaveDrop,
  drop: DescribedDrop,
): Promise<{ readonly path: string; readonly isFromBefore: boolean }> {
  const { kept, steps } = call
  const before = kept.of(drop.dropId)
  if (before?.path !== undefined && !steps.again) return { path: before.path, isFromBefore: true }
  const onPlanned = (plan: SavePlan) => kept.keep(drop.dropId, { plan })
  const isBegun = before !== undefined && before.path === undefined
  const begun = isBegun ? await finishPlan(before.plan, onPlanned) : undefined
  // A void plan must not find the part that is written now, before that is whole.
  if (isBegun && begun === undefined) await kept.forget(drop.dropId)
  const path = begun ?? (await saved(call, drop, onPlanned))
  if (steps.notes) await saveNote(path, drop)
  await change(kept, drop, { path })
  return { path, isFromBefore: false }
}

async function saved(
  { owner, kept, steps: { into }, signal, onBytes }: SaveDrop,
  drop: DescribedDrop,
  onPlanned: (plan: SavePlan) => Promise<void>,
): Promise<string> {
  const { name, size, modifiedAt } = drop.file
  const content = async () => (await owner.openDrop(drop, { signal })).content
  return await saveFile({
    folder: kept.folder,
    name,
    into: into && foldersFor(into, drop.file),
    id: drop.dropId,
    size,
    modifiedAt,
    content,
    onPlanned,
    onBytes,
  })
}

async function change(kept: SavedDrops, { dropId }: DescribedDrop, changed: Partial<SavedDrop>): Promise<void> {
  const before = kept.of(dropId)
  if (before === undefined) throw new RangeError('a step is noted for a drop without a plan')
  await kept.keep(dropId, { ...before, ...changed })
}

/** The server's copy is not given up for a missing one. `before`: how a call saved it; its bytes are read again. */
async function requireOnDisk(path: string, { file }: DescribedDrop, before: SavePlan | undefined): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  const isThere = found?.isFile() === true && found.size === file.size
  if (!isThere || !(before === undefined || (await isAsWritten(before))))
    throw new LocalError(
      `It was saved as ${shown(path)}, and is not there any more as it was. So the drop stays in the inbox: save it again with --again, or discard it with blindkeep inbox discard.`,
    )
  // Windows syncs only what is open for writing.
  const handle = await open(path, process.platform === 'win32' ? 'r+' : 'r')
  try {
    if (await ifDiskHas(() => handle.sync())) return
  } finally {
    await handle.close()
  }
  throw new LocalError(
    `It is saved as ${shown(path)}, but this disk cannot say that a power cut leaves it there. So the drop stays in the inbox: when you have a copy elsewhere, discard it with blindkeep inbox discard.`,
  )
}
