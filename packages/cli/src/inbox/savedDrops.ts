/** The drops that this profile saves into one folder, each once. A file for each: the inbox may be long. */
import { createHash } from 'node:crypto'
import { readdir, realpath, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { DropId } from '@blindkeep/protocol/ids'
import { isObject } from '@blindkeep/protocol/json'
import type { SignedIn } from '../account/session.ts'
import { makeFolder, syncFolder } from '../ground/disk.ts'
import type { Report } from '../ground/report.ts'
import { shortId } from '../ground/texts.ts'
import { whileAlone } from '../home/claims.ts'
import { Damaged, hasTexts, parsed, type Reading } from '../home/damaged.ts'
import { readPrivate, writePrivate } from '../home/files.ts'
import type { SavePlan } from '../save/saveFile.ts'

export interface SavedDrop {
  /** Noted before the file gets its name. */
  readonly plan: SavePlan
  /** Noted once the file, its name, and its note are on the disk. */
  readonly path?: string
  /** The program of `--exec` has ended with 0 for this file. */
  readonly hasRun?: boolean
}

export interface SavedDrops {
  /** Absolute, without symbolic links. */
  readonly folder: string
  /** A path of this folder's own, for what a program reads. */
  readonly factsPath: string
  of(dropId: DropId): SavedDrop | undefined
  /** On the disk when it resolves. */
  keep(dropId: DropId, kept: SavedDrop): Promise<void>
  /** As `keep`. */
  forget(dropId: DropId): Promise<void>
  all(): readonly (readonly [DropId, SavedDrop])[]
}

/** Makes the folder and runs `work`; throws `LocalError` while another process of the profile saves there. */
export async function withSavedDrops<Result>(
  { profile, owner, report }: SignedIn,
  folder: string,
  work: (kept: SavedDrops) => Promise<Result>,
): Promise<Result> {
  makeFolder(folder)
  const real = await realpath(resolve(folder))
  const name = createHash('sha256').update(`${owner.accountId}\n${real}`).digest('hex')
  const path = join(profile.directory, 'saved', name)
  const claim = { home: profile.home, path, doing: `saves drops into ${real}` }
  return await whileAlone(claim, async () => work(await openKeptDrops(path, real, report)))
}

const ENDING = '.json'

const KEPT: Reading<SavedDrop> = {
  is: (json): json is SavedDrop =>
    isObject(json) &&
    hasTexts(json.plan, ['part', 'path']) &&
    (json.path === undefined || typeof json.path === 'string') &&
    (json.hasRun === undefined || typeof json.hasRun === 'boolean'),
  says: 'how a drop was saved',
  without: 'to save the drop again',
}

async function openKeptDrops(directory: string, folder: string, report: Report): Promise<SavedDrops> {
  makeFolder(directory, 0o700)
  const drops = new Map<DropId, SavedDrop>()
  const facts = `${directory}.facts`
  // Of a process that was killed, also while it wrote.
  await rm(facts, { recursive: true, force: true })
  const pathOf = (dropId: DropId) => join(directory, `${dropId}${ENDING}`)
  for (const name of await readdir(directory)) {
    if (!name.endsWith(ENDING)) continue
    const text = await readPrivate(join(directory, name))
    const dropId = basename(name, ENDING) as DropId
    try {
      if (text !== undefined) drops.set(dropId, parsed(text, join(directory, name), KEPT))
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      report.problem(
        `What is kept of the drop ${shortId(dropId)} is damaged: if it is in the inbox, it counts as not saved before.`,
        { event: 'damaged', drop_id: dropId },
      )
      await rm(pathOf(dropId), { force: true })
    }
  }
  return {
    folder,
    factsPath: join(facts, 'drop.json'),
    of: (dropId) => drops.get(dropId),
    async keep(dropId, kept) {
      await writePrivate(pathOf(dropId), JSON.stringify(kept))
      await syncFolder(directory)
      drops.set(dropId, kept)
    },
    async forget(dropId) {
      await rm(pathOf(dropId), { force: true })
      await syncFolder(directory)
      drops.delete(dropId)
    },
    all: () => [...drops],
  }
}
