/**
 * Adoptions that this profile has begun. The id of the asset and what was shown of the drop are kept until the asset is complete: after a kill the drop
 * may have left the inbox already.
 */
import { mkdir, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ProblemError } from '@blindkeep/client/errors'
import type { Album, DescribedDrop } from '@blindkeep/client/owner'
import type { AccountId, AssetId, DropId } from '@blindkeep/protocol/ids'
import type { SignedIn } from '../account/session.ts'
import { syncFolder } from '../ground/disk.ts'
import { whileAlone } from '../home/claims.ts'

interface KeptAdoption {
  readonly accountId: AccountId
  readonly drop: DescribedDrop
  readonly assetId: AssetId
  readonly albumId: Album['albumId']
}

export interface Adopted {
  readonly assetId: AssetId
  /** The album in which it was begun, if an earlier call did that. */
  readonly albumId: Album['albumId']
}

export interface Adoptions {
  /** Adopts the drop, or goes on with what an earlier process has begun. Throws what `owner.adoptDrop` throws. */
  adopt(drop: DescribedDrop, albumId: Album['albumId'], signal: AbortSignal): Promise<Adopted>
  /** The drops whose adoption was begun and is not complete. They may have left the inbox. */
  begun(): Promise<readonly DescribedDrop[]>
}

const FOLDER = 'adopting'
const ENDING = '.json'

export function openAdoptions({ owner, profile, device }: SignedIn): Adoptions {
  const { accountId } = owner
  const directory = join(profile.directory, FOLDER)
  const nameOf = (dropId: DropId) => join(FOLDER, dropId)

  async function keptOf(dropId: DropId): Promise<KeptAdoption | undefined> {
    // Written by this program, in a directory that only this user may write.
    const kept = (await profile.vault.read(nameOf(dropId))) as KeptAdoption | undefined
    return kept?.accountId === accountId ? kept : undefined
  }

  async function adoptAlone(drop: DescribedDrop, albumId: Album['albumId'], signal: AbortSignal): Promise<Adopted> {
    const before = await keptOf(drop.dropId)
    const adoption = before ?? { accountId, drop, assetId: owner.newAssetId(), albumId }
    if (before === undefined) {
      await profile.vault.write(nameOf(drop.dropId), adoption)
      await syncFolder(directory)
    }
    const { assetId, albumId: album } = adoption
    try {
      await owner.adoptDrop(drop, { album, assetId, device: await device(), signal })
    } catch (error) {
      if (isNotThere(error)) await profile.vault.remove(nameOf(drop.dropId))
      throw error
    }
    await profile.vault.remove(nameOf(drop.dropId))
    return { assetId, albumId: album }
  }

  return {
    adopt: (drop, albumId, signal) =>
      whileAlone({ home: profile.home, path: join(directory, drop.dropId), doing: 'adopts this drop' }, () =>
        adoptAlone(drop, albumId, signal),
      ),
    async begun() {
      await mkdir(directory, { mode: 0o700, recursive: true })
      const names = (await readdir(directory)).filter((name) => name.endsWith(ENDING))
      const kept = await Promise.all(names.map((name) => keptOf(basename(name, ENDING) as DropId)))
      return kept.flatMap((adoption) => (adoption === undefined ? [] : [adoption.drop]))
    },
  }
}

/** It was adopted otherwise or discarded; or its album cannot be used any more, so that the next call may choose another one. */
function isNotThere(error: unknown): boolean {
  return (
    error instanceof ProblemError &&
    (error.code === 'error.drop.not_found' || error.code === 'error.album.not_available')
  )
}
