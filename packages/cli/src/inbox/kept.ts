/** What this profile remembers of the drops that it saves into one folder, so that each is saved once. A file for each drop: the inbox may be long. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { DropId } from '@blindkeep/protocol/ids'
import type { SignedIn } from '../account/session.ts'
import { syncFolder } from '../ground/disk.ts'
import { whileAlone } from '../home/claims.ts'
import { readPrivate, writePrivate } from '../home/files.ts'
import type { SavePlan } from '../save/saveFile.ts'

export interface KeptDrop {
  /** Noted before the file gets its name. */
  readonly plan: SavePlan
  /** Noted once the file, its name, and its note are on the disk. */
  readonly path?: string
  /** The program of `--exec` has ended with 0 for this file. */
  readonly hasRun?: boolean
}

export interface KeptDrops {
  /** Absolute, without symbolic links. */
  readonly folder: string
  of(dropId: DropId): KeptDrop | undefined
  /** On the disk when it resolves. */
  keep(dropId: DropId, kept: KeptDrop): Promise<void>
  /** As `keep`. */
  forget(dropId: DropId): Promise<void>
  all(): readonly (readonly [DropId, KeptDrop])[]
}

/** Makes the folder. Runs `work` while no other process of this profile saves drops into it; throws `LocalError` if one does. */
export async function withKeptDrops<Result>(
  { profile, owner }: SignedIn,
  folder: string,
  work: (kept: KeptDrops) => Promise<Result>,
): Promise<Result> {
  await mkdir(folder, { recursive: true })
  const real = await realpath(resolve(folder))
  const name = createHash('sha256').update(`${owner.accountId}\n${real}`).digest('hex')
  const path = join(profile.directory, 'saved', name)
  const claim = { home: profile.home, path, doing: `saves drops into ${real}` }
  return await whileAlone(claim, async () => work(await openKeptDrops(path, real)))
}

const ENDING = '.json'

async function openKeptDrops(directory: string, folder: string): Promise<KeptDrops> {
  await mkdir(directory, { mode: 0o700, recursive: true })
  const drops = new Map<DropId, KeptDrop>()
  const pathOf = (dropId: DropId) => join(directory, `${dropId}${ENDING}`)
  for (const name of await readdir(directory)) {
    if (!name.endsWith(ENDING)) continue
    const text = await readPrivate(join(directory, name))
    // Both were written here, below.
    if (text !== undefined) drops.set(basename(name, ENDING) as DropId, JSON.parse(text) as KeptDrop)
  }
  return {
    folder,
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
