/**
 * Adoptions that this profile has begun. The id of the asset and what was shown of the drop are kept until the asset is
 * complete: after a kill the drop may have left the inbox already.
 */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ProblemError } from '@blindkeep/client/errors'
import type { Album, DescribedDrop } from '@blindkeep/client/owner'
import type { AccountId, AssetId, DropId } from '@blindkeep/protocol/ids'
import type { SignedIn } from '../account/session.ts'
import { makeFolder, syncFolder } from '../ground/disk.ts'
import { whileAlone } from '../home/claims.ts'
import { Damaged, hasTexts, type Reading } from '../home/damaged.ts'

interface KeptAdoption {
  readonly accountId: AccountId
  readonly drop: DescribedDrop
  readonly assetId: AssetId
  readonly albumId: Album['albumId']
  readonly retainUntil?: string | undefined
}

/** What the file becomes. */
interface Adopting {
  /** Asked unless an earlier process has begun it. What it throws ends the adoption before it begins. */
  readonly albumId: () => Album['albumId']
  /** RFC 3339: it cannot be deleted before. */
  readonly retainUntil?: string | undefined
}

export interface Adopted {
  readonly assetId: AssetId
  /** The album in which it was begun, if an earlier call did that. */
  readonly albumId: Album['albumId']
}

export interface Adoptions {
  /** Adopts the drop, or goes on with what an earlier process has begun. Throws what `owner.adoptDrop` throws. */
  adopt(drop: DescribedDrop, adopting: Adopting, signal: AbortSignal): Promise<Adopted>
  /** Of a drop that its owner discards: a server that says later that it was adopted gets no signature. */
  forget(dropId: DropId): Promise<void>
  /** The drops whose adoption was begun and is not complete. They may have left the inbox. */
  begun(): Promise<readonly DescribedDrop[]>
}

const FOLDER = 'adopting'
const ENDING = '.json'

const ADOPTION: Reading<KeptAdoption> = {
  is: (json): json is KeptAdoption =>
    hasTexts(json, ['accountId', 'assetId', 'albumId']) && 'drop' in json && hasTexts(json.drop, ['dropId']),
  says: 'how far the adoption of a drop has come',
  without: 'to adopt the drop again if it is still in the inbox',
}

export function openAdoptions({ owner, profile, report, device }: SignedIn): Adoptions {
  const { accountId } = owner
  const told = new Set<string>()
  const directory = join(profile.directory, FOLDER)
  const nameOf = (dropId: DropId) => join(FOLDER, dropId)

  async function keptOf(dropId: DropId): Promise<KeptAdoption | undefined> {
    const kept = await profile.vault.read(nameOf(dropId), ADOPTION)
    return kept?.accountId === accountId ? kept : undefined
  }

  async function adoptAlone(drop: DescribedDrop, adopting: Adopting, signal: AbortSignal): Promise<Adopted> {
    const before = await keptOf(drop.dropId)
    const { retainUntil: until } = adopting
    const adoption = before ?? {
      ...{ accountId, drop, assetId: owner.newAssetId() },
      ...{ albumId: adopting.albumId(), retainUntil: until },
    }
    if (before === undefined) {
      await profile.vault.write(nameOf(drop.dropId), adoption)
      await syncFolder(directory)
    }
    const { assetId, albumId: album, retainUntil } = adoption
    try {
      const isFirstTry = before === undefined
      await owner.adoptDrop(drop, { album, assetId, isFirstTry, retainUntil, device: await device(), signal })
      // An earlier call may have begun it with another retention, or with none.
      if (until !== undefined && until !== retainUntil) await owner.retainAssets([assetId], until)
    } catch (error) {
      if (isNotThere(error)) await profile.vault.remove(nameOf(drop.dropId))
      throw error
    }
    await profile.vault.remove(nameOf(drop.dropId))
    return { assetId, albumId: album }
  }

  /** The other adoptions go on. */
  function tellDamaged(error: unknown): undefined {
    if (!(error instanceof Damaged)) throw error
    if (!told.has(error.message)) report.problem(error.message, { event: 'damaged', message: error.message })
    told.add(error.message)
  }

  return {
    adopt: (drop, adopting, signal) =>
      whileAlone({ home: profile.home, path: join(directory, drop.dropId), doing: 'adopts this drop' }, () =>
        adoptAlone(drop, adopting, signal),
      ),
    forget: (dropId) => profile.vault.remove(nameOf(dropId)),
    async begun() {
      makeFolder(directory, 0o700)
      const names = (await readdir(directory)).filter((name) => name.endsWith(ENDING))
      const kept = await Promise.all(names.map((name) => keptOf(basename(name, ENDING) as DropId).catch(tellDamaged)))
      return kept.flatMap((adoption) => (adoption === undefined ? [] : [adoption.drop]))
    },
  }
}

/** Adopted otherwise, discarded, or its album or its retention is unusable: the next call may choose another. */
function isNotThere(error: unknown): boolean {
  return error instanceof ProblemError && ENDED.some((code) => code === error.code)
}

const ENDED = ['error.drop.not_found', 'error.album.not_available', 'error.manifest.retention_too_long']
